"""The memory of each container is bound to its NUMA nodes, where the node's memory manager binds memory."""

from collections.abc import Iterator

from webhook.domain import cpuset
from webhook.domain.locality import attached
from webhook.domain.locality import home
from webhook.domain.locality import told
from webhook.domain.rule import Case
from webhook.domain.rule import Rule
from webhook.domain.rule import Said
from webhook.domain.rule import aligned
from webhook.domain.rule import misaligned
from webhook.domain.rule import unknown
from webhook.domain.rule import why_unread
from webhook.verdicts._memory import binds_memory


def _look(case: Case) -> Iterator[Said]:
    if not case.promise.memory or binds_memory(case) is False:
        return
    own = home(case)
    wanted = "cpuset.mems on its NUMA nodes" if own is None else f"cpuset.mems within {cpuset.format(own)}"
    cgroup = case.seen.cgroup
    if binds_memory(case) is None:
        yield unknown("the kubelet's settings are not known, so neither is whether it binds memory", wanted)
    elif cgroup is None or why_unread(cgroup.unread, "cells", ""):
        gaps, field = (case.seen.unread, "cgroup") if cgroup is None else (cgroup.unread, "cells")
        why = why_unread(gaps, field, "its cgroup was not found")
        yield unknown(f"cpuset.mems cannot be read: {why}", wanted)
    elif own is None:
        yield unknown("which NUMA nodes it belongs to is not known", wanted, _written(cgroup.cells))
    elif not cgroup.cells:
        yield misaligned("its memory is bound to no NUMA node: cpuset.mems is empty", wanted, _written(cgroup.cells))
    elif cgroup.cells & ~attached(case.site.machine, own):
        reason = f"its memory may lie on {told(cgroup.cells)}, it belongs on {told(own)}"
        yield misaligned(reason, wanted, _written(cgroup.cells))
    else:
        yield _as_pinned(case, cgroup.cells, wanted)


def _as_pinned(case: Case, cells: int, wanted: str) -> Said:
    pinned = (case.seen.pinned_memory or {}).get("memory")
    if pinned is not None and pinned[1] != cells:
        reason = f"cpuset.mems is {cpuset.format(cells)}, but the kubelet bound memory to {cpuset.format(pinned[1])}"
        return misaligned(reason, wanted, _written(cells))
    return aligned(wanted, _written(cells))


def _written(cells: int | None) -> str:
    return f"cpuset.mems {cpuset.format(cells)}" if cells else "cpuset.mems empty"


RULE = Rule(
    code="memory-nodes",
    rank=50,
    promise="Where the memory manager is Static, a container's memory is bound to its NUMA nodes.",
    of_container=_look,
)
