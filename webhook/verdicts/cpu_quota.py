"""No CFS quota slows down a container with CPUs of its own, where the kubelet lifts it from those.

Other kubelets set one by the container's limit: nothing else was promised there. Where nobody says which version runs,
such a quota, of as many CPUs as the container has, is taken for theirs.
"""

from collections.abc import Iterator

from webhook.domain.rule import Case
from webhook.domain.rule import Rule
from webhook.domain.rule import Said
from webhook.domain.rule import aligned
from webhook.domain.rule import misaligned
from webhook.domain.rule import unknown
from webhook.domain.rule import why_unread
from webhook.domain.topology import QUOTA_GATE

_WANTED = "cpu.max max"
_NOT_SURE = (
    "the kubelet's settings are not known, so neither is whether it lifts quotas (feature gate "
    f"{QUOTA_GATE}, on since 1.33)"
)


def _look(case: Case) -> Iterator[Said]:
    kubelet = case.site.kubelet
    if not case.promise.cpus or (kubelet is not None and not kubelet.lifts_cpu_quota):
        return
    cgroup = case.seen.cgroup
    if cgroup is None:
        why = why_unread(case.seen.unread, "cgroup", "its cgroup was not found")
        yield unknown(f"cpu.max cannot be read: {why}", _WANTED)
    elif why := why_unread(cgroup.unread, "quota", ""):
        yield unknown(f"cpu.max cannot be read: {why}", _WANTED)
    elif cgroup.quota is not None:
        seen = "cpu.max " + " ".join(map(str, cgroup.quota))
        if kubelet is None:
            yield unknown(_NOT_SURE, _WANTED, seen)
        elif not case.site.version_told and cgroup.quota[0] >= case.promise.cpus * cgroup.quota[1]:
            yield aligned(f"{_WANTED}, or as much as its CPUs where the kubelet is older than 1.33", seen)
        else:
            yield misaligned("a CFS quota (cpu.max) stops it in the middle of its own CPUs' time", _WANTED, seen)
    else:
        yield aligned(_WANTED, _WANTED)


RULE = Rule(
    code="cpu-quota",
    rank=80,
    promise="Where the kubelet lifts it (DisableCPUQuotaWithExclusiveCPUs, since 1.33), no CFS quota of a container "
    "with exclusive CPUs or of its pod limits it.",
    of_container=_look,
)
