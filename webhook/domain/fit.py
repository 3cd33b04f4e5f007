"""Whether an empty node of a class takes a pod aligned, told by the simulation of its kubelet."""

from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import replace
from enum import Enum

from webhook.domain.evenness import why_uneven
from webhook.domain.kubelet.admit import Admission
from webhook.domain.kubelet.admit import Placement
from webhook.domain.kubelet.admit import cell_allocatable
from webhook.domain.kubelet.asked_before import answer_of_empty
from webhook.domain.pod import PodFacts
from webhook.domain.resources import MEMORY
from webhook.domain.topology import NodeClass


class Fits(Enum):
    """The answer for one class."""

    YES = "yes"
    NO = "no"
    UNENFORCED = "unenforced"
    """The node takes the pod, but its kubelet does not refuse a misaligned one."""
    UNSURE = "unsure"
    """The answer would not be yes, but too few nodes report this topology to refuse a pod by it."""


class Cause(Enum):
    """Why the answer is not yes."""

    REFUSED = "refused"
    """The kubelet refuses the pod."""
    SPREAD = "spread"
    """The kubelet admits the pod, but over more NUMA nodes than it may use."""
    UNPINNED = "unpinned"
    """The kubelet admits the pod, but gives an accelerator container no exclusive CPUs."""
    CLAIMED = "claimed"
    """The kubelet aligns CPUs and memory, and does not see the devices: a driver hands them out by claims."""


@dataclass(frozen=True, slots=True)
class ClassFit:
    """How an empty node of `node_class` answers; `reason` is one line, "" for a plain yes.

    `cells` are the NUMA nodes that the accelerator containers use. `uneven` says what is not spread evenly over them.
    """

    node_class: NodeClass
    fits: Fits
    reason: str
    admission: Admission
    cause: Cause | None = None
    cells: tuple[int, ...] = ()
    uneven: str = ""

    @property
    def takes(self) -> bool:
        """Whether nodes of the class run the pod, aligned or not."""
        return self.fits is Fits.YES or self.fits is Fits.UNENFORCED


def fit_each(
    facts: PodFacts,
    classes: Iterable[NodeClass],
    accelerators: Mapping[str, Mapping[str, int]],
    numa_nodes: int = 1,
) -> tuple[ClassFit, ...]:
    """Answer `fit` for each class; those that share their parts (`topology.with_shared_parts`) are simulated once."""
    known: dict[tuple[int, int, int], ClassFit] = {}
    found: list[ClassFit] = []
    for node_class in classes:
        parts = (id(node_class.cells), id(node_class.devices), id(node_class.kubelet))
        if parts not in known:
            known[parts] = fit(facts, node_class, accelerators, numa_nodes)
        found.append(_answer_of(node_class, known[parts]))
    return tuple(found)


def _answer_of(node_class: NodeClass, alike: ClassFit) -> ClassFit:
    """Answer for a class what another answered that is like it; left open is what may relax, but not refuse.

    Written out, because `replace` takes three times as long and a large cluster has many classes.
    """
    sure = node_class.trusted or alike.fits is Fits.YES
    return ClassFit(
        node_class=node_class,
        fits=alike.fits if sure else Fits.UNSURE,
        reason=alike.reason,
        admission=alike.admission,
        cause=alike.cause,
        cells=alike.cells,
        uneven=alike.uneven,
    )


