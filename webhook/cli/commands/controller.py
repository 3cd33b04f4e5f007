"""`numagate controller`: watches the cluster and writes the world snapshot that serving replicas read."""

import argparse

from webhook.cli.command import Command
from webhook.cli.listening import add_cluster
from webhook.cli.listening import add_namespace
from webhook.cli.listening import add_ports
from webhook.cli.listening import clients
from webhook.cli.secrecy import without_core_dumps
from webhook.domain import api


def _configure(parser: argparse.ArgumentParser) -> None:
    add_cluster(parser)
    add_namespace(parser, help="namespace of the snapshot and of the Lease")
    add = parser.add_argument
    add("--world", default=api.WORLD_MAP, metavar="NAME", help="ConfigMap to write (default: %(default)s)")
    add("--lease", default=api.LEASE, metavar="NAME", help="Lease to lead by (default: %(default)s)")
    add(
        "--identity",
        default="",
        metavar="NAME",
        help="name of this replica in the Lease (default: the host's, made unique)",
    )
    add(
        "--tls-secret",
        default="",
        metavar="NAME",
        help=f"issue and renew the certificates in this Secret (in a cluster: {api.TLS_SECRET}), and fill in the "
        "caBundle of the webhook configurations; without it, files are read from --cert-dir",
    )
    add(
        "--tls-name",
        action="append",
        default=[],
        metavar="NAME",
        help="with --tls-secret: one more DNS name or IP address of the certificate; repeatable",
    )
    add_ports(parser, drain_seconds=5.0)


def _run(arguments: argparse.Namespace) -> int:
    import socket  # noqa: PLC0415  # heavy imports belong to the command that needs them
    import ssl  # noqa: PLC0415
    import uuid  # noqa: PLC0415
    from functools import partial  # noqa: PLC0415

    from webhook.controller.service import Controller  # noqa: PLC0415
    from webhook.controller.settings import Settings  # noqa: PLC0415
    from webhook.kube.connect import connect  # noqa: PLC0415
    from webhook.manifests import in_force  # noqa: PLC0415
    from webhook.web import logs  # noqa: PLC0415

    without_core_dumps()
    versions = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}
    settings = Settings(
        identity=arguments.identity or f"{socket.gethostname()}_{uuid.uuid4()}",
        namespace=arguments.namespace,
        world=arguments.world,
        lease=arguments.lease,
        certificates=arguments.cert_dir,
        secret=arguments.tls_secret,
        names=tuple(arguments.tls_name),
        bind=arguments.bind,
        port=arguments.port,
        probe_port=arguments.probe_port,
        tls_minimum=versions[arguments.tls_min_version],
        clients=clients(arguments),
        drain_seconds=arguments.drain_seconds,
    )
    client = connect(kubeconfig=arguments.kubeconfig, context=arguments.context, user="numagate-controller")
    render = partial(in_force.render, namespace=arguments.namespace)
    controller = Controller(settings, client=client, render=render)
    logs.configure(arguments.log_level)
    controller.run()
    return 0


COMMAND = Command(
    name="controller", help="watch the cluster and write the world snapshot", configure=_configure, run=_run
)
