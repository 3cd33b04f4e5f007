"""Draws a machine as a value: sockets, NUMA nodes, and who has each CPU, device and share of the memory.

Renderers turn the value into text, HTML or JSON. An owner is the position of a container in the placements.
"""

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from webhook.domain.kubelet.admit import Admission
from webhook.domain.kubelet.admit import Placement
from webhook.domain.kubelet.admit import startup_error
from webhook.domain.kubelet.machine import derive
from webhook.domain.kubelet.memory_table import hugepage_bytes
from webhook.domain.resources import MEMORY
from webhook.domain.topology import Cell
from webhook.domain.topology import Device
from webhook.domain.topology import NodeClass

MOST_IDLE: Final = 8
"""On a machine with more NUMA nodes than this, those that nothing was placed on are told in one line.

So are those without CPUs and devices on any machine.
"""


class State(Enum):
    """What became of a CPU, a device or some memory."""

    FREE = "free"
    TAKEN = "taken"
    RESERVED = "reserved"
    UNHEALTHY = "unhealthy"


@dataclass(frozen=True, slots=True)
class Mark:
    """One CPU or device by its id; `owner` is set where it is taken."""

    id: str
    state: State
    owner: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """Some bytes of a NUMA node's memory."""

    size: int
    state: State
    owner: int | None = None


@dataclass(frozen=True, slots=True)
class Bar:
    """Memory, or huge pages of one size, of a NUMA node: `parts` add up to `size` bytes, empty ones left out."""

    resource: str
    size: int
    parts: tuple[Part, ...]

    def of(self, state: State) -> int:
        """Answer how many bytes are in that state."""
        return sum(part.size for part in self.parts if part.state is state)


@dataclass(frozen=True, slots=True)
class CellDrawing:
    """One NUMA node: its cores with their CPUs, its memory, and its devices by resource."""

    id: int
    cores: tuple[tuple[Mark, ...], ...]
    bars: tuple[Bar, ...]
    devices: Mapping[str, tuple[Mark, ...]]

    @property
    def cpus(self) -> Iterator[Mark]:
        """The CPUs, core by core."""
        return (cpu for core in self.cores for cpu in core)

    @property
    def bare(self) -> bool:
        """Whether it has neither CPUs nor devices of its own."""
        return not self.cores and not self.devices

    @property
    def idle(self) -> bool:
        """Whether nothing was placed here."""
        owners = [mark.owner for marks in (tuple(self.cpus), *self.devices.values()) for mark in marks]
        owners += [part.owner for bar in self.bars for part in bar.parts]
        return all(owner is None for owner in owners)


@dataclass(frozen=True, slots=True)
class Socket:
    """NUMA nodes that share a socket; `name` is empty for those without CPUs."""

    name: str
    cells: tuple[CellDrawing, ...]


@dataclass(frozen=True, slots=True)
class Fold:
    """NUMA nodes that are not drawn, because nothing was placed on them and all are like `sample`."""

    cells: tuple[int, ...]
    sample: CellDrawing


@dataclass(frozen=True, slots=True)
class MachineDrawing:
    """A machine with the placement in it; `loose` holds devices by resource that are not on exactly one NUMA node."""

    sockets: tuple[Socket, ...]
    folds: tuple[Fold, ...]
    loose: Mapping[str, tuple[Mark, ...]]


def draw(node_class: NodeClass, admission: Admission | None = None) -> MachineDrawing:
    """Draw a node of the class with the pod that was admitted to it, or empty.

    What an init container leaves to a later one is drawn as the later one's.
    """
    placements = admission.placements if admission is not None else ()
    cpus = {cpu: index for index, one in enumerate(placements) for cpu in _bits(one.cpus | _pool(one))}
    reserved = _reserved(node_class)
    devices = _devices(node_class, placements)
    memory = _memory(node_class, placements)
    cells = []
    for cell in node_class.cells:
        cores = tuple(tuple(_cpu(thread, cpus, reserved) for thread in core.threads) for core in cell.cores)
        here = {resource: marks for (resource, home), marks in devices.items() if home == cell.id}
        cells.append(CellDrawing(cell.id, cores, tuple(memory[cell.id]), here))
    shown, folds = _fold(cells)
    loose = {resource: marks for (resource, home), marks in devices.items() if home is None}
    return MachineDrawing(tuple(_sockets(node_class, shown)), folds, loose)


def _pool(placement: Placement) -> int:
    return placement.pool.cpus if placement.pool is not None else 0


def _bits(bits: int) -> Iterator[int]:
    return (position for position in range(bits.bit_length()) if bits >> position & 1)


def _reserved(node_class: NodeClass) -> int:
    """Answer the CPUs that no pod gets, also where they are reserved by size and the CPU manager has chosen them."""
    if node_class.reserved_cpus or startup_error(node_class) is not None:
        return node_class.reserved_cpus
    return derive(node_class).reserved_cpus


def _cpu(cpu: int, owners: Mapping[int, int], reserved: int) -> Mark:
    if cpu in owners:
        return Mark(str(cpu), State.TAKEN, owners[cpu])
    return Mark(str(cpu), State.RESERVED if reserved >> cpu & 1 else State.FREE)


