"""Whether a pod for several NUMA nodes divides evenly over them: the worst-placed rank sets the pace of all."""

from collections import Counter
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping

from webhook.domain.kubelet.admit import Placement
from webhook.domain.pod import PodFacts
from webhook.domain.resources import MEMORY
from webhook.domain.topology import NodeClass


def why_uneven(
    facts: PodFacts,
    node_class: NodeClass,
    placed: Collection[Placement],
    accelerators: Mapping[str, Mapping[str, int]],
    numa_nodes: int,
) -> str:
    """Say what does not divide evenly over the NUMA nodes: CPUs and accelerators as `placed`, memory by size.

    Each NUMA node with any of the CPUs or accelerators counts. One without the others is uneven, not left out.
    """
    counts = {"CPUs": _cpus(node_class, placed)}
    for resource in sorted({name for asked in accelerators.values() for name in asked}):
        counts[resource] = Counter(_homes(node_class, placed, resource))
    cells = sorted({cell for found in counts.values() for cell in found})
    for name, found in counts.items():
        numbers = [found[cell] for cell in cells]
        if any(numbers) and len(set(numbers)) > 1:
            return f"{name} per NUMA node are {', '.join(map(str, numbers))}"
    return next(_odd_memory(facts, placed, numa_nodes), "")


def _cpus(node_class: NodeClass, placed: Iterable[Placement]) -> Counter[int]:
    """Count exclusive CPUs by NUMA node, and once those that containers share within their pod."""
    taken = 0
    for placement in placed:
        taken |= placement.cpus | (placement.pool.cpus if placement.pool is not None else 0)
    found = {cell.id: (taken & cell.cpus).bit_count() for cell in node_class.cells}
    return Counter({cell: number for cell, number in found.items() if number})


def _homes(node_class: NodeClass, placed: Iterable[Placement], resource: str) -> Iterator[int]:
    """Yield the NUMA node of each placed device that lies on exactly one."""
    home = {device.id: device.numa for device in node_class.devices.get(resource, ())}
    for placement in placed:
        for identifier in placement.devices.get(resource, ()):
            numa = home[identifier]
            if numa is not None and len(numa) == 1:
                yield numa[0]


def _odd_memory(facts: PodFacts, placed: Iterable[Placement], numa_nodes: int) -> Iterator[str]:
    pools = {placement.container: placement.pool for placement in placed}
    shares = any(pool is not None and pool.cpus for pool in pools.values())
    whole = facts.pod_requests.get(MEMORY) if shares else None
    if whole is not None and whole.value % numa_nodes:
        yield f"memory {whole} of spec.resources does not divide by {numa_nodes}"
    for container in facts.containers:
        size = container.requests.get(MEMORY)
        own = container.name in pools and pools[container.name] is None
        if own and size is not None and size.value % numa_nodes:
            yield f"memory {size} of container {container.name} does not divide by {numa_nodes}"
