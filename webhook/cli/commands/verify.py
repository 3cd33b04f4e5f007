"""`numagate verify`: whether the pods of this node really have what they were promised."""

import argparse
import sys
from datetime import UTC
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING
from typing import Final

from webhook.cli.command import Command
from webhook.cli.verify import options
from webhook.domain.visible import visible

if TYPE_CHECKING:  # help and other commands need not pay for it
    from webhook.cli.verify.report import Report

CANNOT_LOOK: Final = 2
_EPILOG = """\
It runs on the node, as root or with the capabilities SYS_PTRACE and DAC_READ_SEARCH, and writes nothing. What may not
be read is shown as unknown, with the reason. docs/verify.md has the rules.

exit codes:
  0  no promise is broken (of some pods it may be unknown; --strict exits 1 then)
  1  a pod is misaligned or its promise forged, or the node has a fault
  2  cannot look: the pods or the machine cannot be read, none is of this node, or a pod is not there

A node rarely has a kubeconfig of an administrator. The kubelet's own may list the pods of its node; else hand the pods
over. Without --world (written by numagate world export) pods are judged by the built-in policy, not by the cluster's.

examples:
  numagate verify --kubeconfig /etc/kubernetes/kubelet.conf --world world.json
  kubectl get pods -A --field-selector spec.nodeName=NODE -o json | numagate verify --pods - --node NODE
  numagate verify --pods pods.json --node NODE team-a/llm-0 --interval 10
  numagate verify --pods pods.json --node NODE --output html > node.html
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    options.add(parser)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.watch:
        from webhook.cli.verify.agent import run  # noqa: PLC0415 - only an agent pays for it

        return run(arguments)
    from webhook.cli import wiring  # noqa: PLC0415 - help and other commands need not pay for it
    from webhook.cli.verify import report as reports  # noqa: PLC0415 - as above
    from webhook.cli.verify.look import look  # noqa: PLC0415 - as above
    from webhook.engine.governed import why_no_promise  # noqa: PLC0415 - as above
    from webhook.engine.verify import judge  # noqa: PLC0415 - as above

    world = wiring.load_world(
        policy=arguments.policy, profiles=(), governs=None, instant=datetime.now(tz=UTC), snapshot=arguments.world
    )
    observation = look(arguments, world)
    report = reports.make(observation, judge(observation, world), arguments.names)
    _write(report, arguments.output)
    absent = reports.missing(report, arguments.names, partial(why_no_promise, world=world))
    errors = [*absent, *filter(None, ["" if report.broken else report.blind])]
    sys.stderr.writelines(f"numagate: {visible(error)}\n" for error in errors)
    if errors:
        return CANNOT_LOOK
    return 1 if report.broken or (arguments.strict and report.doubtful) else 0


def _write(report: "Report", output: str) -> None:
    if output == "json":
        from webhook.cli.verify import as_json  # noqa: PLC0415 - each output pays for itself only

        sys.stdout.write(as_json.write(report))
    elif output == "html":
        from webhook.cli.verify import as_html  # noqa: PLC0415 - as above

        sys.stdout.write(as_html.write(report))
    else:
        _write_text(report)


def _write_text(report: "Report") -> None:
    from webhook.cli.drawing import terminal  # noqa: PLC0415 - as above
    from webhook.cli.verify import as_text  # noqa: PLC0415 - as above

    terminal.write(as_text.lines(report, terminal.width()), sys.stdout)


COMMAND = Command(
    name="verify",
    help="see on a node whether its pods really have what they were promised",
    configure=_configure,
    run=_run,
)
