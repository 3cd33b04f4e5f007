"""`numagate topology`: shows the node classes that a cluster's own objects add up to, and how each field is known."""

import argparse
import json
import sys
from datetime import UTC
from datetime import datetime
from typing import TYPE_CHECKING

from webhook.cli.command import Command
from webhook.domain.visible import visible

if TYPE_CHECKING:  # help and other commands need not pay for it
    from webhook.sources.inventory.survey import Survey

_BAD_INPUT = 2
_MOST = 1000

_EPILOG = """\
Sources, the first that says something wins, field by field (docs/topology.md has the rules):
  NodeProfile           a person's word, for all of a node or parts of it (only kubelet, say)
  NodeAlignment         what numagate's agent on the node reads
  NodeResourceTopology  what an exporter on the node reads (RTE, node-feature-discovery)
  ResourceSlice         what DRA drivers publish
  node labels           the machine of the library that they name (numagate profiles list)
  Node                  the kubelet's version, taints, and how many devices there are
What none of them says is assumed, or the node stays unknown. Only trusted classes deny and repair pods.

exit codes:
  0  shown
  2  an input cannot be read; the rest is shown all the same

examples:
  kubectl get nodes,nodealignments,noderesourcetopologies,resourceslices -o json | numagate topology -
  numagate topology nodes.yaml reports.yaml profiles.yaml --verbose
  numagate topology --world world.json
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    given = parser.add_mutually_exclusive_group(required=True)
    given.add_argument(
        "files",
        nargs="*",
        default=[],
        metavar="FILE",
        help="a YAML or JSON file with objects or Lists of them, a directory to search, or - for stdin",
    )
    given.add_argument("--world", metavar="FILE", help="show the classes of a world snapshot, or of its ConfigMap")
    parser.add_argument("--verbose", action="store_true", help="show how each field is known, conflicts and doubts")
    parser.add_argument(
        "--minimum",
        type=_number,
        default=3,
        metavar="N",
        help="how many nodes of the same labels must report the same topology to be trusted (default: 3)",
    )
    parser.add_argument("--output", choices=("json", "text"), default="text", help="output format (default: text)")


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= _MOST):
        message = f"{text} is no number of nodes: write 1 to {_MOST}"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def _run(arguments: argparse.Namespace) -> int:
    from webhook.cli.topology.gather import survey_of  # noqa: PLC0415 - help and other commands need not pay for it
    from webhook.cli.topology.gather import survey_of_world  # noqa: PLC0415 - as above
    from webhook.sources.manifests import read_manifests  # noqa: PLC0415 - as above

    reading = read_manifests([arguments.world] if arguments.world else arguments.files, stdin=sys.stdin.buffer)
    for error in reading.errors:
        sys.stderr.write(f"numagate: {visible(str(error))}\n")
    if reading.errors and not reading.manifests:
        return _BAD_INPUT
    if arguments.world:
        survey = survey_of_world(reading.manifests, arguments.world)
    else:
        survey = survey_of(reading.manifests, arguments.minimum, datetime.now(tz=UTC))
    _write(survey, arguments)
    return _BAD_INPUT if reading.errors else 0


def _write(survey: "Survey", arguments: argparse.Namespace) -> None:
    if arguments.output == "json":
        from webhook.cli.topology.as_json import as_json  # noqa: PLC0415 - loaded for this output only

        sys.stdout.write(json.dumps(as_json(survey), indent=2) + "\n")
        return
    from webhook.cli import table  # noqa: PLC0415 - rich loads slowly
    from webhook.cli.topology import as_text  # noqa: PLC0415 - as above

    if survey.classes:
        table.show(as_text.COLUMNS, map(as_text.row, survey.classes), narrow=as_text.NARROW)
    else:
        sys.stdout.write("no node class is known\n")
    lines = as_text.footer(survey, verbose=arguments.verbose, instant=datetime.now(tz=UTC))
    sys.stdout.writelines(f"{visible(line)}\n" for line in lines)


COMMAND = Command(
    name="topology",
    help="show the node classes that a cluster's objects add up to, and how they are known",
    configure=_configure,
    run=_run,
)
