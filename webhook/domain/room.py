"""What one NUMA node of a class can give, and what of a pod exceeds it: the words for a misfit.

The verdict itself comes from the simulation (see `fit`); here its plain causes are named with their numbers.
"""

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace

from webhook.domain import demand
from webhook.domain.kubelet.admit import CellRoom
from webhook.domain.kubelet.admit import cell_allocatable
from webhook.domain.pod import Container
from webhook.domain.pod import PodFacts
from webhook.domain.pointer import Path
from webhook.domain.quantity import Quantity
from webhook.domain.resources import COMPUTE
from webhook.domain.resources import CPU
from webhook.domain.resources import HUGEPAGES_PREFIX
from webhook.domain.resources import MEMORY
from webhook.domain.resources import ResourceList
from webhook.domain.resources import is_pod_level
from webhook.domain.topology import NodeClass


@dataclass(frozen=True, slots=True)
class Excess:
    """One value that exceeds what `numa_nodes` NUMA nodes of a class can give."""

    resource: str
    container: str | None
    path: Path
    actual: str
    wanted: str
    message: str


def excesses(facts: PodFacts, node_class: NodeClass, numa_nodes: int) -> tuple[Excess, ...]:
    """Name each value that no set of `numa_nodes` NUMA nodes can give: devices first, then CPU, memory, huge pages.

    Container by container; where each would fit and the kubelet aligns the pod as a whole, the pod's effective request.
    """
    scale = _Scale(node_class, cell_allocatable(node_class), numa_nodes)
    if facts.resources_set and node_class.kubelet.pins_pods_whole:
        return tuple(sorted(_of_whole(facts, scale), key=_gravity))
    found = [excess for container in facts.containers for excess in _of_container(container, scale)]
    if not found and node_class.kubelet.topology_manager_scope == "pod":
        total = demand.aggregate((container.kind, container.requests) for container in facts.containers)
        found = list(_exceeding(total, scale, container=None, path=("spec", "containers")))
    return tuple(sorted(found, key=_gravity))


def most(cells: tuple[CellRoom, ...], resource: str, numa_nodes: int = 1) -> int:
    """Answer what the roomiest `numa_nodes` NUMA nodes can give of a resource: units, CPUs or bytes."""
    return sum(sorted((_of_cell(cell, resource) for cell in cells), reverse=True)[:numa_nodes])


@dataclass(frozen=True, slots=True)
class _Scale:
    """What is compared with: the class, what its NUMA nodes can give, and how many of them may be used."""

    node_class: NodeClass
    cells: tuple[CellRoom, ...]
    numa_nodes: int


def _of_container(container: Container, scale: _Scale) -> Iterator[Excess]:
    for excess in _exceeding(container.requests, scale, container=container.name, path=container.path):
        side = "limits" if excess.resource in container.limits else "requests"
        yield replace(excess, path=(*container.path, "resources", side, excess.resource))


def _of_whole(facts: PodFacts, scale: _Scale) -> Iterator[Excess]:
    """Compare spec.resources, which hold for the pod as one, and the devices of its containers together."""
    total = demand.aggregate((container.kind, container.requests) for container in facts.containers)
    devices = {name: quantity for name, quantity in total.items() if not is_pod_level(name)}
    yield from _exceeding(devices, scale, container=None, path=("spec", "containers"))
    for excess in _exceeding(facts.pod_requests, scale, container=None, path=()):
        side = "limits" if excess.resource in facts.pod_limits else "requests"
        yield replace(excess, path=("spec", "resources", side, excess.resource))


def _exceeding(requests: ResourceList, scale: _Scale, *, container: str | None, path: Path) -> Iterator[Excess]:
    for resource, quantity in requests.items():
        counted = resource in scale.node_class.devices or resource in COMPUTE or _is_hugepage(resource)
        limit = most(scale.cells, resource, scale.numa_nodes)
        if not counted or quantity.value <= limit:
            continue
        nodes = "one NUMA node" if scale.numa_nodes == 1 else f"{scale.numa_nodes} NUMA nodes"
        native = resource in COMPUTE or _is_hugepage(resource)
        subject = f"{resource} {quantity} never fits" if native else f"{quantity} {resource} never fit"
        together = "" if container else " together"
        yield Excess(
            resource=resource,
            container=container,
            path=path,
            actual=str(quantity),
            wanted=f"at most {_text(resource, limit)}{together}",
            message=f"{subject}{together} {nodes} of {scale.node_class.name} "
            f"({_text(resource, most(scale.cells, resource))} per NUMA node)",
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
