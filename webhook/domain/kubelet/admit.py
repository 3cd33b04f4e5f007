"""What a node of a class answers to a pod: the door of the kubelet simulation.

Feature gate PodLevelResourceManagers off: with spec.resources set nothing but devices is aligned.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from webhook.domain.kubelet import bitmask
from webhook.domain.kubelet import predicates
from webhook.domain.kubelet.hints import Affinity
from webhook.domain.kubelet.machine import Machine
from webhook.domain.kubelet.machine import derive
from webhook.domain.kubelet.memory_table import hugepage_bytes
from webhook.domain.kubelet.node import NodeState
from webhook.domain.kubelet.options import StartupError
from webhook.domain.kubelet.refusal import DOES_NOT_START
from webhook.domain.kubelet.refusal import STARTUP
from webhook.domain.kubelet.refusal import RefusedError
from webhook.domain.kubelet.startup import startup_error
from webhook.domain.pod import PodFacts
from webhook.domain.quantity import Quantity
from webhook.domain.resources import HUGEPAGES_PREFIX
from webhook.domain.resources import MEMORY
from webhook.domain.topology import Cell
from webhook.domain.topology import NodeClass

__all__ = [
    "Admission",
    "CellRoom",
    "MemoryBlock",
    "Node",
    "Placement",
    "StartupError",
    "admit_on_empty",
    "cell_allocatable",
    "node_allocatable",
    "startup_error",
]

_CACHED_CLASSES: Final = 1024


@dataclass(frozen=True, slots=True)
class MemoryBlock:
    """Bytes of memory or huge pages (`type` as a resource name) pinned to `cells`."""

    type: str
    cells: tuple[int, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a container landed.

    `cpus` are its exclusive CPUs as a bit set, 0 for the shared pool; `memory` is empty where it is not pinned.
    `device_cells` are the NUMA nodes of those devices that belong to exactly one. `hint` is the stored affinity, as
    "01/true": mask in binary, lowest NUMA node right, or nil, and whether it was preferred.
    """

    container: str
    cpus: int
    cpu_cells: tuple[int, ...]
    memory: tuple[MemoryBlock, ...]
    devices: Mapping[str, tuple[str, ...]]
    device_cells: tuple[int, ...]
    hint: str


@dataclass(frozen=True, slots=True)
class Admission:
    """The kubelet's answer; `handler`, `reason` and `message` are None for an admitted pod.

    Handlers: topology-manager and scheduler-fit are the kubelet's; panic, startup and simulation say that no handler
    of a real kubelet would answer.
    """

    admitted: bool
    handler: str | None
    reason: str | None
    message: str | None
    placements: tuple[Placement, ...]


@dataclass(frozen=True, slots=True)
class CellRoom:
    """What one NUMA node has for pods: CPUs and healthy devices by count, memory and huge pages in bytes.

    `hugepages` goes by page size ("2Mi"). A device that belongs to several NUMA nodes counts for none of them.
    """

    id: int
    cpus: int
    memory: int
    hugepages: Mapping[str, int]
    devices: Mapping[str, int]


class Node:
    """A node that pods arrive at, one after the other; admitted ones stay, refused ones leave nothing."""

    def __init__(self, node_class: NodeClass, *, skip_predicates: bool = False) -> None:
        """Start an empty node of the class, without its scheduler-fit handler if `skip_predicates`.

        Raises:
            StartupError: the kubelet does not start; `startup_error` tells without raising.
        """
        machine = _machine(node_class)
        if isinstance(machine, str):
            raise StartupError(machine)
        self._node_class = node_class
        self._machine = machine
        self._state = NodeState(machine, skip_predicates=skip_predicates)

    def admit(self, pod: PodFacts) -> Admission:
        """Admit the pod or refuse it, as the node stands now."""
        try:
            affinities = self._state.admit(pod)
        except RefusedError as refusal:
            return _refused(refusal.handler, refusal.reason, refusal.message)
        placements = tuple(self._placement(container.name, affinities) for container in pod.containers)
        return Admission(admitted=True, handler=None, reason=None, message=None, placements=placements)

    def _placement(self, container: str, affinities: Mapping[str, Affinity]) -> Placement:
        state = self._state
        cpus = state.cpus.assigned.get(container, 0) if state.cpus else 0
        blocks = state.memory.blocks.get(container, []) if state.memory else []
        devices = state.devices.owned.get(container, {})
        return Placement(
            container=container,
            cpus=cpus,
            cpu_cells=self._machine.cpus.cells_of(cpus),
            memory=tuple(MemoryBlock(b.resource, tuple(bitmask.members(b.mask)), b.size) for b in blocks),
            devices=devices,
            device_cells=self._device_cells(devices),
            hint=_hint(affinities[container]),
        )

    def _device_cells(self, devices: Mapping[str, tuple[str, ...]]) -> tuple[int, ...]:
        found = 0
        for resource, names in devices.items():
            masks = self._machine.devices[resource].masks
            for mask in (masks[name] for name in names):
                found |= mask if mask is not None and mask.bit_count() == 1 else 0
        return tuple(bitmask.members(found))


def admit_on_empty(pod: PodFacts, node_class: NodeClass) -> Admission:
    """Ask an empty node of the class; one whose kubelet does not start refuses every pod."""
    try:
        node = Node(node_class)
    except StartupError as error:
        return _refused(STARTUP, DOES_NOT_START, str(error))
    return node.admit(pod)


def cell_allocatable(node_class: NodeClass) -> tuple[CellRoom, ...]:
    """Answer what each NUMA node has for pods, reserved CPUs and memory left out.

    CPUs reserved by size are counted where the static CPU manager puts them.
    """
    machine = _machine(node_class)
    reserved = node_class.reserved_cpus if isinstance(machine, str) else machine.reserved_cpus
    return tuple(_room(cell, node_class, reserved) for cell in node_class.cells)


def node_allocatable(node_class: NodeClass) -> Mapping[str, Quantity]:
    """Answer what a whole node has for pods, as its status says and the scheduler counts."""
    return predicates.as_quantities(predicates.allocatable(node_class))


@lru_cache(maxsize=_CACHED_CLASSES)
def _machine(node_class: NodeClass) -> Machine | str:
    """Derive the machine, or the message of a kubelet that does not start."""
    return startup_error(node_class) or derive(node_class)


def _refused(handler: str, reason: str, message: str) -> Admission:
    return Admission(admitted=False, handler=handler, reason=reason, message=message, placements=())


def _hint(affinity: Affinity) -> str:
    mask = "nil" if affinity.mask is None else bitmask.text(affinity.mask)
    return f"{mask}/{str(affinity.preferred).lower()}"


def _room(cell: Cell, node_class: NodeClass, reserved_cpus: int) -> CellRoom:
    reserved = node_class.kubelet.reserved_memory.get(cell.id, {})
    pages = hugepage_bytes(cell)
    return CellRoom(
        id=cell.id,
        cpus=(cell.cpus & ~reserved_cpus).bit_count(),
        memory=max(0, cell.memory - sum(pages.values()) - reserved.get(MEMORY, 0)),
        hugepages={
            name.removeprefix(HUGEPAGES_PREFIX): max(0, size - reserved.get(name, 0)) for name, size in pages.items()
        },
        devices={
            resource: sum(1 for device in devices if device.healthy and device.numa == (cell.id,))
            for resource, devices in node_class.devices.items()
        },
    )
