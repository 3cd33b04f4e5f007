"""What one NUMA node of a class can give, and what of a pod exceeds it: the words for a misfit.

The verdict itself comes from the simulation (see `fit`); here its plain causes are named with their numbers.
"""

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass

from webhook.domain.kubelet.admit import CellRoom
from webhook.domain.kubelet.admit import cell_allocatable
from webhook.domain.pod import Container
from webhook.domain.pod import PodFacts
from webhook.domain.pointer import Path
from webhook.domain.quantity import Quantity
from webhook.domain.resources import CPU
from webhook.domain.resources import HUGEPAGES_PREFIX
from webhook.domain.resources import MEMORY
from webhook.domain.topology import NodeClass


@dataclass(frozen=True, slots=True)
class Excess:
    """One value that exceeds what `numa_nodes` NUMA nodes of a class can give."""

    resource: str
    container: str
    path: Path
    actual: str
    wanted: str
    message: str


def excesses(facts: PodFacts, node_class: NodeClass, numa_nodes: int) -> tuple[Excess, ...]:
    """Name each container value that no set of `numa_nodes` NUMA nodes can give: devices first, then CPU, memory."""
    cells = cell_allocatable(node_class)
    found = [
        excess for container in facts.containers for excess in _of_container(container, node_class, cells, numa_nodes)
    ]
    return tuple(sorted(found, key=_gravity))


def most(cells: tuple[CellRoom, ...], resource: str, numa_nodes: int = 1) -> int:
    """Answer what the roomiest `numa_nodes` NUMA nodes can give of a resource: units, CPUs or bytes."""
    return sum(sorted((_of_cell(cell, resource) for cell in cells), reverse=True)[:numa_nodes])


def _of_container(
    container: Container, node_class: NodeClass, cells: tuple[CellRoom, ...], numa_nodes: int
) -> Iterator[Excess]:
    for resource, quantity in container.requests.items():
        if resource not in node_class.devices and resource not in {CPU, MEMORY} and not _is_hugepage(resource):
            continue
        limit = most(cells, resource, numa_nodes)
        if quantity.value <= limit:
            continue
        side = "limits" if resource in container.limits else "requests"
        largest = _text(resource, limit)
        nodes = "one NUMA node" if numa_nodes == 1 else f"{numa_nodes} NUMA nodes"
        native = resource in {CPU, MEMORY} or _is_hugepage(resource)
        subject = f"{resource} {quantity} never fits" if native else f"{quantity} {resource} never fit"
        yield Excess(
            resource=resource,
            container=container.name,
            path=(*container.path, "resources", side, resource),
            actual=str(quantity),
            wanted=f"at most {largest}",
            message=f"{subject} {nodes} of {node_class.name} ({_text(resource, most(cells, resource))} per NUMA node)",
        )


def _gravity(excess: Excess) -> tuple[int, Path]:
    order: Mapping[str, int] = {CPU: 1, MEMORY: 2}
    return 3 if _is_hugepage(excess.resource) else order.get(excess.resource, 0), tuple(map(str, excess.path))


def _is_hugepage(resource: str) -> bool:
    return resource.startswith(HUGEPAGES_PREFIX)


def _of_cell(cell: CellRoom, resource: str) -> int:
    if resource == CPU:
        return cell.cpus
    if resource == MEMORY:
        return cell.memory
    if _is_hugepage(resource):
        return cell.hugepages.get(resource.removeprefix(HUGEPAGES_PREFIX), 0)
    return cell.devices.get(resource, 0)


def _text(resource: str, value: int) -> str:
    if resource == MEMORY or _is_hugepage(resource):
        return str(Quantity.of_bytes(value))
    return str(value)
