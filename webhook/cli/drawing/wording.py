"""The words that every output of explain uses for the same thing."""

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Final

from webhook.domain import cpuset
from webhook.domain.fit import Fits
from webhook.domain.kubelet.admit import Placement
from webhook.domain.kubelet.trace import HintList
from webhook.domain.kubelet.trace import Merge
from webhook.domain.quantity import Quantity

FITS: Final = {Fits.YES: "fits", Fits.NO: "does not fit", Fits.UNENFORCED: "not enforced"}
NO_HINTS: Final = "topology manager policy is none: no hints are asked for, nothing is merged"

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_MANY: Final = "#"


def letter(owner: int) -> str:
    """Answer the sign of a container in drawings: a letter, and one sign for all beyond the alphabet."""
    return _LETTERS[owner] if owner < len(_LETTERS) else _MANY


def size(number: int) -> str:
    """Write bytes for people, with one digit behind the point where they are not whole.

    >>> size(64 << 30), size(134_902_374_400), size(1 << 40), size(5)
    ('64Gi', '125.6Gi', '1024Gi', '5')
    """
    for power, unit in ((3, "Gi"), (2, "Mi"), (1, "Ki")):
        whole = 1 << 10 * power
        if number >= whole:
            return f"{number // whole}{unit}" if number % whole == 0 else f"{number / whole:.1f}{unit}"
    return str(number)


def cells(numbers: Iterable[int]) -> str:
    """Write a set of NUMA nodes.

    >>> cells((0, 1, 2, 5))
    '{0-2,5}'
    """
    return f"{{{cpuset.format(sum(1 << number for number in numbers))}}}"


def nodes(numbers: Sequence[int]) -> str:
    """Name NUMA nodes in a sentence.

    >>> nodes((1,)), nodes((0, 1))
    ('NUMA node 1', 'NUMA nodes 0-1')
    """
    text = cpuset.format(sum(1 << number for number in numbers))
    return f"NUMA node {text}" if len(numbers) == 1 else f"NUMA nodes {text}"


def more(hints: HintList) -> str:
    """Say how many hints are not listed, "" where all are."""
    left = hints.count - len(hints.hints or ())
    if hints.complete:
        return f"+{left} more" if left else ""
    return f"+{left} more at least"


def subject(merge: Merge) -> str:
    """Say what a merge was for; a container's name is foreign text."""
    return "the whole pod" if merge.container is None else f"container {merge.container}"


def outcome(merge: Merge) -> str:
    """Say what kind of affinity the hints merged to, and whether the policy takes it."""
    preferred = "preferred" if merge.preferred else "not preferred"
    affinity = f"no affinity, {preferred}" if merge.cells is None else preferred
    return f"{affinity}: {'admitted' if merge.admitted else 'refused'}"


def replicas(number: int, pods: int | None = None) -> str:
    """Say how many such pods an empty node takes, and how many nodes the `pods` of an object need."""
    text = f"an empty node takes {_such(number, 'pod')}, aligned"
    if pods is None or pods <= 1 or not number:
        return text
    return f"{text}: the {pods} pods of this object need {_such(-(-pods // number), 'node')}"


def _such(number: int, noun: str) -> str:
    return f"{number} such {noun}{'' if number == 1 else 's'}"


def placed(placement: Placement) -> Iterator[str]:
    """Yield what a container has to itself or shares in its pod; nothing means the node's shared pool, unpinned."""
    if placement.cpus:
        yield f"CPUs {cpuset.format(placement.cpus)} on {nodes(placement.cpu_cells)}"
    for block in placement.memory:
        amount = f"{Quantity.of_bytes(block.size)} on" if block.size else "left to a later container, on"
        yield f"{block.type} {amount} {nodes(block.cells)}"
    if placement.pool is not None:
        if placement.pool.cpus:
            yield f"CPUs {cpuset.format(placement.pool.cpus)} shared in its pod, on {nodes(placement.cpu_cells)}"
        for block in placement.pool.memory:
            yield f"{block.type} {Quantity.of_bytes(block.size)} shared in its pod, on {nodes(block.cells)}"
    for resource, ids in placement.devices.items():
        yield f"{resource} {', '.join(ids)}"
