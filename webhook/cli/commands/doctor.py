"""`numagate doctor`: looks at an installation and says what is wrong with it, and what to do."""

import argparse
import json
import sys
from datetime import UTC
from datetime import datetime

from webhook.cli.command import Command
from webhook.cli.listening import add_cluster
from webhook.cli.listening import add_namespace

_EPILOG = """\
It reads with your own rights and writes nothing (it asks who may do what by SubjectAccessReviews, which are not kept).
What you may not see is shown as unknown, with the right that it needs; docs/doctor.md lists them.

exit codes:
  0  no problem (there may be warnings, or things that could not be seen)
  1  a problem
  2  the API server cannot be asked

examples:
  numagate doctor
  numagate doctor --context production --output json
"""


def _configure(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    add_cluster(parser)
    add_namespace(parser, help="namespace of the installation")
    parser.add_argument("--output", choices=("json", "text"), default="text", help="output format (default: text)")


def _run(arguments: argparse.Namespace) -> int:
    from webhook.cli.doctor import show  # noqa: PLC0415  # heavy imports belong to the command
    from webhook.cli.doctor.examine import examine  # noqa: PLC0415
    from webhook.cli.doctor.examine import healthy  # noqa: PLC0415
    from webhook.cli.doctor.gather import gather  # noqa: PLC0415
    from webhook.kube.connect import connect  # noqa: PLC0415

    client = connect(kubeconfig=arguments.kubeconfig, context=arguments.context, user="numagate-doctor")
    findings = examine(gather(client, namespace=arguments.namespace, now=datetime.now(UTC)))
    if arguments.output == "json":
        sys.stdout.write(json.dumps(show.as_json(findings), indent=2) + "\n")
    else:
        show.as_text(findings)
    return 0 if healthy(findings) else 1


COMMAND = Command(
    name="doctor",
    help="look at an installation: what is wrong with it, and what to do",
    configure=_configure,
    run=_run,
)
