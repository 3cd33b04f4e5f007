"""No CFS quota slows down a container with CPUs of its own."""

from collections.abc import Iterator

from webhook.domain.rule import Case
from webhook.domain.rule import Rule
from webhook.domain.rule import Said
from webhook.domain.rule import aligned
from webhook.domain.rule import misaligned
from webhook.domain.rule import unknown
from webhook.domain.rule import why_unread

_WANTED = "cpu.max max"


def _look(case: Case) -> Iterator[Said]:
    if not case.promise.cpus:
        return
    cgroup = case.seen.cgroup
    if cgroup is None:
        why = why_unread(case.seen.unread, "cgroup", "its cgroup was not found")
        yield unknown(f"cpu.max cannot be read: {why}", _WANTED)
    elif why := why_unread(cgroup.unread, "quota", ""):
        yield unknown(f"cpu.max cannot be read: {why}", _WANTED)
    elif cgroup.quota is not None:
        seen = "cpu.max " + " ".join(map(str, cgroup.quota))
        yield misaligned("a CFS quota (cpu.max) stops it in the middle of its own CPUs' time", _WANTED, seen)
    else:
        yield aligned(_WANTED, _WANTED)


RULE = Rule(
    code="cpu-quota",
    rank=80,
    promise="No CFS quota limits a container with exclusive CPUs.",
    of_container=_look,
)
