"""`numagate serve`: the TLS service that the API server calls."""

import argparse
from pathlib import Path

from webhook.cli.command import Command
from webhook.cli.listening import add_cluster
from webhook.cli.listening import add_namespace
from webhook.cli.listening import add_ports
from webhook.cli.listening import clients
from webhook.cli.listening import object_name
from webhook.cli.secrecy import without_core_dumps
from webhook.domain.errors import NumagateError


def _configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    source = parser.add_mutually_exclusive_group()
    source.add_argument(
        "--policy", type=Path, metavar="FILE", help="policy file; it is read again when it changes (default: built in)"
    )
    add(
        "--profile",
        action="append",
        default=[],
        metavar="NAME|FILE",
        help="node class: a machine of the library, or a NodeProfile file; replaces the policy's; repeatable",
    )
    source.add_argument(
        "--world", type=Path, metavar="FILE", help="world snapshot, as a mounted file; it is read again when it changes"
    )
    source.add_argument(
        "--world-object",
        type=object_name,
        metavar="NAMESPACE/NAME",
        help="world snapshot, as the ConfigMap that the controller writes; it is watched",
    )
    add_cluster(parser)
    add_namespace(parser, help="numagate's own namespace, which is never judged")
    add_ports(parser, drain_seconds=15.0)


def _run(arguments: argparse.Namespace) -> int:
    import ssl  # noqa: PLC0415  # heavy imports belong to the command that needs them

    from webhook.server.own_objects import with_own_objects  # noqa: PLC0415
    from webhook.server.recall import Recall  # noqa: PLC0415
    from webhook.server.service import Service  # noqa: PLC0415
    from webhook.server.settings import Settings  # noqa: PLC0415
    from webhook.sources.policy_file import LoadedPolicy  # noqa: PLC0415
    from webhook.sources.policy_file import load_policy  # noqa: PLC0415
    from webhook.sources.policy_file import load_profiles  # noqa: PLC0415
    from webhook.sources.snapshot_reader import LoadedWorld  # noqa: PLC0415
    from webhook.sources.snapshot_reader import Reader  # noqa: PLC0415
    from webhook.sources.snapshot_reader import read_snapshot  # noqa: PLC0415
    from webhook.web import logs  # noqa: PLC0415

    without_core_dumps()
    snapshot = arguments.world or arguments.world_object
    if snapshot and arguments.profile:
        msg = "--profile goes with --policy: a world snapshot has its own node classes, so leave --profile out"
        raise NumagateError(msg)
    reader = Reader()

    def load() -> LoadedPolicy | LoadedWorld:
        if arguments.world:
            return reader.read(read_snapshot(arguments.world), str(arguments.world))
        classes = [node_class for profile in arguments.profile for node_class in load_profiles(profile)]
        return load_policy(arguments.policy, profiles=classes)

    versions = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}
    settings = Settings(
        policy=arguments.policy,
        world=arguments.world,
        world_object=arguments.world_object,
        profiles=tuple(arguments.profile),
        certificates=arguments.cert_dir,
        bind=arguments.bind,
        port=arguments.port,
        probe_port=arguments.probe_port,
        tls_minimum=versions[arguments.tls_min_version],
        clients=clients(arguments),
        namespace=arguments.namespace,
        drain_seconds=arguments.drain_seconds,
    )
    client = None
    if arguments.world_object:
        from webhook.kube.connect import connect  # noqa: PLC0415  # 10 MB that the other modes need not pay

        client = connect(kubeconfig=arguments.kubeconfig, context=arguments.context)
    recall = Recall()
    service = Service(settings, review=with_own_objects(recall), load=None if client else load, client=client)
    service.metrics.remembered(lambda: recall.hits)
    logs.configure(arguments.log_level)
    service.run()
    return 0


COMMAND = Command(name="serve", help="answer the API server's admission requests", configure=_configure, run=_run)
