"""`numagate world export`: the world snapshot of a cluster as a file, for lint without access to the cluster."""

import argparse
import sys
from datetime import UTC
from datetime import datetime
from pathlib import Path

from webhook.cli.command import Command
from webhook.cli.listening import add_cluster
from webhook.cli.listening import add_namespace


def _configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="export")
    export = actions.add_parser(
        "export", help="write the snapshot that the controller has written; without one, make it of what can be listed"
    )
    add_cluster(export)
    add_namespace(export, help="namespace of the controller's snapshot")
    export.add_argument("--output", default="-", metavar="FILE", help="where to write it (default: standard output)")


def _run(arguments: argparse.Namespace) -> int:
    from webhook.controller.export import make_snapshot  # noqa: PLC0415  # heavy imports belong to the command
    from webhook.controller.export import written_snapshot  # noqa: PLC0415
    from webhook.domain.errors import NumagateError  # noqa: PLC0415
    from webhook.kube.connect import connect  # noqa: PLC0415

    client = connect(kubeconfig=arguments.kubeconfig, context=arguments.context, user="numagate-world-export")
    text = written_snapshot(client, namespace=arguments.namespace)
    if text is None:
        sys.stderr.write(f"no snapshot of a controller in namespace {arguments.namespace}: making one\n")
        text = make_snapshot(client, namespace=arguments.namespace, now=datetime.now(UTC))
    if arguments.output == "-":
        sys.stdout.write(f"{text}\n")
        return 0
    try:
        Path(arguments.output).write_text(text, encoding="utf-8")
    except OSError as error:
        msg = f"--output {arguments.output} cannot be written: {error.strerror}: choose another file"
        raise NumagateError(msg) from None
    return 0


COMMAND = Command(name="world", help="export the world snapshot of a cluster", configure=_configure, run=_run)
