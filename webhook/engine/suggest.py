"""Says what would make a misfit fit; what it names was tried in the simulation before."""

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace
from functools import lru_cache

from webhook.domain import demand
from webhook.domain import keys
from webhook.domain import room
from webhook.domain.fit import Cause
from webhook.domain.fit import ClassFit
from webhook.domain.fit import Fits
from webhook.domain.fit import fit
from webhook.domain.kubelet.admit import cell_allocatable
from webhook.domain.pod import PodFacts
from webhook.domain.policy import Classes
from webhook.domain.resources import CPU
from webhook.domain.resources import amount
from webhook.domain.resources import below_whole
from webhook.domain.topology import NodeClass

SINGLE = "single-numa-node"
MOST_CLASSES = 4
"""How many classes are tried as another kind of pool: a refusal should not cost more than a decision."""
_RESTRICTED_OPTIONS = ((), ("distribute-cpus-across-numa",))


@dataclass(frozen=True, slots=True)
class Misfit:
    """A pod that some class refuses: what it asks for, and how its classes answered."""

    facts: PodFacts
    accelerators: Mapping[str, Mapping[str, int]]
    fits: tuple[ClassFit, ...]
    numa_nodes: int
    required: Classes

    @property
    def classes(self) -> tuple[NodeClass, ...]:
        """The eligible classes."""
        return tuple(one.node_class for one in self.fits)


def remedies(misfit: Misfit) -> tuple[str, ...]:
    """Answer what to do about a pod that some eligible class refuses, best first; empty where none refuses."""
    if not any(one.fits is Fits.NO and one.cause is not Cause.UNPINNED for one in misfit.fits):
        return ()
    return (*_unpinned_helpers(misfit), *_fewer_accelerators(misfit), *_more_numa_nodes(misfit))


def _unpinned_helpers(misfit: Misfit) -> Iterator[str]:
    """Suggest a helper CPU that is not whole, where the pod fits without the CPUs that its helpers pin."""
    freed = {
        container.name: {CPU: below_whole(cpu)}
        for container in misfit.facts.containers
        if container.name not in misfit.accelerators
        and (cpu := amount(container.requests, CPU)).is_whole
        and not cpu.is_zero
    }
    if not freed:
        return
    containers = tuple(
        replace(
            container,
            requests={**container.requests, **freed.get(container.name, {})},
            limits={**container.limits, **freed.get(container.name, {})},
        )
        for container in misfit.facts.containers
    )
    without = replace(misfit.facts, containers=containers)
    answers = (fit(without, node_class, misfit.accelerators, misfit.numa_nodes) for node_class in misfit.classes)
    enough = all if misfit.required is Classes.ALL else any
    if enough(answer.fits is not Fits.NO for answer in answers):
        values = " and ".join(f"container {name} cpu {values[CPU]}" for name, values in freed.items())
        yield f"give {values}, which pins no CPUs"


def _fewer_accelerators(misfit: Misfit) -> Iterator[str]:
    """Suggest as many accelerators as one NUMA node has, where the pod (or one container of it) asks for more."""
    choose = min if misfit.required is Classes.ALL else max
    for resource in sorted({name for counts in misfit.accelerators.values() for name in counts}):
        most = choose(room.most(cell_allocatable(node_class), resource) for node_class in misfit.classes)
        if 0 < most < _asked(misfit, resource):
            yield f"use at most {most} per pod"


def _asked(misfit: Misfit, resource: str) -> int:
    """What must lie on one NUMA node: in pod scope the pod's effective request, else the largest container's."""
    largest = max(counts.get(resource, 0) for counts in misfit.accelerators.values())
    if all(node_class.kubelet.topology_manager_scope != "pod" for node_class in misfit.classes):
        return largest
    total = demand.aggregate((container.kind, container.requests) for container in misfit.facts.containers)
    return max(largest, amount(total, resource).value)


def _more_numa_nodes(misfit: Misfit) -> Iterator[str]:
    """Suggest the opt-in to several NUMA nodes: named where a class takes the pod so, else the pool that it needs."""
    declared = keys.NUMA_NODES in misfit.facts.annotations
    need = misfit.numa_nodes if declared else _numa_nodes_needed(misfit)
    if need is None or need == 1 or all(len(one.cells) < need for one in misfit.classes):
        return
    annotation = "" if declared else f' and {keys.NUMA_NODES}: "{need}"'
    if not declared:
        for node_class in misfit.classes:
            if node_class.kubelet.topology_manager_policy != SINGLE and _takes(misfit, node_class, need):
                yield f'annotate {keys.NUMA_NODES}: "{need}", which {node_class.name} takes'
                return
    for options in _RESTRICTED_OPTIONS:
        if any(_takes(misfit, _restricted(one, options), need) for one in misfit.classes[:MOST_CLASSES]):
            with_options = "".join(f" with {option}" for option in options)
            yield f"a node pool with topology manager policy restricted{with_options}{annotation}"
            return
    needs = f"CPUs and memory that need {need} NUMA nodes as well"
    if any(one.kubelet.topology_manager_policy == "restricted" for one in misfit.classes):
        yield f"ask for {needs}{annotation}"
    else:
        yield f"a node pool with topology manager policy restricted or best-effort{annotation}, with {needs}"


@lru_cache(maxsize=256)
def _restricted(node_class: NodeClass, options: tuple[str, ...]) -> NodeClass:
    """The same machines under policy restricted and with more CPU manager options switched on."""
    kubelet = node_class.kubelet
    all_options = {**kubelet.cpu_manager_policy_options, **dict.fromkeys(options, "true")}
    changed = replace(kubelet, topology_manager_policy="restricted", cpu_manager_policy_options=all_options)
    return replace(node_class, kubelet=changed)


def _takes(misfit: Misfit, node_class: NodeClass, numa_nodes: int) -> bool:
    answer = fit(misfit.facts, node_class, misfit.accelerators, numa_nodes)
    return answer.fits is Fits.YES and len(answer.cells) == numa_nodes and not answer.uneven


def _numa_nodes_needed(misfit: Misfit) -> int | None:
    """Answer how many NUMA nodes hold the accelerators, where more than one does on some class."""
    needs = []
    for resource in {name for counts in misfit.accelerators.values() for name in counts}:
        asked = _asked(misfit, resource)
        for node_class in misfit.classes:
            cells = cell_allocatable(node_class)
            each = room.most(cells, resource)
            if each and each < asked <= room.most(cells, resource, len(cells)):
                needs.append(-(-asked // each))
    return min(needs, default=None)