def _devices(
    node_class: NodeClass, placements: Sequence[Placement]
) -> Mapping[tuple[str, int | None], tuple[Mark, ...]]:
    """Answer the devices by resource and NUMA node, None where a device is not on exactly one."""
    owners = {
        (resource, device): index
        for index, one in enumerate(placements)
        for resource, devices in one.devices.items()
        for device in devices
    }
    known = {cell.id for cell in node_class.cells}
    found: dict[tuple[str, int | None], list[Mark]] = {}
    for resource, devices in node_class.devices.items():
        for device in devices:
            home = device.numa[0] if device.numa and len(device.numa) == 1 and device.numa[0] in known else None
            found.setdefault((resource, home), []).append(_device(device, owners.get((resource, device.id))))
    return {place: tuple(marks) for place, marks in found.items()}


def _device(device: Device, owner: int | None) -> Mark:
    if owner is not None:
        return Mark(device.id, State.TAKEN, owner)
    return Mark(device.id, State.FREE if device.healthy else State.UNHEALTHY)


def _memory(node_class: NodeClass, placements: Sequence[Placement]) -> Mapping[int, list[Bar]]:
    """Fill the NUMA nodes of each block in their order, as the memory manager does."""
    room = {cell.id: _rows(cell) for cell in node_class.cells}
    taken: dict[int, list[tuple[str, Part]]] = {cell.id: [] for cell in node_class.cells}
    for cell_id, reserved in node_class.kubelet.reserved_memory.items():
        for resource, size in reserved.items():
            _take(room, taken, (cell_id,), resource, Part(size, State.RESERVED))
    sharing = [index for index, one in enumerate(placements) if one.pool is not None]
    for index, one in enumerate(placements):
        # What several containers share is drawn once: as the last one's.
        shared = one.pool.memory if one.pool is not None and index == sharing[-1] else ()
        for block in (*one.memory, *shared):
            _take(room, taken, block.cells, block.type, Part(block.size, State.TAKEN, index))
    return {cell.id: list(_bars(_rows(cell), room[cell.id], taken[cell.id])) for cell in node_class.cells}


def _rows(cell: Cell) -> dict[str, int]:
    pages = hugepage_bytes(cell)
    return {MEMORY: max(0, cell.memory - sum(pages.values())), **pages}


def _take(
    room: Mapping[int, dict[str, int]],
    taken: Mapping[int, list[tuple[str, Part]]],
    cells: Iterable[int],
    resource: str,
    wanted: Part,
) -> None:
    rest = wanted.size
    for cell in cells:
        size = min(rest, room.get(cell, {}).get(resource, 0))
        if size > 0:
            room[cell][resource] -= size
            taken[cell].append((resource, Part(size, wanted.state, wanted.owner)))
            rest -= size


def _bars(sizes: Mapping[str, int], room: Mapping[str, int], taken: Sequence[tuple[str, Part]]) -> Iterator[Bar]:
    for resource, size in sizes.items():
        parts = [part for name, part in taken if name == resource and part.state is State.TAKEN]
        parts.append(Part(room[resource], State.FREE))
        parts += [part for name, part in taken if name == resource and part.state is State.RESERVED]
        yield Bar(resource, size, tuple(part for part in parts if part.size))


def _fold(cells: Sequence[CellDrawing]) -> tuple[list[CellDrawing], tuple[Fold, ...]]:
    """Keep what something was placed on, and the rest while it is little; where all is idle, one of each shape."""
    many = sum(not cell.bare for cell in cells) > MOST_IDLE
    idle = all(cell.idle for cell in cells)
    shown: list[CellDrawing] = []
    folded: dict[object, list[CellDrawing]] = {}
    for cell in cells:
        shape = _shape(cell)
        sample = idle and many and not cell.bare and shape not in folded
        if sample:
            folded[shape] = []
        if sample or not cell.idle or not (many or cell.bare):
            shown.append(cell)
        else:
            folded.setdefault(shape, []).append(cell)
    return shown, tuple(Fold(tuple(cell.id for cell in same), same[0]) for same in folded.values() if same)


def _shape(cell: CellDrawing) -> object:
    cpus = tuple(sum(cpu.state is state for cpu in cell.cpus) for state in State)
    devices = tuple((name, tuple(mark.state for mark in marks)) for name, marks in cell.devices.items())
    return len(cell.cores), cpus, cell.bars, devices


def _sockets(node_class: NodeClass, shown: Sequence[CellDrawing]) -> Iterator[Socket]:
    names = {cell.id: _socket_name(cell) for cell in node_class.cells}
    for name in dict.fromkeys(names[cell.id] for cell in shown):
        yield Socket(name, tuple(cell for cell in shown if names[cell.id] == name))


def _socket_name(cell: Cell) -> str:
    sockets = sorted({core.socket for core in cell.cores})
    if not sockets:
        return ""
    return f"socket{'s' if len(sockets) > 1 else ''} {', '.join(map(str, sockets))}"
