"""Judges manifests before they meet a cluster."""

import argparse
import pkgutil
import sys

from webhook import formats
from webhook.cli import inputs
from webhook.cli.command import Command

_EPILOG = """\
exit codes:
  0  every pod template is fine
  1  something is to be repaired or would be denied, or is of an unknown kind (--strict: or is warned about)
  2  a file, document, policy or profile cannot be read

examples:
  numagate lint deploy.yaml
  helm template chart | numagate lint --profile dgx-h100 -
  numagate lint --policy policy.yaml --output json manifests/
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of lint."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    inputs.add_options(parser, policy="judge", governed="must be aligned")
    parser.add_argument("--output", choices=_output_names(), default="text", help="output format (default: text)")
    parser.add_argument("--strict", action="store_true", help="exit 1 on warnings too")


def _output_names() -> list[str]:
    """Answer the names of the output formats without loading them: a format is named after its module."""
    return sorted(info.name for info in pkgutil.iter_modules(formats.__path__) if not info.name.startswith("_"))


def run(args: argparse.Namespace) -> int:
    """Read, judge and write the report; answer the exit code."""
    from webhook.cli import wiring  # noqa: PLC0415 - help and other commands need not pay for reading YAML
    from webhook.engine.lint import lint  # noqa: PLC0415 - as above

    reading, world, workloads = inputs.read(args)
    report = lint(
        reading.manifests,
        reading.errors,
        files=len(reading.files),
        world=world,
        workloads=workloads,
        default_namespace=args.namespace,
    )
    sys.stdout.write(wiring.load_formats()[args.output].write(report) + "\n")
    return report.exit_code(strict=args.strict)


COMMAND = Command(name="lint", help="judge manifests offline, before they meet a cluster", configure=configure, run=run)
