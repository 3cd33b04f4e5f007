"""`numagate explain`: where the pods of manifests land on each node class, and why."""

import argparse
import sys
from datetime import UTC
from datetime import datetime
from typing import TYPE_CHECKING
from typing import Final

from webhook.cli.command import Command

if TYPE_CHECKING:  # help and other commands need not pay for it
    from webhook.engine.explanation import Explanation

_PIPED_COLUMNS: Final = 100
_EPILOG = """\
exit codes:
  0  explained; whether the pods fit is numagate lint's to judge
  2  a file, document, policy or profile cannot be read

examples:
  numagate explain deploy.yaml
  helm template chart | numagate explain --profile dgx-h100 --profile gb200-tray-numa -
  numagate explain deploy.yaml --output html > deploy.html
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="a YAML or JSON file, a directory to search for them, or - for stdin")
    add("--policy", metavar="FILE", help="policy to repair by (default: the built-in policy)")
    add(
        "--profile",
        action="append",
        default=[],
        metavar="NAME|FILE",
        help="node class from the machine library or from a file; repeatable; replaces the policy's node classes",
    )
    add(
        "--governs",
        choices=("inference", "accelerators"),
        help="which accelerator pods are repaired: recognised inference pods, or all (default: as the policy says)",
    )
    add("--namespace", default="default", help="namespace of objects that name none (default: default)")
    add(
        "--as-written",
        action="store_true",
        help="explain the pods as they are written, not as the webhook repairs them",
    )
    add("--output", choices=("text", "json", "html"), default="text", help="output format (default: text)")


def _run(args: argparse.Namespace) -> int:
    from webhook.cli import wiring  # noqa: PLC0415 - help and other commands need not pay for reading YAML
    from webhook.engine.explain import explain  # noqa: PLC0415 - as above
    from webhook.sources.manifests import read_manifests  # noqa: PLC0415 - as above

    world = wiring.load_world(
        policy=args.policy, profiles=args.profile, governs=args.governs, instant=datetime.now(tz=UTC)
    )
    reading = read_manifests(args.files, stdin=sys.stdin.buffer)
    explanation = explain(
        reading.manifests,
        reading.errors,
        files=len(reading.files),
        world=world,
        workloads=wiring.load_workloads(),
        default_namespace=args.namespace,
        as_written=args.as_written,
    )
    _write(explanation, args.output)
    return explanation.exit_code


def _write(explanation: "Explanation", output: str) -> None:
    if output == "json":
        from webhook.cli.explain import as_json  # noqa: PLC0415 - each output pays for itself only

        sys.stdout.write(as_json.write(explanation))
    elif output == "html":
        from webhook.cli.explain import as_html  # noqa: PLC0415 - as above

        sys.stdout.write(as_html.write(explanation))
    else:
        _write_text(explanation)


def _write_text(explanation: "Explanation") -> None:
    import shutil  # noqa: PLC0415 - as above

    from webhook.cli.explain import as_text  # noqa: PLC0415 - as above
    from webhook.cli.explain import terminal  # noqa: PLC0415 - as above

    columns = shutil.get_terminal_size(fallback=(_PIPED_COLUMNS, 0)).columns
    terminal.write(as_text.lines(explanation, columns), sys.stdout)


COMMAND = Command(
    name="explain", help="draw where pods land on each node class, and say why", configure=_configure, run=_run
)
