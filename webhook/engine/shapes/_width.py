"""Arithmetic for the kinds that use several NUMA nodes: how many hold the pod, and values that need just as many."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from webhook.domain import keys
from webhook.domain.kubelet.admit import CellRoom
from webhook.domain.kubelet.admit import cell_allocatable
from webhook.domain.pod import Container
from webhook.domain.pod import ContainerKind
from webhook.domain.quantity import Quantity
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY
from webhook.domain.resources import amount
from webhook.domain.topology import NodeClass
from webhook.engine.shapes import _cells
from webhook.engine.suggestion import Change
from webhook.engine.suggestion import Misfit
from webhook.engine.suggestion import change


def numbers(misfit: Misfit, node_class: NodeClass) -> tuple[int, ...]:
    """Answer the numbers of NUMA nodes to try: the one that the pod declares, then the one its devices need.

    Only where the accelerators divide by it: anything else is no even split.
    """
    declared = (misfit.numa_nodes,) if misfit.numa_nodes > 1 else ()
    tried = dict.fromkeys((*declared, _needed(misfit, node_class)))
    totals: Counter[str] = Counter()
    for counts in misfit.accelerators.values():
        totals.update(counts)
    within = (number for number in tried if 1 < number <= len(node_class.cells))
    return tuple(number for number in within if all(total % number == 0 for total in totals.values()))


def _needed(misfit: Misfit, node_class: NodeClass) -> int:
    """Answer the fewest NUMA nodes that hold the devices; more than there are where none do."""
    cells, most = cell_allocatable(node_class), 1
    for name, count in _cells.devices_needed(misfit.facts, node_class).items():
        rooms = sorted((cell.devices.get(name, 0) for cell in cells), reverse=True)
        if any(rooms):
            enough = (number for number in range(1, len(cells) + 1) if sum(rooms[:number]) >= count)
            most = max(most, next(enough, len(cells) + 1))
    return most


def is_declared(misfit: Misfit, numa_nodes: int) -> bool:
    """Tell whether the pod carries the annotation with this number."""
    return keys.NUMA_NODES in misfit.facts.annotations and misfit.numa_nodes == numa_nodes


def annotation(numa_nodes: int) -> str:
    """Write the opt-in as it stands in a manifest."""
    return f'{keys.NUMA_NODES}: "{numa_nodes}"'


def is_wide(misfit: Misfit, node_class: NodeClass, numa_nodes: int) -> bool:
    """Tell whether CPUs and memory need just so many NUMA nodes as they are: else a restricted kubelet refuses.

    Measured for a pod with one main container and no init container; of others it is not known, and they are tried.
    """
    main, cells = _only_main(misfit), _chosen_cells(misfit, node_class, numa_nodes)
    if main is None or any(True for _ in misfit.facts.of_kind(ContainerKind.INIT)):
        return True
    cpus, memory = _cpu_window(misfit, main, node_class, cells), _memory_window(misfit, main, node_class, cells)
    return cpus.holds(_cells.pinned(main)) and memory.holds(amount(main.requests, MEMORY).value)


def widened(misfit: Misfit, node_class: NodeClass, numa_nodes: int) -> Iterator[tuple[Change, ...]]:
    """Propose CPU and memory of the only main container that need `numa_nodes` NUMA nodes and divide evenly by it.

    First the nearest number of CPUs, then all that the NUMA nodes have: without distribute-cpus-across-numa the kubelet
    packs CPUs, and only whole NUMA nodes are an even split. What nobody chose becomes all that there is.
    """
    main, cells = _only_main(misfit), _chosen_cells(misfit, node_class, numa_nodes)
    if main is None:
        return
    cpu_window, memory_window = (of(misfit, main, node_class, cells) for of in (_cpu_window, _memory_window))
    size = amount(main.requests, MEMORY).value if misfit.is_chosen(main, MEMORY) else memory_window.high
    memory, most = memory_window.nearest(size), cpu_window.nearest(cpu_window.high)
    nearest = cpu_window.nearest(_cells.pinned(main)) if misfit.is_chosen(main, CPU) else most
    for cpus in dict.fromkeys((nearest, most)):
        new = {CPU: Quantity.of_count(cpus), MEMORY: Quantity.of_bytes(memory)}
        edits = tuple(change(main, name, new[name]) for name in new if new[name] != amount(main.requests, name))
        if edits and cpus > 0 and memory > 0:
            yield edits


def cpus_added(edits: tuple[Change, ...]) -> int:
    """Answer how far the edits move a number of CPUs."""
    return sum(
        abs(Quantity.parse(one.new).value - Quantity.parse(one.old).value) for one in edits if one.resource == CPU
    )


@dataclass(frozen=True, slots=True)
class _Window:
    """The values that need a number of NUMA nodes, no fewer and no more, and the step that divides evenly over them.

    A value within the window that divides by `parts` needs no step.
    """

    low: int
    high: int
    step: int
    parts: int

    def holds(self, value: int) -> bool:
        return self.low <= value <= self.high

    def nearest(self, value: int) -> int:
        """Answer the nearest even value; 0 where there is none."""
        if self.holds(value) and value % self.parts == 0:
            return value
        first, last = max(self.step, -(-self.low // self.step) * self.step), self.high // self.step * self.step
        return 0 if first > last else min(max(-(-value // self.step) * self.step, first), last)


def _only_main(misfit: Misfit) -> Container | None:
    """Answer the container with accelerators, where it is one that stays and may be written to."""
    if misfit.facts.resources_set or len(misfit.mains) != 1 or misfit.mains[0].kind is ContainerKind.INIT:
        return None
    return misfit.mains[0]


def _chosen_cells(misfit: Misfit, node_class: NodeClass, numa_nodes: int) -> tuple[CellRoom, ...]:
    """Answer the NUMA nodes with most of the pod's devices, then CPUs and memory."""
    needed = _cells.devices_needed(misfit.facts, node_class)

    def room(cell: CellRoom) -> tuple[int, int, int]:
        return sum(cell.devices.get(name, 0) for name in needed), cell.cpus, cell.memory

    return tuple(sorted(cell_allocatable(node_class), key=room, reverse=True)[:numa_nodes])


