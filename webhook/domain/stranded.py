"""Accelerators that replicas of a pod leave idle, because they take more than their share of CPUs or memory."""

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass

from webhook.domain import demand
from webhook.domain.kubelet.admit import Admission
from webhook.domain.kubelet.admit import CellRoom
from webhook.domain.kubelet.admit import cell_allocatable
from webhook.domain.pod import ContainerKind
from webhook.domain.pod import PodFacts
from webhook.domain.replicas import fill
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY
from webhook.domain.resources import amount
from webhook.domain.topology import Cell
from webhook.domain.topology import Device
from webhook.domain.topology import NodeClass

_MANY = 1 << 16
"""More accelerators than a machine has."""


@dataclass(frozen=True, slots=True)
class Stranded:
    """What a NUMA node looks like with as many replicas as a node takes.

    `idle` of its `devices` accelerators (`resource`) are free, but of CPU or memory (`native`) only `left` of `room`.
    `share` is what each replica may take so that none is left idle.
    """

    resource: str
    idle: int
    devices: int
    replicas: int
    native: str
    left: int
    room: int
    share: int


@dataclass(frozen=True, slots=True)
class _Need:
    """What one replica holds: accelerators of one resource, exclusive CPUs, pinned memory; `step` makes a core."""

    resource: str
    accelerators: int
    cpus: int
    memory: int
    step: int


@dataclass(frozen=True, slots=True)
class _Use:
    """What replicas hold of one NUMA node."""

    replicas: int
    devices: int
    cpus: int
    memory: int


def find(facts: PodFacts, node_class: NodeClass, accelerators: Mapping[str, Mapping[str, int]]) -> Stranded | None:
    """Fill a node of the class with the pod and answer its NUMA node with the most idle accelerators, if any is.

    Nothing is stranded where every free accelerator could still have half of its share of the NUMA node, or half of
    what the pod itself uses for one: another pod may take it. A pod that keeps to its share is not simulated.
    """
    cells = cell_allocatable(node_class)
    greedy = [one for one in _needs(facts, node_class, accelerators) if any(_exceeds_share(one, c) for c in cells)]
    if not greedy:
        return None
    replicas = tuple(fill(facts, node_class, accelerators))
    inits = frozenset(container.name for container in facts.of_kind(ContainerKind.INIT))
    found = (
        _left(need, room, _use(need.resource, cell, node_class.devices[need.resource], replicas, inits))
        for need in greedy
        for cell, room in zip(node_class.cells, cells, strict=True)
    )
    return max((one for one in found if one is not None), key=lambda one: one.idle, default=None)


def _needs(facts: PodFacts, node_class: NodeClass, accelerators: Mapping[str, Mapping[str, int]]) -> Iterator[_Need]:
    total = demand.aggregate((one.kind, one.requests) for one in facts.containers)
    pinned = demand.aggregate(
        (one.kind, {CPU: cpu}) for one in facts.containers if (cpu := amount(one.requests, CPU)).is_whole
    )
    memory = amount(total, MEMORY).value if node_class.kubelet.memory_manager_policy == "Static" else 0
    step = node_class.threads_per_core if node_class.kubelet.full_pcpus_only else 1
    for resource in sorted({name for counts in accelerators.values() for name in counts}):
        own = amount(total, resource).value
        if own > 0:  # not where a request of 0 stands beside a limit, which the API server refuses
            yield _Need(resource, own, amount(pinned, CPU).value, memory, step)


def _exceeds_share(need: _Need, cell: CellRoom) -> bool:
    devices, own = cell.devices.get(need.resource, 0), need.accelerators
    return need.cpus * devices > cell.cpus * own or need.memory * devices > cell.memory * own


def _use(
    resource: str, cell: Cell, devices: tuple[Device, ...], replicas: tuple[Admission, ...], inits: frozenset[str]
) -> _Use:
    """Add up what the replicas hold; of init containers only CPUs, which the kubelet does not give back."""
    local, cpus, memory, held = {one.id for one in devices if one.numa == (cell.id,)}, 0, 0, []
    for replica in replicas:
        names = {name for placed in replica.placements for name in placed.devices.get(resource, ())}
        held += [names & local] if names & local else []
        for placed in replica.placements:
            cpus |= placed.cpus & cell.cpus
            blocks = () if placed.container in inits else placed.memory
            memory += sum(block.size for block in blocks if block.type == MEMORY and block.cells == (cell.id,))
    return _Use(len(held), sum(map(len, held)), cpus.bit_count(), memory)


def _left(need: _Need, room: CellRoom, use: _Use) -> Stranded | None:
    """Tell for how many of the free accelerators CPUs or memory are too scarce."""
    devices = room.devices.get(need.resource, 0)
    if not use.replicas:
        return None
    cpus, memory, idle = room.cpus - use.cpus, room.memory - use.memory, devices - use.devices
    by_cpus = _enough_for(cpus, room.cpus // devices, need.cpus, need.accelerators)
    by_memory = _enough_for(memory, room.memory // devices, need.memory, need.accelerators)
    if idle <= min(by_cpus, by_memory):
        return None
    if by_cpus <= by_memory:
        share = room.cpus * need.accelerators // devices // need.step * need.step
        return Stranded(need.resource, idle, devices, use.replicas, CPU, cpus, room.cpus, share)
    share = room.memory * need.accelerators // devices
    return Stranded(need.resource, idle, devices, use.replicas, MEMORY, memory, room.memory, share)


def _enough_for(left: int, share: int, own: int, accelerators: int) -> int:
    """Answer for how many accelerators `left` is enough, each with half its share or half what the pod uses for one."""
    each = min(share, own // accelerators)
    return 2 * left // each if each > 0 else _MANY
