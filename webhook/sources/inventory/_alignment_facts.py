"""Reduces a NodeAlignment: its words are those of a NodeProfile, so little is translated, and nothing is guessed.

Names of devices differ from node to node; what counts is where they are. Fields that a newer agent may have added are
left out: what they mean is not known here.
"""

import json
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Final

from webhook.config.amounts import read_bytes
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY
from webhook.sources.evidence import MOST_DEVICES
from webhook.sources.evidence import NOWHERE
from webhook.sources.evidence import AlignmentFacts
from webhook.sources.evidence import Pairs
from webhook.sources.few import cut
from webhook.sources.few import few
from webhook.sources.inventory._instants import last_written
from webhook.sources.inventory._instants import sortable
from webhook.sources.inventory._node_facts import amount
from webhook.sources.specs import cell_cpus

MOST_CELLS: Final = 64
"""As of a NodeResourceTopology: to simulate a kubelet on more takes seconds, and no object must cost them."""

_CELL: Final = ("id", "hugepages", "cores", "cpus", "coreCount", "threadsPerCore", "socket", "distances")
_SETTINGS: Final[Mapping[str, object]] = {
    "cpuManagerPolicy": "none",
    "cpuManagerPolicyOptions": {},
    "memoryManagerPolicy": "None",
    "topologyManagerPolicy": "none",
    "topologyManagerScope": "container",
    "topologyManagerPolicyOptions": {},
    "reservedSystemCPUs": "",
    "nodeAllocatableReservation": {},
    "reservedMemory": [],
    "featureGates": {},
}
"""The settings of a kubelet that was read, with the values of those that it was not given."""
_GIB: Final = 1 << 30


def reduce_alignment(obj: JsonObject) -> AlignmentFacts:
    """Reduce a NodeAlignment; `name` is the node's name."""
    spec = get_object(obj, "spec")
    numa, memory, doubts = _cells(get_list(spec, "numa"))
    devices = {name: get_list(get_object(spec, "devices"), name) for name in sorted(get_object(spec, "devices"))}
    places = {name: _places(name, found) for name, found in devices.items() if len(found) <= MOST_DEVICES}
    many = [f"{len(devices[name])} {cut(name)} are too many devices: left out" for name in devices.keys() - places]
    fields = {
        **({"numa": numa} if numa else {}),
        **{f"devices.{name}": found for name, found in places.items()},
        **{f"kubelet.{name}": value for name, value in _settings(get_object(spec, "kubelet"))},
    }
    resources, free = _free(get_list(spec, "free"))
    return AlignmentFacts(
        name=get_text(get_object(obj, "metadata"), "name"),
        fields=_texts(fields),
        memory=memory,
        cpus=sum(map(cell_cpus, numa)),
        version=get_text(get_object(spec, "kubelet"), "version"),
        resources=resources,
        free=free,
        seen=_seen(obj, get_text(spec, "observed")),
        problems=few((*doubts, *sorted(many), *(() if numa else _unread(spec)))),
        doubts=few(doubts),
    )


def _cells(blocks: list[object]) -> tuple[list[JsonObject], tuple[int, ...], tuple[str, ...]]:
    """Answer the NUMA nodes without their memory, their memory in bytes, and why neither is known."""
    if len(blocks) > MOST_CELLS:
        return [], (), (f"{len(blocks)} NUMA nodes are more than any machine has",)
    try:
        memory = tuple(read_bytes(as_object(block).get("memory")) for block in blocks)
    except ValueError as error:
        return [], (), (f"memory of a NUMA node: {error}",)
    cells: list[JsonObject] = [
        {key: as_object(block)[key] for key in _CELL if key in as_object(block)} for block in blocks
    ]
    return cells, memory, ()


def _places(resource: str, devices: list[object]) -> object:
    """Count devices by NUMA node; where one is near several, each is listed, under a name that all nodes share."""
    homes = [as_object(device).get("numa") for device in devices if as_object(device).get("healthy") is not False]
    if all(home is None or (isinstance(home, list) and len(home) == 1) for home in homes):
        counts: dict[str, int] = {}
        for home in homes:
            cell = str(home[0]) if isinstance(home, list) else NOWHERE
            counts[cell] = counts.get(cell, 0) + 1
        return dict(sorted(counts.items()))
    stem = resource.rpartition("/")[2]
    ordered = sorted(homes, key=lambda home: (home is None, str(home)))
    return [
        {"id": f"{stem}-{number}", **({} if home is None else {"numa": home})} for number, home in enumerate(ordered)
    ]


def _settings(block: JsonObject) -> Iterator[tuple[str, object]]:
    """Yield every setting of a kubelet that was read: what is not written is the kubelet's default, not unknown.

    One of another type than it can be is left out, as if nobody had told it.
    """
    if block:
        told = ((name, block.get(name, default), type(default)) for name, default in _SETTINGS.items())
        yield from ((name, value) for name, value, kind in told if isinstance(value, kind))


def _texts(fields: Mapping[str, object]) -> Pairs:
    return tuple(
        (name, json.dumps(value, sort_keys=True, separators=(",", ":"), default=dict)) for name, value in fields.items()
    )


def _free(blocks: list[object]) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
    """Answer what is left on each NUMA node with CPUs, memory in whole GiB, of the devices that all of them tell of."""
    amounts = [get_object(block, "amounts") for block in blocks]
    if not blocks or len(blocks) > MOST_CELLS or any(CPU not in one for one in amounts):
        return (), ()
    resources = tuple(sorted(set.intersection(*(set(one) for one in amounts)) - {CPU, MEMORY}))
    return resources, tuple(
        (
            amount(one[CPU]),
            amount(one[MEMORY]) // _GIB * _GIB if MEMORY in one else -1,
            *(amount(one[name]) for name in resources),
        )
        for one in amounts
    )


def _seen(obj: JsonObject, observed: str) -> str:
    """Answer since when nothing was heard: by the agent's clock, or the API server's, whichever is earlier.

    So a clock that is fast makes nothing look newer than it is.
    """
    times = [sortable(text) for text in (observed, last_written(obj)) if text]
    return min(times, default="")


def _unread(spec: JsonObject) -> Iterator[str]:
    for one in get_list(spec, "unread"):
        yield f"{cut(get_text(one, 'field'))} could not be read: {cut(get_text(one, 'reason'))}"
