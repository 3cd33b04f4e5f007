"""The memory of each container lies on its NUMA nodes, where the node's memory manager binds memory."""

from collections.abc import Iterator

from webhook.domain.locality import attached
from webhook.domain.locality import home
from webhook.domain.locality import told
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


def _look(case: Case) -> Iterator[Said]:
    if not case.promise.memory or binds_memory(case) is False:
        return
    own, machine = home(case), case.site.machine
    where = "its NUMA nodes" if own is None else told(own)
    wanted = f"at least {case.local_memory_percent} % of its own memory on {where}"
    unread = [one for one in case.seen.processes if one.memory is None]
    read = [one.memory for one in case.seen.processes if one.memory is not None]
    pages = own_pages(read, machine)
    local = 0 if own is None else on(pages, machine, own)
    seen = f"{percent(local, pages.total)} on {where}"
    if binds_memory(case) is None:
        yield unknown("the kubelet's settings are not known, so neither is whether it binds memory", wanted)
    elif own is None:
        yield unknown("which NUMA nodes it belongs to is not known", wanted)
    elif not enough(local, pages.total, case.local_memory_percent, processes=len(read)):
        yield misaligned(f"{seen}: {_elsewhere(pages, attached(machine, own))}", wanted, seen)
    elif unread:
        why = why_unread(unread[0].unread, "memory", "its numa_maps was not read")
        yield unknown(f"the memory of process {unread[0].pid} is not known: {why}", wanted)
    elif why := why_incomplete(case):
        yield unknown(f"its processes are not all known: {why}", wanted)
    else:
        yield aligned(wanted, seen)


def _elsewhere(pages: Pages, own: int) -> str:
    far = {cell: size for cell, size in pages.by_cell.items() if size and not own >> cell & 1}
    most = max(sorted(far), key=far.__getitem__)
    return f"{sum(far.values()) / (1 << 20):.0f} MiB are elsewhere, most on {told(1 << most)}"


RULE = Rule(
    code="local-memory",
    rank=60,
    promise="Where the memory manager is Static, enough of a container's anonymous, heap, stack and huge pages lie on "
    "its NUMA nodes.",
    of_container=_look,
)
