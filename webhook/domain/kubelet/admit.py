"""What a node of a class answers to a pod: the door of the kubelet simulation."""

from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace

from webhook.domain.kubelet import bitmask
from webhook.domain.kubelet import predicates
from webhook.domain.kubelet.hints import Affinity
from webhook.domain.kubelet.machine import Machine
from webhook.domain.kubelet.machine import derive
from webhook.domain.kubelet.memory_manager import Block
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
from webhook.domain.weakly import weakly

__all__ = [
    "Admission",
    "CellRoom",
    "Holding",
    "MemoryBlock",
    "Node",
    "Placement",
    "StartupError",
    "admit_on_empty",
    "cell_allocatable",
    "node_allocatable",
    "startup_error",
]


@dataclass(frozen=True, slots=True)
class MemoryBlock:
    """Bytes of memory or huge pages (`type` as a resource name) pinned to `cells`."""

    type: str
    cells: tuple[int, ...]
    size: int


@dataclass(frozen=True, slots=True)
class Holding:
    """CPUs as a bit set and pinned memory that belong to one pod, not to one of its containers alone."""

    cpus: int
    memory: tuple[MemoryBlock, ...]


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a container landed.

    `cpus` are its exclusive CPUs as a bit set, 0 for a shared pool; `memory` is empty where it is not pinned.
    `device_cells` are the NUMA nodes of those devices that belong to exactly one. `hint` is the stored affinity, as
    "01/true": mask in binary, lowest NUMA node right, or nil, and whether it was preferred. `pool` is what it shares
    with other containers of its pod, and with no other pod; None where there is nothing of the kind.
    """

    container: str
    cpus: int
    cpu_cells: tuple[int, ...]
    memory: tuple[MemoryBlock, ...]
    devices: Mapping[str, tuple[str, ...]]
    device_cells: tuple[int, ...]
    hint: str
    pool: Holding | None = None

    @property
    def pinned(self) -> bool:
        """Whether it runs on CPUs that no other pod may use."""
        return bool(self.cpus or (self.pool is not None and self.pool.cpus))

    @property
    def cells(self) -> tuple[int, ...]:
        """The NUMA nodes of all that it holds or shares within its pod."""
        shared = self.pool.memory if self.pool is not None else ()
        memory = (cell for block in (*self.memory, *shared) for cell in block.cells)
        return tuple(sorted({*self.cpu_cells, *self.device_cells, *memory}))


@dataclass(frozen=True, slots=True)
class Admission:
    """The kubelet's answer; `handler`, `reason` and `message` are None for an admitted pod.

    Handlers: topology-manager and scheduler-fit are the kubelet's; panic, container-start, startup and simulation say
    that no handler of a real kubelet would answer. `pod` is what a pod with spec.resources holds as a whole, in pod
    scope with the gate PodLevelResourceManagers on; its devices are handed out later than at admission.
    """

    admitted: bool
    handler: str | None
    reason: str | None
    message: str | None
    placements: tuple[Placement, ...]
    pod: Holding | None = None


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
        bubble = self._state.bubble
        whole = None if bubble is None else _shared(bubble.cpus, bubble.memory)
        return Admission(admitted=True, handler=None, reason=None, message=None, placements=placements, pod=whole)

    def start(self, pod: PodFacts, admission: Admission) -> Admission:
        """Start the containers of the pod that was admitted last, and answer where they are then.

        Only a pod with spec.resources in pod scope differs: its admission reserves no devices (see `pod_bubble`).
        """
        try:
            self._state.start(pod)
        except RefusedError as refusal:
            return _refused(refusal.handler, refusal.reason, refusal.message)
        return replace(admission, placements=tuple(map(self._with_devices, admission.placements)))

    def run(self, pod: PodFacts) -> Admission:
        """Admit the pod and start its containers before any other pod arrives."""
        admission = self.admit(pod)
        return self.start(pod, admission) if admission.admitted and pod.resources_set else admission

    def _with_devices(self, placement: Placement) -> Placement:
        devices = self._state.devices.owned.get(placement.container, {})
        return replace(placement, devices=devices, device_cells=self._device_cells(devices))

    def _placement(self, container: str, affinities: Mapping[str, Affinity]) -> Placement:
        own, pool = self._held(container)
        devices = self._state.devices.owned.get(container, {})
        return Placement(
            container=container,
            cpus=own.cpus,
            cpu_cells=self._machine.cpus.cells_of(own.cpus if pool is None else own.cpus | pool.cpus),
            memory=own.memory,
            devices=devices,
            device_cells=self._device_cells(devices),
            hint=_hint(affinities[container]),
            pool=pool,
        )

    def _held(self, container: str) -> tuple[Holding, Holding | None]:
        """Answer what is the container's own, and what it shares within its pod."""
        state = self._state
        bubble = state.bubble
        if bubble is None:
            cpus = state.cpus.assigned.get(container, 0) if state.cpus else 0
            blocks: Iterable[Block] = state.memory.blocks.get(container, ()) if state.memory else ()
            return Holding(cpus, _blocks(blocks)), None
        own = Holding(bubble.cpu_parts.own.get(container, 0), _blocks(bubble.memory_parts.own.get(container, ())))
        return own, _shared(bubble.cpu_parts.pool.get(container, 0), bubble.memory_parts.pool.get(container, ()))

    def _device_cells(self, devices: Mapping[str, tuple[str, ...]]) -> tuple[int, ...]:
        found = 0
        for resource, names in devices.items():
            masks = self._machine.devices[resource].masks
            for mask in (masks[name] for name in names):
                found |= mask if mask is not None and mask.bit_count() == 1 else 0
        return tuple(bitmask.members(found))


def admit_on_empty(pod: PodFacts, node_class: NodeClass) -> Admission:
    """Ask an empty node of the class, and start the pod; a node whose kubelet does not start refuses every pod."""
    try:
        node = Node(node_class)
    except StartupError as error:
        return _refused(STARTUP, DOES_NOT_START, str(error))
    return node.run(pod)


@weakly
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


@weakly
def _machine(node_class: NodeClass) -> Machine | str:
    """Derive the machine, or the message of a kubelet that does not start."""
    return startup_error(node_class) or derive(node_class)


def _shared(cpus: int, blocks: Iterable[Block]) -> Holding | None:
    memory = _blocks(blocks)
    return Holding(cpus, memory) if cpus or memory else None


def _blocks(blocks: Iterable[Block]) -> tuple[MemoryBlock, ...]:
    return tuple(MemoryBlock(block.resource, tuple(bitmask.members(block.mask)), block.size) for block in blocks)


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
