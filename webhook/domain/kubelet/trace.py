"""Tells how a pod was admitted or refused: what each manager hinted, and how the hints were merged.

The managers and the topology manager are the same as ever; only the merger is replaced by one that takes notes.
"""

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field
from dataclasses import fields
from dataclasses import replace
from itertools import chain
from itertools import islice
from typing import Final

from webhook.domain.demand import aggregate
from webhook.domain.kubelet import bitmask
from webhook.domain.kubelet.admit import Admission
from webhook.domain.kubelet.admit import admit_on_empty
from webhook.domain.kubelet.admit import startup_error
from webhook.domain.kubelet.hint_merger import HintMerger
from webhook.domain.kubelet.hints import Affinity
from webhook.domain.kubelet.hints import Hints
from webhook.domain.kubelet.machine import Machine
from webhook.domain.kubelet.machine import derive
from webhook.domain.kubelet.memory_table import is_memory
from webhook.domain.kubelet.node import NodeState
from webhook.domain.kubelet.refusal import RefusedError
from webhook.domain.kubelet.topology_manager import POD_SCOPE
from webhook.domain.pod import Container
from webhook.domain.pod import PodFacts
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY
from webhook.domain.topology import NodeClass

MOST_SHOWN: Final = 8
"""How many hints of one resource are listed; the rest is counted."""
MOST_TRIED: Final = 4096
"""How many masks are tried for that: every one of 12 NUMA nodes."""


@dataclass(frozen=True, slots=True)
class Hint:
    """NUMA nodes that can serve a request together, and whether the manager prefers them."""

    cells: tuple[int, ...]
    preferred: bool


@dataclass(frozen=True, slots=True)
class HintList:
    """What one manager ("devices", "cpu" or "memory") hints for a resource.

    `hints` are the first `MOST_SHOWN` of `count`, the preferred ones before the others and the narrowest first; they
    are None where the manager has no preference, and empty where nothing can serve the request. `preferred` counts the
    preferred ones. Both counts are exact if `complete`, else at least so many.
    """

    manager: str
    resource: str
    hints: tuple[Hint, ...] | None
    count: int = 0
    preferred: int = 0
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Merge:
    """One merge: for `container`, or for the whole pod where that is None.

    `cells` are the NUMA nodes of the merged affinity, None where there is none (the kubelet's nil). `admitted` says
    whether the policy takes it. Where the question was too large, nothing was merged and it is not.
    """

    container: str | None
    lists: tuple[HintList, ...]
    cells: tuple[int, ...] | None
    preferred: bool
    admitted: bool


@dataclass(frozen=True, slots=True)
class Trace:
    """The kubelet's answer and the merges before it, in order; a refused pod's last merge is where it ended."""

    admission: Admission
    merges: tuple[Merge, ...]


def trace(facts: PodFacts, node_class: NodeClass) -> Trace:
    """Admit the pod to an empty node of the class and note every merge; policy none merges nothing."""
    admission = admit_on_empty(facts, node_class)
    if startup_error(node_class) is not None:
        return Trace(admission, ())
    machine = derive(node_class)
    asked: Iterator[Container | None] = iter([None] if machine.scope == POD_SCOPE else facts.containers)
    merges: list[Merge] = []

    def note(lists: Sequence[Hints | None], affinity: Affinity | None) -> None:
        container = next(asked)
        named = tuple(_named(lists, facts, container, machine))
        mask = affinity.mask if affinity else None
        merges.append(
            Merge(
                container=container.name if container else None,
                lists=named,
                cells=None if mask is None else tuple(bitmask.members(mask)),
                preferred=affinity is not None and affinity.preferred,
                admitted=affinity is not None and machine.merger.admits(affinity),
            )
        )

    settings = {one.name: getattr(machine.merger, one.name) for one in fields(HintMerger)}
    state = NodeState(replace(machine, merger=_NotingMerger(**settings, note=note)))
    with suppress(RefusedError):  # `admission` says it
        state.admit(facts)
    return Trace(admission, tuple(merges))


@dataclass(frozen=True)
class _NotingMerger(HintMerger):
    """Merges as ever, and tells what it was given and each result, None where it could not be found."""

    note: Callable[[Sequence[Hints | None], Affinity | None], None] = field(kw_only=True)

    def merge(self, lists: Sequence[Hints | None]) -> Affinity:
        """Answer the best hint (see `HintMerger.merge`)."""
        try:
            affinity = HintMerger.merge(self, lists)
        except RefusedError:
            self.note(lists, None)
            raise
        self.note(lists, affinity)
        return affinity


def _named(
    lists: Sequence[Hints | None], pod: PodFacts, container: Container | None, machine: Machine
) -> Iterator[HintList]:
    """Say whose the lists are: they come from the devices, one for each resource, then the CPUs, then the memory.

    What the memory manager hints is the same for memory and every size of pages, and is told once.
    """
    containers = pod.containers if container is None else (container,)
    limits = aggregate((one.kind, one.limits) for one in containers)
    devices = [resource for resource in limits if resource in machine.devices]
    rest = list(lists[len(devices) :])
    for resource, hints in zip(devices, lists, strict=False):
        yield _listed("devices", resource, hints)
    if machine.cpu_options is not None:
        yield _listed("cpu", CPU, rest.pop(0))
    requests = (*(one.requests for one in containers), pod.pod_requests)
    names = dict.fromkeys(name for one in requests for name in one if is_memory(name))
    for hints in rest[:1]:
        yield _listed("memory", ", ".join(names) or MEMORY, hints)


def _listed(manager: str, resource: str, hints: Hints | None) -> HintList:
    if hints is None:
        return HintList(manager, resource, None)
    sizes = range(hints.least, hints.cells.bit_count() + 1)
    masks = chain.from_iterable(bitmask.of_size(hints.cells, size) for size in sizes)
    serving = [mask for mask in islice(masks, MOST_TRIED) if hints.serves(mask)]
    found = sorted((Hint(tuple(bitmask.members(mask)), hints.prefers(mask)) for mask in serving), key=_unpreferred)
    return HintList(
        manager=manager,
        resource=resource,
        hints=tuple(found[:MOST_SHOWN]),
        count=len(found),
        preferred=sum(hint.preferred for hint in found),
        complete=next(masks, None) is None,
    )


def _unpreferred(hint: Hint) -> bool:
    return not hint.preferred
