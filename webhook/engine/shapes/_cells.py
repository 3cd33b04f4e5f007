"""Arithmetic for the kinds: what one NUMA node can give a pod, and how to bring CPU and memory down to that."""

from collections.abc import Iterable
from dataclasses import dataclass

from webhook.domain import demand
from webhook.domain.kubelet.admit import CellRoom
from webhook.domain.kubelet.admit import cell_allocatable
from webhook.domain.kubelet.admit import node_allocatable
from webhook.domain.pod import Container
from webhook.domain.pod import ContainerKind
from webhook.domain.pod import PodFacts
from webhook.domain.quantity import Quantity
from webhook.domain.resources import CPU
from webhook.domain.resources import HUGEPAGES_PREFIX
from webhook.domain.resources import MEMORY
from webhook.domain.resources import amount
from webhook.domain.resources import below_whole
from webhook.domain.topology import NodeClass
from webhook.engine.suggestion import Accelerated
from webhook.engine.suggestion import Change
from webhook.engine.suggestion import Misfit
from webhook.engine.suggestion import change
from webhook.engine.suggestion import changed

MEBI = 1 << 20
GIBI = 1 << 30
_COARSE = 16 * GIBI
"""From here on memory is written in whole Gi, below in Mi."""
_MOST_CELLS = 2
"""NUMA nodes of different size that are tried; most machines have one or two sizes."""


def in_pod_scope(node_class: NodeClass) -> bool:
    """Whether the kubelet aligns the pod as a whole."""
    return node_class.kubelet.topology_manager_scope == "pod"


def pinned(container: Container) -> int:
    """Answer the exclusive CPUs that the container would get in a Guaranteed pod."""
    cpu = amount(container.requests, CPU)
    return cpu.value if cpu.is_whole else 0


def devices_needed(facts: PodFacts, node_class: NodeClass) -> dict[str, int]:
    """Answer how many devices must lie together, by resource: of the pod or of the greediest container."""
    resources = {name for one in facts.containers for name in one.requests if name in node_class.devices}
    if in_pod_scope(node_class):
        total = demand.aggregate((one.kind, one.requests) for one in facts.containers)
        return {name: amount(total, name).value for name in resources}
    return {name: max(amount(one.requests, name).value for one in facts.containers) for name in resources}


def roomy_cells(facts: PodFacts, node_class: NodeClass) -> tuple[CellRoom, ...]:
    """Answer the NUMA nodes that have the pod's devices, the ones with most CPUs and memory first, no two alike."""
    cells, needed = cell_allocatable(node_class), devices_needed(facts, node_class)
    local = {name: count for name, count in needed.items() if any(cell.devices.get(name) for cell in cells)}
    enough = [cell for cell in cells if all(cell.devices.get(name, 0) >= count for name, count in local.items())]
    unlike = {(cell.cpus, cell.memory): cell for cell in reversed(enough)}
    return tuple(unlike[key] for key in sorted(unlike, reverse=True))[:_MOST_CELLS]


