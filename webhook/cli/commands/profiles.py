"""`numagate profiles`: shows the machine library, or the node classes of a policy or profile file."""

import argparse
import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from webhook.cli.command import Command
from webhook.domain.visible import visible

if TYPE_CHECKING:  # the other commands need not pay for it
    from webhook.cli.profile_shelf import Entry

SCHEMA = "numagate.io/profiles/v1"

_EPILOG = """\
examples:
  numagate profiles list
  numagate profiles show dgx-h100 > policy.yaml
  numagate profiles list --policy policy.yaml
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    actions = parser.add_subparsers(title="actions", metavar="list|show", dest="action", required=True)
    listing = actions.add_parser("list", help="one line for each node class")
    listing.add_argument("--output", choices=("json", "text"), default="text", help="output format (default: text)")
    showing = actions.add_parser("show", help="print node classes as documents for a policy file")
    showing.add_argument("names", nargs="+", metavar="NAME", help="name or alias of a node class")
    for action in (listing, showing):
        action.add_argument("--policy", metavar="FILE", help="the node classes of this policy, not the library")
        action.add_argument(
            "--profile",
            action="append",
            default=[],
            metavar="NAME|FILE",
            help="node class from the machine library or from a file; repeatable; replaces the policy's node classes",
        )


def _run(arguments: argparse.Namespace) -> int:
    from webhook.cli.profile_shelf import find  # noqa: PLC0415 - help and other commands need not pay for it
    from webhook.cli.profile_shelf import find_all  # noqa: PLC0415 - as above

    if arguments.action == "show":
        found = [find(name, policy=arguments.policy, profiles=arguments.profile) for name in arguments.names]
        sys.stdout.write("---\n".join(_document(entry.text) for entry in found))
    else:
        _list(find_all(policy=arguments.policy, profiles=arguments.profile), arguments.output)
    return 0


def _list(entries: "Iterable[Entry]", output: str) -> None:
    from webhook.cli import profile_list  # noqa: PLC0415 - loaded for this action only

    if output == "json":
        document = {"schema": SCHEMA, "profiles": [profile_list.as_json(entry) for entry in entries]}
        sys.stdout.write(json.dumps(document, indent=2) + "\n")
        return
    from webhook.cli import table  # noqa: PLC0415 - rich loads slowly

    table.show(profile_list.COLUMNS, map(profile_list.row, entries), narrow=profile_list.NARROW)


def _document(text: str) -> str:
    """Keep the author's text, tabs too; only what a terminal would obey is made visible."""
    return "".join("\t".join(map(visible, line.split("\t"))) + "\n" for line in text.split("\n"))


COMMAND = Command(name="profiles", help="list or show the machine library", configure=_configure, run=_run)
