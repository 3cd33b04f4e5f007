"""`numagate simulate`: asks what the kubelet of a described node answers to pods that arrive one after the other."""

import argparse
import json
import sys
from typing import TYPE_CHECKING

from webhook.cli.command import Command
from webhook.domain.errors import InputError
from webhook.domain.visible import visible

if TYPE_CHECKING:  # the other commands need not pay for it
    from webhook.domain.scenario import Answer

_BAD_INPUT = 2

_EPILOG = """\
A scenario is a JSON object on a line of its own, or a YAML document; docs/kubelet.md has the fields:
  {"name": "two chats", "profile": "dgx-h100", "pods": [{"metadata": {"name": "chat"}, "spec": {"containers": [...]}}]}

exit codes:
  0  every scenario is answered; a refused pod and a kubelet that does not start are answers
  2  a scenario cannot be read; the others are answered all the same

examples:
  numagate simulate scenario.yaml
  generate | numagate simulate - | jq -r '.pods[] | select(.admit == false) | .message'
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("file", metavar="FILE", help="scenarios as JSON lines, JSON or YAML, or - for stdin")
    parser.add_argument(
        "--output",
        choices=("json", "text"),
        help="json: one line for each scenario; text: tables (default: text in a terminal, else json)",
    )


def _run(arguments: argparse.Namespace) -> int:
    from webhook.domain.scenario import play  # noqa: PLC0415 - help and other commands need not pay for it
    from webhook.sources.scenario import read_scenarios  # noqa: PLC0415 - as above

    code = 0
    for found in read_scenarios(arguments.file, stdin=sys.stdin.buffer):
        if isinstance(found, InputError):
            sys.stdout.flush()
            sys.stderr.write(f"numagate: {visible(str(found))}\n")
            code = _BAD_INPUT
        else:
            _write(play(found), arguments.output or ("text" if sys.stdout.isatty() else "json"))
    return code


def _write(answer: "Answer", output: str) -> None:
    if output == "text":
        from webhook.cli import answer_table  # noqa: PLC0415 - rich loads slowly

        answer_table.show(answer)
    else:
        from webhook.domain.answer import as_json  # noqa: PLC0415 - as above

        sys.stdout.write(json.dumps(as_json(answer), separators=(",", ":")) + "\n")


COMMAND = Command(
    name="simulate",
    help="ask what the kubelet of a described node would answer to pods",
    configure=_configure,
    run=_run,
)
