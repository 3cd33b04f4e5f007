"""Fewer accelerators per pod in more pods: the total stays, CPU and memory go along."""

import math
from collections.abc import Iterator
from operator import itemgetter

from webhook.domain import keys
from webhook.domain.kubelet.admit import CellRoom
from webhook.domain.kubelet.admit import cell_allocatable
from webhook.domain.pod import Container
from webhook.domain.pod import ContainerKind
from webhook.domain.quantity import Quantity
from webhook.domain.resources import CPU
from webhook.domain.resources import HUGEPAGES_PREFIX
from webhook.domain.resources import MEMORY
from webhook.domain.resources import amount
from webhook.domain.topology import NodeClass
from webhook.engine.shapes import _cells
from webhook.engine.shapes import _words
from webhook.engine.suggestion import Change
from webhook.engine.suggestion import Kind
from webhook.engine.suggestion import Misfit
from webhook.engine.suggestion import Suggestion
from webhook.engine.suggestion import change
from webhook.engine.suggestion import changed

_MOST = 1024
"""More replicas than this are no remedy."""


def propose(misfit: Misfit, node_class: NodeClass) -> Iterator[Suggestion]:
    """Propose 2, 3, 4… pods that share the accelerators; one accelerator in each only where nothing else is left.

    A count that cannot be shared otherwise becomes what one NUMA node has, and the rest of the pod stays as it is.
    """
    counts = [count for counts in misfit.accelerators.values() for count in counts.values()]
    divisor = math.gcd(*counts)
    if misfit.facts.resources_set:
        return
    parts = [number for number in range(2, min(divisor, _MOST) + 1) if divisor % number == 0]
    for number in parts:
        if number < max(counts):
            yield from _in_parts(misfit, node_class, number)
    yield from _most_of_one_cell(misfit, node_class)
    if max(counts) in parts:
        yield from _in_parts(misfit, node_class, max(counts))


def _in_parts(misfit: Misfit, node_class: NodeClass, number: int) -> Iterator[Suggestion]:
    """Divide the main containers by `number`, and lower what still exceeds one NUMA node."""
    counted = tuple(edit for main in misfit.mains for edit in _counts(misfit, main, node_class, number))
    for cell in _cells.roomy_cells(changed(misfit.facts, counted), node_class)[:1]:
        native = (edit for main in misfit.mains for edit in _native(misfit, main, node_class, cell, number))
        divided = (*counted, *native)
        facts = changed(misfit.facts, divided)
        lowered = _cells.bring_down(misfit, facts, node_class, cell, together=True)
        if lowered is not None:
            edits = _merged(divided, lowered)
            text = f"run {number} replicas {_each(misfit, edits)}{_without_annotation(misfit)}"
            yield Suggestion(KIND.name, text, node_class, edits, replicas=number)


