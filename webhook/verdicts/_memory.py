"""What rules about memory share: whether a node binds it, and how much of a process's own lies where."""

from collections.abc import Iterable
from typing import Final

from webhook.domain.locality import attached
from webhook.domain.locality import nearest
from webhook.domain.observation import Machine
from webhook.domain.observation import Pages
from webhook.domain.observation import ProcessMemory
from webhook.domain.rule import Case

_BROUGHT_ALONG: Final = 1 << 20
"""Bytes: a few pages of a process are older than its container's cpuset, which does not move them. Of a small process
they are more than a percent."""


def binds_memory(case: Case) -> bool | None:
    """Tell whether the node's memory manager is Static; None where nobody says.

    Memory that the kubelet lists as bound, for any container of the node, tells that it is: only Static binds any, and
    the kubelet's file may have been changed since it started.
    """
    if case.seen.pinned_memory or any(one.container.pinned_memory for one in case.site.neighbours):
        return True
    return None if case.site.kubelet is None else case.site.kubelet.memory_manager_policy == "Static"


def own_pages(memories: Iterable[ProcessMemory], machine: Machine) -> Pages:
    """Add up the pages that are a process's own, by NUMA node; files are left out.

    So are NUMA nodes without CPUs of which nobody knows what they are near to: most likely they are memory of a GPU.
    """
    found: dict[int, int] = {}
    for memory in memories:
        for pages in (memory.anonymous, memory.heap, memory.stack, memory.huge):
            for cell, size in pages.by_cell.items():
                found[cell] = found.get(cell, 0) + size
    homeless = {cell.id for cell in machine.cells if not nearest(machine, cell.id)}
    return Pages({cell: size for cell, size in found.items() if cell not in homeless})


def on(pages: Pages, machine: Machine, cells: int) -> int:
    """Answer how much lies on NUMA nodes, or on those without CPUs that are nearest to them."""
    return pages.on(attached(machine, cells))


def enough(part: int, whole: int, percent: int, *, processes: int = 1) -> bool:
    """Tell whether `part` is at least so many percent of `whole`, or all but what processes bring along."""
    return part * 100 >= whole * percent or whole - part <= processes * _BROUGHT_ALONG


def percent(part: int, whole: int) -> str:
    """Write a share, rounded down so that nothing but all of it is 100 %.

    >>> percent(999_999, 1_000_000), percent(1, 1), percent(0, 0)
    ('99.9 %', '100 %', '100 %')
    """
    tenths = part * 1000 // whole if whole else 1000
    return f"{tenths // 10} %" if tenths % 10 == 0 else f"{tenths / 10} %"
