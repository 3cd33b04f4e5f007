"""In a pod for several NUMA nodes each rank keeps to one of them, and the ranks lie where the devices are.

What a container as a whole uses says nothing there: it may use all of these NUMA nodes, and a rank that lies on the
wrong one is in the sum as good as one that lies right.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from webhook.domain import cpuset
from webhook.domain.locality import home
from webhook.domain.locality import home_of
from webhook.domain.locality import told
from webhook.domain.locality import why_no_cells
from webhook.domain.observation import ObservedProcess
from webhook.domain.observation import Pages
from webhook.domain.rule import Case
from webhook.domain.rule import Rule
from webhook.domain.rule import Said
from webhook.domain.rule import aligned
from webhook.domain.rule import misaligned
from webhook.domain.rule import unknown
from webhook.domain.rule import why_incomplete
from webhook.domain.rule import why_unread
from webhook.verdicts._memory import binds_memory
from webhook.verdicts._memory import enough
from webhook.verdicts._memory import on
from webhook.verdicts._memory import own_pages
from webhook.verdicts._memory import percent

_SMALLEST = 4
"""A process with less than a quarter of a device's fair share of memory is no rank, but a helper."""


@dataclass(frozen=True, slots=True)
class _Rank:
    """A process that serves a device, the bit of the NUMA node that it keeps to, and its own memory."""

    process: ObservedProcess
    cell: int
    pages: Pages


def _look(case: Case) -> Iterator[Said]:
    homes = [home_of(case.site.machine, one.cells) for one in case.seen.devices or () if _counts(case, one.resource)]
    if case.numa_nodes == 1 or not case.promise.memory or binds_memory(case) is False or len(homes) <= 1:
        return
    wanted = "each rank on one NUMA node, as many as devices there"
    if why := why_no_cells(case.site.machine):
        yield unknown(why, wanted)
        return
    unread = [one for one in case.seen.processes if one.memory is None]
    if unread:
        why = why_unread(unread[0].unread, "memory", "its numa_maps was not read")
        yield unknown(f"the memory of process {unread[0].pid} is not known: {why}", wanted)
        return
    if why := why_incomplete(case):
        yield unknown(f"its processes are not all known: {why}", wanted)
        return
    ranks = _ranks(case, len(homes))
    if len(ranks) <= 1:
        yield unknown("its devices are not served by a process each: which memory serves which cannot be told", wanted)
        return
    if len(ranks) != len(homes):
        # None is judged: what looks like a rank may be a server process, or serve devices of several NUMA nodes.
        why = f"{len(ranks)} large processes serve {len(homes)} devices: which one which, cannot be told"
        yield unknown(why, wanted)
        return
    seen = ", ".join(f"{count} on {told(cell)}" for cell, count in sorted(Counter(one.cell for one in ranks).items()))
    yield _spread(case, ranks, wanted, seen) or _numbers(ranks, homes, wanted, seen)


def _counts(case: Case, resource: str) -> bool:
    return resource in case.promise.devices


def _ranks(case: Case, devices: int) -> list[_Rank]:
    machine = case.site.machine
    found = [(one, own_pages((one.memory,), machine)) for one in case.seen.processes if one.memory is not None]
    whole = sum(pages.total for _, pages in found)
    large = [(one, pages) for one, pages in found if pages.total * devices * _SMALLEST >= whole > 0]
    return [_Rank(one, _keeps_to(case, one, pages), pages) for one, pages in large]


def _keeps_to(case: Case, process: ObservedProcess, pages: Pages) -> int:
    """Answer the NUMA node that a rank has narrowed itself to, or else the one with most of its memory."""
    machine = case.site.machine
    cells = machine.cells_of(process.cpus or 0)
    if cells.bit_count() == 1 and (home(case) or 0).bit_count() > 1:
        return cells
    candidates = [1 << one for one in cpuset.ids(home(case) or 0)] or [1 << one for one in sorted(pages.by_cell)]
    return max(candidates, key=lambda cell: on(pages, machine, cell))


def _spread(case: Case, ranks: list[_Rank], wanted: str, seen: str) -> Said | None:
    """Say that a rank's memory lies on several NUMA nodes."""
    for one in ranks:
        local = on(one.pages, case.site.machine, one.cell)
        if not enough(local, one.pages.total, case.local_memory_percent):
            who = f"process {one.process.pid} ({one.process.command})"
            share = percent(local, one.pages.total)
            return misaligned(
                f"{who} keeps to {told(one.cell)}, but has only {share} of its memory there", wanted, seen
            )
    return None


def _numbers(ranks: list[_Rank], homes: list[int | None], wanted: str, seen: str) -> Said:
    """Compare the ranks on each NUMA node with its devices."""
    known = [cell for cell in homes if cell is not None]
    if len(known) < len(homes):
        return unknown("the NUMA node of a device is not known", wanted, seen)
    there, devices = Counter(one.cell for one in ranks), Counter(known)
    for cell in sorted(there):
        if there[cell] > devices[cell]:
            crowd = ", ".join(str(one.process.pid) for one in ranks if one.cell == cell)
            reason = f"{there[cell]} ranks keep to {told(cell)} (processes {crowd}), which has {devices[cell]}"
            return misaligned(f"{reason} of its devices", wanted, seen)
    return aligned(wanted, seen)


RULE = Rule(
    code="rank-locality",
    rank=65,
    promise="In a pod for several NUMA nodes each rank's memory lies on one of them, and no NUMA node has more ranks "
    "than devices.",
    of_container=_look,
)
