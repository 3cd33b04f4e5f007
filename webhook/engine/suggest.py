"""Says what would make a misfit fit; every suggestion is tried in the simulation before it is shown."""

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from webhook.domain import keys
from webhook.domain import room
from webhook.domain.fit import Cause
from webhook.domain.fit import ClassFit
from webhook.domain.fit import Fits
from webhook.domain.fit import fit
from webhook.domain.kubelet.admit import cell_allocatable
from webhook.domain.pod import PodFacts
from webhook.domain.quantity import Quantity
from webhook.domain.resources import CPU
from webhook.domain.resources import amount
from webhook.domain.resources import is_whole
from webhook.domain.topology import NodeClass

Accelerators = Mapping[str, Mapping[str, int]]
TEN_MILLI = Quantity.of_milli(10)
SINGLE = "single-numa-node"
MOST_CLASSES = 4
"""How many classes are tried as another kind of pool: a refusal should not cost more than a decision."""
_POOLS = (("restricted", ()), ("restricted", ("distribute-cpus-across-numa",)), ("best-effort", ()))
"""What a pool for several NUMA nodes may run, strictest first."""


def remedies(
    facts: PodFacts, accelerators: Accelerators, classes: tuple[NodeClass, ...], fits: tuple[ClassFit, ...]
) -> tuple[str, ...]:
    """Answer what to do about a pod that some eligible class refuses, best first; empty where none refuses."""
    if not any(one.fits is Fits.NO and one.cause is not Cause.UNPINNED for one in fits):
        return ()
    return (
        *_unpinned_helpers(facts, accelerators, classes),
        *_fewer_accelerators(accelerators, classes),
        *_more_numa_nodes(facts, accelerators, classes),
    )


def _unpinned_helpers(facts: PodFacts, accelerators: Accelerators, classes: tuple[NodeClass, ...]) -> Iterator[str]:
    """Suggest a helper CPU that is not whole, where the pod fits without the CPUs that its helpers pin."""
    whole = [
        container
        for container in facts.containers
        if container.name not in accelerators and is_whole(cpu := amount(container.requests, CPU)) and not cpu.is_zero
    ]
    if not whole:
        return
    freed = {container.name: {CPU: container.requests[CPU] - TEN_MILLI} for container in whole}
    containers = tuple(
        replace(
            container,
            requests={**container.requests, **freed.get(container.name, {})},
            limits={**container.limits, **freed.get(container.name, {})},
        )
        for container in facts.containers
    )
    without = replace(facts, containers=containers)
    if any(fit(without, node_class, accelerators).fits is not Fits.NO for node_class in classes):
        values = " and ".join(f"container {name} cpu {values[CPU]}" for name, values in freed.items())
        yield f"give {values}, which pins no CPUs"


def _fewer_accelerators(accelerators: Accelerators, classes: tuple[NodeClass, ...]) -> Iterator[str]:
    for resource in sorted({name for counts in accelerators.values() for name in counts}):
        most = max((room.most(cell_allocatable(node_class), resource) for node_class in classes), default=0)
        asked = max(counts.get(resource, 0) for counts in accelerators.values())
        if 0 < most < asked:
            yield f"use at most {most} per pod"


def _more_numa_nodes(facts: PodFacts, accelerators: Accelerators, classes: tuple[NodeClass, ...]) -> Iterator[str]:
    """Suggest the opt-in to several NUMA nodes: named where a class takes the pod so, else as what it needs."""
    need = _numa_nodes_needed(accelerators, classes)
    if need is None or keys.NUMA_NODES in facts.annotations:
        return
    annotation = f'{keys.NUMA_NODES}: "{need}"'
    for node_class in classes:
        if node_class.kubelet.topology_manager_policy != SINGLE and _takes(facts, node_class, accelerators, need):
            yield f"annotate {annotation}, which {node_class.name} takes"
            return
    for policy, options in _POOLS:
        for node_class in classes[:MOST_CLASSES]:
            if _takes(facts, _pool(node_class, policy, options), accelerators, need):
                with_options = "".join(f" with {option}" for option in options)
                yield f"a node pool with topology manager policy {policy}{with_options} and {annotation}"
                return


@lru_cache(maxsize=256)
def _pool(node_class: NodeClass, policy: str, options: tuple[str, ...]) -> NodeClass:
    """The same machines with another topology manager policy and more CPU manager options switched on."""
    kubelet = node_class.kubelet
    all_options = {**kubelet.cpu_manager_policy_options, **dict.fromkeys(options, "true")}
    changed = replace(kubelet, topology_manager_policy=policy, cpu_manager_policy_options=all_options)
    return replace(node_class, kubelet=changed)


def _takes(facts: PodFacts, node_class: NodeClass, accelerators: Accelerators, numa_nodes: int) -> bool:
    answer = fit(facts, node_class, accelerators, numa_nodes)
    return answer.fits is not Fits.NO and len(answer.cells) <= numa_nodes and not answer.uneven


def _numa_nodes_needed(accelerators: Accelerators, classes: tuple[NodeClass, ...]) -> int | None:
    """Answer how many NUMA nodes hold the accelerators, where more than one does on some class."""
    needs = []
    for node_class in classes:
        cells = cell_allocatable(node_class)
        for counts in accelerators.values():
            for resource, asked in counts.items():
                each = room.most(cells, resource)
                if each and each < asked <= room.most(cells, resource, len(cells)):
                    needs.append(-(-asked // each))
    return min(needs, default=None)
