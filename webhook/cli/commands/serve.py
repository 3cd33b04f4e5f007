"""`numagate serve`: the TLS service that the API server calls."""

import argparse
from pathlib import Path

from webhook.cli.command import Command

_LEVELS = ("debug", "info", "warning", "error")


def _configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--policy", type=Path, metavar="FILE", help="policy file; it is read again when it changes (default: built in)")
    add(
        "--profile",
        action="append",
        default=[],
        metavar="NAME|FILE",
        help="node class: a machine of the library, or a NodeProfile file; replaces the policy's; repeatable",
    )
    add(
        "--cert-dir",
        type=Path,
        default=Path("certs"),
        metavar="DIR",
        help="folder with tls.crt and tls.key; they are read again when they change (default: %(default)s)",
    )
    add("--bind", default="", metavar="ADDRESS", help="address of both ports (default: all)")
    add("--port", type=_port, default=8443, help="TLS port of the webhook (default: %(default)s)")
    add("--probe-port", type=_port, default=8081, help="plain port of probes and metrics (default: %(default)s)")
    add("--tls-min-version", choices=("1.2", "1.3"), default="1.2", help="(default: %(default)s)")
    add(
        "--namespace",
        default="numagate-system",
        help="numagate's own namespace, which is never judged (default: %(default)s)",
    )
    add(
        "--drain-seconds",
        type=_seconds,
        default=15.0,
        metavar="SECONDS",
        help="how long to answer on after SIGTERM, until nobody asks any more (default: %(default)g)",
    )
    add("--log-level", choices=_LEVELS, default="info", help="(default: %(default)s)")


def _run(arguments: argparse.Namespace) -> int:
    import ssl  # noqa: PLC0415  # heavy imports belong to the command that needs them

    from webhook.server.own_objects import with_own_objects  # noqa: PLC0415
    from webhook.server.recall import Recall  # noqa: PLC0415
    from webhook.server.service import Service  # noqa: PLC0415
    from webhook.server.settings import Settings  # noqa: PLC0415
    from webhook.sources.policy_file import LoadedPolicy  # noqa: PLC0415
    from webhook.sources.policy_file import load_policy  # noqa: PLC0415
    from webhook.sources.policy_file import load_profiles  # noqa: PLC0415
    from webhook.web import logs  # noqa: PLC0415

    def load() -> LoadedPolicy:
        classes = [node_class for profile in arguments.profile for node_class in load_profiles(profile)]
        return load_policy(arguments.policy, profiles=classes)

    versions = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}
    settings = Settings(
        policy=arguments.policy,
        profiles=tuple(arguments.profile),
        certificates=arguments.cert_dir,
        bind=arguments.bind,
        port=arguments.port,
        probe_port=arguments.probe_port,
        tls_minimum=versions[arguments.tls_min_version],
        namespace=arguments.namespace,
        drain_seconds=arguments.drain_seconds,
    )
    service = Service(settings, review=with_own_objects(Recall()), load=load)
    logs.configure(arguments.log_level)
    service.run()
    return 0


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 65535):  # noqa: PLR2004
        msg = f"{text!r} is no port: use 0 to 65535"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 3600:  # noqa: PLR2004
        msg = f"{text!r} is no time in seconds: use 0 to 3600"
        raise argparse.ArgumentTypeError(msg)
    return seconds


COMMAND = Command(name="serve", help="answer the API server's admission requests", configure=_configure, run=_run)