def _counts(misfit: Misfit, main: Container, node_class: NodeClass, number: int) -> Iterator[Change]:
    """Divide the accelerators, and other devices of the class where their number allows it."""
    for resource, quantity in main.requests.items():
        counted = resource in misfit.accelerators[main.name] or resource in node_class.devices
        if counted and not quantity.is_zero and quantity.value % number == 0:
            yield change(main, resource, Quantity.of_count(quantity.value // number))


def _native(misfit: Misfit, main: Container, node_class: NodeClass, cell: CellRoom, number: int) -> Iterator[Change]:
    """Divide CPU and memory, and huge pages where they divide; what nobody chose becomes the share of `cell`."""
    step = misfit.cpu_step
    cpus, memory = (_part(misfit, main, cell, resource, number) for resource in (CPU, MEMORY))
    yield change(main, CPU, Quantity.of_count(max(step, cpus // step * step)))
    yield change(main, MEMORY, _cells.round_memory(memory))
    for resource, quantity in main.requests.items():
        pages = resource.startswith(HUGEPAGES_PREFIX)
        if pages and quantity.value % (number * _page_bytes(node_class, resource)) == 0:
            yield change(main, resource, Quantity.of_bytes(quantity.value // number))


def _part(misfit: Misfit, main: Container, cell: CellRoom, resource: str, number: int) -> int:
    """Answer what each of `number` pods gets: of the container's own value, else of the NUMA node's per accelerator."""
    if misfit.is_chosen(main, resource):
        return amount(main.requests, resource).value // number
    room = cell.cpus if resource == CPU else cell.memory
    shares = (
        room * count // number // cell.devices[name]
        for name, count in misfit.accelerators[main.name].items()
        if cell.devices.get(name)
    )
    return min(shares, default=0)


def _page_bytes(node_class: NodeClass, resource: str) -> int:
    size = resource.removeprefix(HUGEPAGES_PREFIX)
    known = any(size in cell.hugepages for cell in node_class.cells)
    return Quantity.parse(size).value if known else 1


def _merged(divided: tuple[Change, ...], lowered: tuple[Change, ...]) -> tuple[Change, ...]:
    """Put the lowered values in the place of the divided ones; what both say about other values stays."""
    last = {(edit.container, edit.resource): edit for edit in lowered}
    merged = [
        Change(edit.container, edit.resource, edit.old, last.pop((edit.container, edit.resource), edit).new)
        for edit in divided
    ]
    return (*merged, *last.values())


def _most_of_one_cell(misfit: Misfit, node_class: NodeClass) -> Iterator[Suggestion]:
    """Keep one pod; its greediest container gets what its NUMA node has, beside the others where they lie together."""
    counted = [(count, main, name) for main in misfit.mains for name, count in misfit.accelerators[main.name].items()]
    _, main, resource = max(counted, key=itemgetter(0))
    fewer = _within_one_cell(misfit, node_class, main, resource)
    if not fewer:
        return
    facts = changed(misfit.facts, fewer)
    for cell in _cells.roomy_cells(facts, node_class)[:1]:
        lowered = _cells.bring_down(misfit, facts, node_class, cell, together=_cells.in_pod_scope(node_class))
        if lowered is not None:
            text = f"{_fewer(misfit, (*fewer, *lowered))}{_without_annotation(misfit)}"
            yield Suggestion(KIND.name, text, node_class, (*fewer, *lowered))


def _within_one_cell(misfit: Misfit, node_class: NodeClass, main: Container, resource: str) -> tuple[Change, ...]:
    """Leave the greediest container what the others do not take; if that is less than one of them has, share it out."""
    most = max((cell.devices.get(resource, 0) for cell in cell_allocatable(node_class)), default=0)
    together = _beside(misfit, main) if _cells.in_pod_scope(node_class) else []
    counts = {one.name: misfit.accelerators[one.name].get(resource, 0) for one in (main, *together)}
    total, count = sum(counts.values()), counts[main.name]
    fewer = {main.name: most - (total - count)}
    if fewer[main.name] < max((counts[one.name] for one in together), default=1):
        fewer = {name: max(1, number * most // total) for name, number in counts.items() if number}
    if most <= 1 or total <= most or sum({**counts, **fewer}.values()) > most:
        return ()
    containers = [one for one in misfit.mains if fewer.get(one.name, counts.get(one.name)) != counts.get(one.name)]
    return tuple(change(one, resource, Quantity.of_count(fewer[one.name])) for one in containers)


def _beside(misfit: Misfit, main: Container) -> list[Container]:
    """Answer the main containers that run at the same time as `main`; an init container sees only sidecars."""
    kinds = {ContainerKind.SIDECAR} if main.kind is ContainerKind.INIT else {ContainerKind.SIDECAR, ContainerKind.APP}
    return [one for one in misfit.mains if one is not main and one.kind in kinds]


def _fewer(misfit: Misfit, edits: tuple[Change, ...]) -> str:
    if len(misfit.facts.containers) == 1:
        return f"ask for {_words.listed(map(_words.in_words, edits))} per pod"
    return f"give {_words.given(edits, _words.in_words)}"


def _each(misfit: Misfit, edits: tuple[Change, ...]) -> str:
    """Say what each replica has: `of 4 GPUs, 44 CPUs and 800Gi each`, or container by container."""
    by_container: dict[str, list[str]] = {}
    for edit in sorted(edits, key=_words.order):
        by_container.setdefault(edit.container, []).append(_words.in_words(edit))
    if len(by_container) == 1 and len(misfit.mains) == 1:
        return f"of {_words.listed(next(iter(by_container.values())))} each"
    each = (f"{', '.join(values)} in container {name}" for name, values in by_container.items())
    return f"with {_words.listed(each)}"


def _without_annotation(misfit: Misfit) -> str:
    return f", without {keys.NUMA_NODES}" if misfit.numa_nodes > 1 else ""


KIND = Kind("fewer-accelerators", rank=6, propose=propose)
