"""Options of the commands that listen on two ports, and of those that speak to an API server."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from webhook.domain.errors import NumagateError

if TYPE_CHECKING:  # the other commands need not pay for it
    from webhook.web.client_auth import Clients

_LEVELS = ("debug", "info", "warning", "error")
_MAX_PORT = 65535
_MAX_SECONDS = 3600


def add_ports(parser: argparse.ArgumentParser, *, drain_seconds: float) -> None:
    """Add the options of a process with a TLS port and a plain one."""
    add = parser.add_argument
    add(
        "--cert-dir",
        type=Path,
        default=Path("certs"),
        metavar="DIR",
        help="folder with tls.crt and tls.key; they are read again when they change (default: %(default)s)",
    )
    add("--port", type=_port, default=8443, help="TLS port of the webhook (default: %(default)s)")
    add_plain_port(parser)
    add("--tls-min-version", choices=("1.2", "1.3"), default="1.2", help="(default: %(default)s)")
    add(
        "--client-ca",
        type=Path,
        metavar="FILE",
        help="CA certificates: whoever calls the TLS port must show a certificate of one of them; the file is read "
        "again when it changes (default: anybody may call)",
    )
    add(
        "--client-name",
        action="append",
        default=[],
        metavar="NAME",
        help="with --client-ca: common name or DNS name of a certificate that may call; repeatable "
        "(default: kube-apiserver)",
    )
    add(
        "--drain-seconds",
        type=seconds_up_to(_MAX_SECONDS),
        default=drain_seconds,
        metavar="SECONDS",
        help="how long to answer on after SIGTERM, until nobody asks any more (default: %(default)g)",
    )


def add_plain_port(parser: argparse._ActionsContainer) -> None:
    """Add the options of a process with a plain port, and how much it logs."""
    add = parser.add_argument
    add("--bind", default="", metavar="ADDRESS", help="address of all ports (default: all)")
    add("--probe-port", type=_port, default=8081, help="plain port of probes and metrics (default: %(default)s)")
    add("--log-level", choices=_LEVELS, default="info", help="(default: %(default)s)")


def clients(arguments: argparse.Namespace) -> "Clients | None":
    """Answer who may call by the options, None where anybody may.

    Raises:
        NumagateError: names without a CA, which would let in everybody.
    """
    from webhook.web.client_auth import API_SERVER  # noqa: PLC0415  # heavy
    from webhook.web.client_auth import Clients  # noqa: PLC0415

    names = tuple(arguments.client_name)
    if arguments.client_ca is None:
        if names:
            msg = "--client-name says who may call, and without --client-ca anybody may: add --client-ca FILE"
            raise NumagateError(msg)
        return None
    return Clients(arguments.client_ca, names or (API_SERVER,))


def add_cluster(parser: argparse.ArgumentParser) -> None:
    """Add the options that name an API server."""
    add = parser.add_argument
    add(
        "--kubeconfig",
        type=Path,
        metavar="FILE",
        help="how to reach the API server (default: the pod's service account; outside of a pod, as kubectl does)",
    )
    add("--context", metavar="NAME", help="context of the kubeconfig (default: its current one)")


def add_namespace(parser: argparse.ArgumentParser, *, help: str) -> None:  # noqa: A002 - as argparse names it
    """Add the option that names numagate's own namespace."""
    parser.add_argument("--namespace", default="numagate-system", help=f"{help} (default: %(default)s)")


def object_name(text: str) -> tuple[str, str]:
    """Read the namespace and the name of an object.

    Raises:
        argparse.ArgumentTypeError: it is neither.
    """
    namespace, slash, name = text.partition("/")
    if not (namespace and slash and name) or "/" in name:
        msg = f"{text!r} names no object: write NAMESPACE/NAME"
        raise argparse.ArgumentTypeError(msg)
    return namespace, name


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= _MAX_PORT):
        msg = f"{text!r} is no port: use 0 to {_MAX_PORT}"
        raise argparse.ArgumentTypeError(msg)
    return int(text)


def seconds_up_to(most: int) -> Callable[[str], float]:
    """Answer a reader of an option's seconds, 0 to `most`."""

    def seconds(text: str) -> float:
        try:
            read = float(text)
        except ValueError:
            read = -1.0
        if not 0 <= read <= most:
            msg = f"{text!r} is no time in seconds: use 0 to {most}"
            raise argparse.ArgumentTypeError(msg)
        return read

    return seconds
