"""In a pod for several NUMA nodes the containers with devices have as much on each of them.

Counted is what admission counts (domain/evenness.py): the containers with devices. Where a helper's CPUs lie sets the
pace of no rank.
"""

from collections import Counter
from collections.abc import Iterator

from webhook.domain.locality import cpus_of
from webhook.domain.locality import home_of
from webhook.domain.locality import nodes
from webhook.domain.rule import Case
from webhook.domain.rule import Rule
from webhook.domain.rule import Said
from webhook.domain.rule import aligned
from webhook.domain.rule import misaligned
from webhook.domain.rule import unknown


def _look(everything: tuple[Case, ...]) -> Iterator[Said]:
    cases = tuple(case for case in everything if case.promise.devices)
    count = max((case.numa_nodes for case in cases), default=1)
    if count == 1:
        return
    wanted = f"as much on each of {nodes(count)}"
    counts = {"CPUs": _cpus(cases)}
    for resource in sorted({name for case in cases for name in case.promise.devices}):
        counts[resource] = _devices(cases, resource)
    known = {name: found for name, found in counts.items() if found is not None}
    cells = sorted({cell for found in known.values() for cell in found})
    for name, found in known.items():
        numbers = [found[cell] for cell in cells] if found else []
        if len(set(numbers)) > 1:
            seen = f"{name}: {_told(cells, numbers)}"
            yield misaligned(f"{name} do not spread evenly: {_told(cells, numbers)}", wanted, seen)
            return
    if len(known) < len(counts):
        lacking = next(name for name, found in counts.items() if found is None)
        yield unknown(f"where its {lacking} are is not known", wanted)
    else:
        yield aligned(wanted, "; ".join(f"{name}: {_told(cells, [n[c] for c in cells])}" for name, n in known.items()))


def _told(cells: list[int], numbers: list[int]) -> str:
    return ", ".join(f"{number} on NUMA node {cell}" for cell, number in zip(cells, numbers, strict=True))


def _cpus(cases: tuple[Case, ...]) -> Counter[int] | None:
    """Count the exclusive CPUs of containers by NUMA node; None where some were promised and are not known."""
    taken = 0
    for case in cases:
        cpus = cpus_of(case.seen) if case.promise.cpus else 0
        if cpus is None:
            return None
        taken |= cpus
    return Counter(
        {
            cell.id: (cell.cpus & taken).bit_count()
            for case in cases[:1]
            for cell in case.site.machine.cells
            if cell.cpus & taken
        }
    )


def _devices(cases: tuple[Case, ...], resource: str) -> Counter[int] | None:
    """Count devices by NUMA node; None where one has no single home, or the kubelet lists none."""
    found: Counter[int] = Counter()
    for case in cases:
        mine = [one for one in case.seen.devices or () if one.resource == resource]
        if not mine and case.promise.devices.get(resource):
            return None
        for one in mine:
            cell = home_of(case.site.machine, one.cells)
            if cell is None:
                return None
            found[cell.bit_length() - 1] += 1
    return found


RULE = Rule(
    code="even-spread",
    rank=90,
    promise="In a pod for several NUMA nodes the containers with devices have as many CPUs and devices on each of "
    "them.",
    of_pod=_look,
)
