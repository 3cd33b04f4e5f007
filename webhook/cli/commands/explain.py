"""`numagate explain`: where the pods of manifests land on each node class, and why."""

import argparse
import sys
from typing import TYPE_CHECKING

from webhook.cli import inputs
from webhook.cli.command import Command

if TYPE_CHECKING:  # help and other commands need not pay for it
    from webhook.engine.explanation import Explanation

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
    inputs.add_options(parser, policy="repair", governed="are repaired")
    add = parser.add_argument
    add(
        "--as-written",
        action="store_true",
        help="explain the pods as they are written, not as the webhook repairs them",
    )
    add("--output", choices=("text", "json", "html"), default="text", help="output format (default: text)")


def _run(args: argparse.Namespace) -> int:
    from webhook.engine.explain import explain  # noqa: PLC0415 - help and other commands need not pay for it

    reading, world, workloads = inputs.read(args)
    explanation = explain(
        reading.manifests,
        reading.errors,
        files=len(reading.files),
        world=world,
        workloads=workloads,
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
    from webhook.cli.drawing import terminal  # noqa: PLC0415 - as above
    from webhook.cli.explain import as_text  # noqa: PLC0415 - as above

    terminal.write(as_text.lines(explanation, terminal.width()), sys.stdout)


COMMAND = Command(
    name="explain", help="draw where pods land on each node class, and say why", configure=_configure, run=_run
)
