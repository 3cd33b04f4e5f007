"""Runs the agent that `numagate verify --watch` asks for."""

import argparse

from webhook.cli.secrecy import without_core_dumps
from webhook.cli.verify import watch
from webhook.cli.verify.options import node_name
from webhook.cli.verify.options import roots
from webhook.kube.connect import connect
from webhook.node.eyes import Eyes
from webhook.node.service import Service
from webhook.node.settings import Settings
from webhook.web import logs


def run(arguments: argparse.Namespace) -> int:
    """Look and tell until a signal ends it.

    Raises:
        NumagateError: an option goes with one look only, the API server is not named, or the port is taken.
    """
    watch.check(arguments)
    without_core_dumps()
    namespace, world = arguments.world_object
    settings = Settings(
        node=node_name(arguments),
        namespace=namespace,
        world=world,
        bind=arguments.bind,
        probe_port=arguments.probe_port,
    )
    client = connect(kubeconfig=arguments.kubeconfig, context=arguments.context, user="numagate-agent")
    service = Service(settings, client=client, observe=Eyes(roots(arguments), node=settings.node))
    logs.configure(arguments.log_level)
    service.run()
    return 0