def fit(
    facts: PodFacts, node_class: NodeClass, accelerators: Mapping[str, Mapping[str, int]], numa_nodes: int = 1
) -> ClassFit:
    """Admit the pod to an empty node of the class and see whether it lies within `numa_nodes` NUMA nodes.

    `accelerators` maps container name to {resource: count}, for the containers that ask for any. With one NUMA node
    each such container must lie within one; with more, the pod as a whole must use no more than that.
    """
    admission = answer_of_empty(facts, node_class)
    if not admission.admitted:
        reason = f"{admission.reason}: {admission.message}" if admission.message else str(admission.reason)
        return ClassFit(node_class, Fits.NO, reason, admission, Cause.REFUSED)
    placed = [placement for placement in admission.placements if placement.container in accelerators]
    cells = tuple(sorted({cell for placement in placed for cell in placement.cells}))
    uneven = why_uneven(facts, node_class, placed, accelerators, numa_nodes) if numa_nodes > 1 else ""
    if not node_class.kubelet.enforces_alignment:
        return ClassFit(node_class, Fits.UNENFORCED, _why_unenforced(node_class), admission, None, cells, uneven)
    cause, reason = _why_not(placed, cells, numa_nodes)
    if cause is None and _leaves_memory(admission, node_class):
        cause, reason = Cause.UNPINNED, "the memory of spec.resources is no whole number of bytes, and is not pinned"
    if cause is None and node_class.kubelet.memory_manager_policy != "Static":
        cause, reason = _beyond_its_cells(facts, placed, node_class)
    if cause is not None:
        return ClassFit(node_class, Fits.NO, reason, admission, cause, cells)
    return ClassFit(node_class, Fits.YES, "", admission, None, cells, uneven)


def without_devices(answer: ClassFit) -> ClassFit:
    """Answer the same for a pod with devices that the topology manager does not see (DRA)."""
    if answer.fits is not Fits.YES:
        return answer
    reason = "the topology manager does not see the devices of resource claims"
    return replace(answer, fits=Fits.UNENFORCED, reason=reason, cause=Cause.CLAIMED)


def is_aligned(admission: Admission, accelerators: Collection[str], numa_nodes: int = 1) -> bool:
    """Tell whether the accelerator containers of an admitted pod lie within `numa_nodes` NUMA nodes, CPUs pinned."""
    placed = [placement for placement in admission.placements if placement.container in accelerators]
    cells = tuple({cell for placement in placed for cell in placement.cells})
    return admission.admitted and _why_not(placed, cells, numa_nodes)[0] is None


def _why_not(placed: list[Placement], cells: tuple[int, ...], numa_nodes: int) -> tuple[Cause | None, str]:
    for placement in placed:
        if not placement.pinned:
            return Cause.UNPINNED, f"container {placement.container} gets no exclusive CPUs"
        if numa_nodes == 1 and len(placement.cells) > 1:
            wide = _join(placement.cells)
            return Cause.SPREAD, f"container {placement.container} is spread over NUMA nodes {wide}"
    if 1 < numa_nodes < len(cells):
        return Cause.SPREAD, f"needs {len(cells)} NUMA nodes, not {numa_nodes}"
    return None, ""


def _leaves_memory(admission: Admission, node_class: NodeClass) -> bool:
    """Tell whether the memory manager passed over a pod with spec.resources: it says nothing, unlike of a container."""
    unpinned = admission.pod is not None and not admission.pod.memory
    return unpinned and node_class.kubelet.memory_manager_policy == "Static"


def _beyond_its_cells(facts: PodFacts, placed: list[Placement], node_class: NodeClass) -> tuple[Cause | None, str]:
    """Find a container with more memory than its NUMA nodes have, which a kubelet that pins none does not notice."""
    rooms = {cell.id: cell.memory for cell in cell_allocatable(node_class)}
    asked = {container.name: container.requests.get(MEMORY) for container in facts.containers}
    for placement in placed:
        size = asked.get(placement.container)
        if size is not None and size.value > sum(rooms[cell] for cell in placement.cells):
            nodes = "NUMA node" if len(placement.cells) == 1 else "NUMA nodes"
            wide = f"{nodes} {_join(placement.cells)}"
            return Cause.SPREAD, f"container {placement.container} has more memory ({size}) than {wide}"
    return None, ""


def _why_unenforced(node_class: NodeClass) -> str:
    kubelet = node_class.kubelet
    if kubelet.cpu_manager_policy != "static":
        return f"cpuManagerPolicy is {kubelet.cpu_manager_policy}: no exclusive CPUs"
    return f"topologyManagerPolicy is {kubelet.topology_manager_policy}: alignment is not enforced"


def _join(numbers: Iterable[int]) -> str:
    return ", ".join(map(str, numbers))
