"""What the commands that judge manifests are given: the same options, read the same way."""

import argparse
import sys
from datetime import UTC
from datetime import datetime
from typing import TYPE_CHECKING
from typing import NamedTuple

if TYPE_CHECKING:  # help and other commands need not pay for it
    from webhook.domain.workload import Workload
    from webhook.engine.world import World
    from webhook.sources.manifests import Reading


class Inputs(NamedTuple):
    """The manifests, and the world that they are judged in."""

    reading: "Reading"
    world: "World"
    workloads: "tuple[Workload, ...]"


def add_options(parser: argparse.ArgumentParser, *, policy: str, governed: str) -> None:
    """Add files, policy, profiles and namespace; `policy` and `governed` say what they are for in this command."""
    add = parser.add_argument
    add("files", nargs="+", metavar="FILE", help="a YAML or JSON file, a directory to search for them, or - for stdin")
    add_world(parser, policy=f"{policy} by")
    add(
        "--profile",
        action="append",
        default=[],
        metavar="NAME|FILE",
        help="node class from the machine library or from a file; repeatable; replaces the policy's node classes",
    )
    add(
        "--governs",
        choices=("inference", "accelerators"),
        help=f"which accelerator pods {governed}: recognised inference pods, or all (default: as the policy says)",
    )
    add("--namespace", default="default", help="namespace of objects that name none (default: default)")


def add_world(parser: argparse.ArgumentParser, *, policy: str) -> None:
    """Add where policies come from; `policy` says what this command does with them."""
    parser.add_argument("--policy", metavar="FILE", help=f"policies to {policy} (default: the built-in policy)")
    parser.add_argument(
        "--world",
        metavar="FILE",
        help="world snapshot of a cluster (numagate world export): its policies, node classes and namespaces",
    )


def read(args: argparse.Namespace) -> Inputs:
    """Read what the options name; what cannot be read of the manifests is told in the reading.

    Raises:
        PolicyError: the policy or a profile is missing or wrong.
    """
    from webhook.cli import wiring  # noqa: PLC0415 - help and other commands need not pay for reading YAML
    from webhook.sources.manifests import read_manifests  # noqa: PLC0415 - as above

    world = wiring.load_world(
        policy=args.policy,
        profiles=args.profile,
        governs=args.governs,
        instant=datetime.now(tz=UTC),
        snapshot=args.world,
    )
    return Inputs(read_manifests(args.files, stdin=sys.stdin.buffer), world, wiring.load_workloads())
