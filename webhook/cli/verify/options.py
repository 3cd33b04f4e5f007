"""The options of `numagate verify`: where a node shows itself, which pods run there, and what is shown of it."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Final

from webhook.cli import inputs
from webhook.cli.listening import add_cluster
from webhook.cli.listening import seconds_up_to
from webhook.cli.verify import watch

if TYPE_CHECKING:  # help and other commands need not pay for it
    from webhook.node.roots import Roots

_LONGEST: Final = 60


def add(parser: argparse.ArgumentParser) -> None:
    """Add all of them."""
    _add_pods(parser)
    inputs.add_world(parser, policy="judge by")
    watch.add(parser)
    _add_places(parser)
    parser.add_argument(
        "--interval",
        type=seconds_up_to(_LONGEST),
        default=watch.INTERVAL,
        metavar="SECONDS",
        help="how long to measure the use of CPUs; 0 leaves it out (default: %(default)g)",
    )
    parser.add_argument(
        "--strict",
        action="store_true",
        help="exit 1 also where the verdict on a pod is unknown, or a pod was not named",
    )
    parser.add_argument(
        "--output", choices=("text", "json", "html"), default=watch.OUTPUT, help="output format (default: text)"
    )


def node_name(arguments: argparse.Namespace) -> str:
    """Answer the name of the node: as given, as a pod is told it, or as the host calls itself."""
    import os  # noqa: PLC0415 - help and other commands need not pay for it
    import platform  # noqa: PLC0415 - as above

    return str(arguments.node or os.environ.get("NODE_NAME") or platform.node())


def roots(arguments: argparse.Namespace) -> "Roots":
    """Answer the places that the options name: the usual ones below --root, or each its own."""
    from dataclasses import replace  # noqa: PLC0415 - help and other commands need not pay for it

    from webhook.node.roots import Roots  # noqa: PLC0415 - as above

    usual = Roots.below(arguments.root)
    kubelet = arguments.kubelet_dir or usual.kubelet
    return replace(
        usual,
        proc=arguments.proc or usual.proc,
        sys=arguments.sys or usual.sys,
        cgroup=arguments.cgroup or (arguments.sys or usual.sys) / "fs" / "cgroup",
        kubelet=kubelet,
        kubelet_config=arguments.kubelet_config or kubelet / "config.yaml",
    )


def _add_pods(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("names", nargs="*", metavar="NAMESPACE/NAME", help="pods to show (default: all that ask for accelerators)")
    add("--node", metavar="NAME", help="name of the node (default: $NODE_NAME, or the host's name)")
    add(
        "--pods",
        metavar="FILE",
        help="the node's pods, as `kubectl get pods -A -o json --field-selector spec.nodeName=NODE` writes them, or - "
        "for stdin (default: from the API server)",
    )
    add_cluster(parser)


def _add_places(parser: argparse.ArgumentParser) -> None:
    places = parser.add_argument_group("places", "where the node shows itself; all of them are only read")

    def add(option: str, text: str) -> None:
        places.add_argument(option, type=Path, metavar="DIR", help=text)

    places.add_argument(
        "--root", type=Path, default=Path("/"), metavar="DIR", help="the host's root, or a recorded tree (default: /)"
    )
    add("--proc", "the host's /proc (default: ROOT/proc)")
    add("--sys", "the host's /sys (default: ROOT/sys)")
    add("--cgroup", "root of cgroup v2 (default: SYS/fs/cgroup)")
    add("--kubelet-dir", "the kubelet's --root-dir, with its sockets and state files (default: ROOT/var/lib/kubelet)")
    places.add_argument(
        "--kubelet-config",
        type=Path,
        metavar="FILE",
        help="the kubelet's configuration, where the API server does not show it (default: KUBELET-DIR/config.yaml)",
    )
