"""`numagate demo`: the main job end to end on this machine, with embedded samples and no cluster."""

import argparse
from pathlib import Path

from webhook.cli.command import Command

MACHINE = "two-socket-32c"


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--machine", default=MACHINE, metavar="NAME", help="machine of the library to decide on (default: %(default)s)"
    )


def _run(arguments: argparse.Namespace) -> int:
    import tempfile  # noqa: PLC0415 - heavy imports belong to the command that needs them

    from webhook.cli import show  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="numagate-demo-") as folder:
        show.run(arguments.machine, Path(folder))
    return 0


COMMAND = Command(
    name="demo", help="show the service at work on sample pods, without a cluster", configure=_configure, run=_run
)
