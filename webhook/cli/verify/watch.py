"""The options of `numagate verify --watch`: what the agent judges by, and where it answers."""

import argparse
from collections.abc import Mapping
from typing import Final

from webhook.cli.listening import add_plain_port
from webhook.cli.listening import object_name
from webhook.domain import api
from webhook.domain.errors import NumagateError

INTERVAL: Final = 2.0
OUTPUT: Final = "text"
"""What one look does where nobody asks for another interval or output."""
_ONE_SHOT: Final[Mapping[str, tuple[object, str]]] = {
    "names": ([], "an agent judges all pods of its node: leave {} out"),
    "pods": (None, "an agent watches the pods in the API server: leave --pods out"),
    "policy": (
        None,
        "an agent judges by the policies of the world snapshot: leave --policy out, or name it by --world-object",
    ),
    "world": (
        None,
        "an agent reads the world snapshot in the cluster: leave --world out, or name it by --world-object",
    ),
    "output": (OUTPUT, "an agent tells the cluster and prints no report: leave --output out"),
    "strict": (False, "an agent goes on whatever it finds: leave --strict out"),
    "interval": (INTERVAL, "an agent measures from one look to the next: leave --interval out"),
}
"""The options that go with one look only: their defaults, and what is said of another value."""


def add(parser: argparse.ArgumentParser) -> None:
    """Add them."""
    watch = parser.add_argument_group("watch", "with --watch it stays, and tells the cluster what it finds")
    add = watch.add_argument
    add(
        "--watch",
        action="store_true",
        help="be the agent of this node: look again and again, and write pod conditions, events and the node's "
        "NodeAlignment (docs/agent.md)",
    )
    add(
        "--world-object",
        type=object_name,
        default=("numagate-system", api.WORLD_MAP),
        metavar="NAMESPACE/NAME",
        help=f"ConfigMap with the policies to judge by (default: numagate-system/{api.WORLD_MAP})",
    )
    add_plain_port(watch)


def check(arguments: argparse.Namespace) -> None:
    """Refuse what goes with one look only.

    Raises:
        NumagateError: such an option was given.
    """
    for name, (usual, message) in _ONE_SHOT.items():
        if getattr(arguments, name) != usual:
            raise NumagateError(message.format(" ".join(arguments.names)))