def round_memory(size: int, parts: int = 1) -> Quantity:
    """Round down to what people write, divisible by `parts`: whole Gi of large sizes, else Mi."""
    unit = parts * (GIBI if size >= _COARSE * parts else MEBI)
    return Quantity.of_bytes(size // unit * unit)


def bring_down(
    misfit: Misfit, facts: PodFacts, node_class: NodeClass, cell: CellRoom, *, together: bool
) -> tuple[Change, ...] | None:
    """Answer the changes that bring CPU, memory and huge pages into `cell`; None where that takes all there is.

    With `together` the containers share the NUMA node, else each is measured alone. Parts of cores go on the way: a
    helper's stay in the shared pool, and take nothing from the others.
    """
    unpinned = _unpinned(misfit, facts)
    pod = changed(facts, unpinned)
    changes: list[Change] = []
    for resource in _native(pod.containers):
        scale = _scale(resource, pod, node_class, cell, misfit.cpu_step)
        values = [_value(container, resource) for container in pod.containers]
        lowered = _lowered(pod.containers, values, scale, misfit.accelerators, together=together)
        for container, old, new in zip(pod.containers, values, lowered, strict=True):
            if new < old or (resource == CPU and old % scale.unit):
                quantity = _quantity(resource, new, scale.unit)
                if quantity.is_zero:
                    return None
                changes.append(change(container, resource, quantity))
    written = {container.name: container for container in misfit.facts.containers}
    edits = (*changes, *unpinned)
    if facts is misfit.facts and not all(misfit.is_chosen(written[one.container], one.resource) for one in edits):
        return None
    return edits


def _unpinned(misfit: Misfit, facts: PodFacts) -> tuple[Change, ...]:
    """Take helpers with a part of a core out of those that pin CPUs."""
    helpers = (one for one in facts.containers if one.name not in misfit.accelerators)
    parts = (one for one in helpers if pinned(one) % misfit.cpu_step)
    return tuple(change(one, CPU, below_whole(amount(one.requests, CPU))) for one in parts)


@dataclass(frozen=True, slots=True)
class _Scale:
    """What the sum of one resource may reach, and the unit that values are written in."""

    most: int
    unit: int


def _scale(resource: str, facts: PodFacts, node_class: NodeClass, cell: CellRoom, cpu_step: int) -> _Scale:
    """Answer the room of the NUMA node, within what the whole node has beside overhead and what is not pinned."""
    node, overhead = amount(node_allocatable(node_class), resource), amount(facts.overhead, resource)
    if resource == CPU:
        shared = [(one.kind, {CPU: cpu}) for one in facts.containers if not (cpu := amount(one.requests, CPU)).is_whole]
        taken = amount(demand.aggregate(shared), CPU).milli + overhead.milli
        return _Scale(min(cell.cpus, (node.milli - taken) // 1000), cpu_step)
    whole = node.value - overhead.value
    is_pinned = node_class.kubelet.memory_manager_policy == "Static"
    if resource == MEMORY:
        return _Scale(min(cell.memory, whole) if is_pinned else whole, MEBI)
    size = resource.removeprefix(HUGEPAGES_PREFIX)
    if size not in cell.hugepages:
        return _Scale(0, 1)
    return _Scale(min(cell.hugepages[size], whole) if is_pinned else whole, Quantity.parse(size).value)


def _lowered(
    containers: tuple[Container, ...], values: list[int], scale: _Scale, accelerators: Accelerated, *, together: bool
) -> list[int]:
    """Lower what exceeds the scale: single values first, then init containers, then what runs at once."""
    lowered = [min(value, scale.most) for value in values]
    if not together:
        return lowered
    sidecars = 0
    for index, container in enumerate(containers):
        if container.kind is ContainerKind.INIT:
            lowered[index] = min(lowered[index], scale.most - sidecars)
        elif container.kind is ContainerKind.SIDECAR:
            sidecars += lowered[index]
    running = [index for index, container in enumerate(containers) if container.kind is not ContainerKind.INIT]
    over = sum(lowered[index] for index in running) - scale.most
    giving = [
        index
        for index in running
        if lowered[index] > 0 and (containers[index].name in accelerators or values[index] > scale.most)
    ]
    if over > 0 and giving:
        _take_off(lowered, giving, over)
    return lowered


def _take_off(values: list[int], giving: list[int], over: int) -> None:
    """Take `over` off the largest value, if that leaves it the largest and half of it, or most of it; else off all."""
    largest = max(giving, key=lambda index: (values[index], -index))
    left, others = values[largest] - over, [values[index] for index in giving if index != largest]
    if not others or left * 4 >= values[largest] * 3 or left >= max(*others, over):
        values[largest] = max(0, left)
        return
    total = sum(values[index] for index in giving)
    for index in giving:
        values[index] = max(0, values[index] * (total - over) // total)


def _native(containers: Iterable[Container]) -> list[str]:
    pages = {name for one in containers for name in one.requests if name.startswith(HUGEPAGES_PREFIX)}
    return [CPU, MEMORY, *sorted(pages)]


def _value(container: Container, resource: str) -> int:
    return pinned(container) if resource == CPU else amount(container.requests, resource).value


def _quantity(resource: str, value: int, unit: int) -> Quantity:
    if resource == CPU:
        return Quantity.of_count(value // unit * unit)
    return round_memory(value) if resource == MEMORY else Quantity.of_bytes(value // unit * unit)