def _cpu_window(misfit: Misfit, main: Container, node_class: NodeClass, cells: tuple[CellRoom, ...]) -> _Window:
    """Measure the CPUs: a narrower width is counted with the reserved ones, as the kubelet does."""
    totals = sorted((cell.cpus.bit_count() for cell in node_class.cells), reverse=True)
    others = _others(misfit, main, CPU) if _cells.in_pod_scope(node_class) else 0
    step = len(cells) * misfit.cpu_step
    return _Window(
        sum(totals[: len(cells) - 1]) + 1 - others, sum(cell.cpus for cell in cells) - others, step, parts=step
    )


def _memory_window(misfit: Misfit, main: Container, node_class: NodeClass, cells: tuple[CellRoom, ...]) -> _Window:
    """Measure the memory; it has no width where the memory manager does not pin it."""
    rooms = sorted((cell.memory for cell in cell_allocatable(node_class)), reverse=True)
    others = _others(misfit, main, MEMORY) if _cells.in_pod_scope(node_class) else 0
    is_pinned = node_class.kubelet.memory_manager_policy == "Static"
    low = sum(rooms[: len(cells) - 1]) + 1 - others if is_pinned else 1
    high = sum(cell.memory for cell in cells) - others
    return _Window(low, high, len(cells) * (_cells.GIBI if is_pinned else _cells.MEBI), parts=len(cells))


def _others(misfit: Misfit, main: Container, resource: str) -> int:
    """Sum what runs beside the main container."""
    beside = (one for one in misfit.facts.containers if one is not main and one.kind is not ContainerKind.INIT)
    return sum(_cells.pinned(one) if resource == CPU else amount(one.requests, resource).value for one in beside)
