"""No CFS quota slows down a container with CPUs of its own, where the kubelet lifts it from those.

Other kubelets set one by the container's limit: nothing else was promised there. Where nobody says which version runs,
a quota of container and pod may be theirs, so it is unknown; one of the container alone is nobody's.
"""

from collections.abc import Iterator

from webhook.domain.facts import read
from webhook.domain.observation import ObservedCgroup
from webhook.domain.observation import smallest_quota
from webhook.domain.pod import Container
from webhook.domain.pod import QOSClass
from webhook.domain.qos import of_requirements
from webhook.domain.resources import CPU
from webhook.domain.rule import Case
from webhook.domain.rule import Rule
from webhook.domain.rule import Said
from webhook.domain.rule import Site
from webhook.domain.rule import aligned
from webhook.domain.rule import misaligned
from webhook.domain.rule import unknown
from webhook.domain.rule import why_unread
from webhook.domain.topology import QUOTA_GATE

_WANTED = "cpu.max max"
_NOT_SURE = (
    f"the kubelet's {{}} not known, so neither is whether it lifts quotas (feature gate {QUOTA_GATE}, on since 1.33)"
)


def _look(case: Case) -> Iterator[Said]:
    if not case.promise.cpus or _lifts(case.site) is False:
        return
    cgroup = case.seen.cgroup
    if cgroup is None:
        why = why_unread(case.seen.unread, "cgroup", "its cgroup was not found")
        yield unknown(f"cpu.max cannot be read: {why}", _WANTED)
    elif why := why_unread(cgroup.unread, "quota", ""):
        yield unknown(f"cpu.max cannot be read: {why}", _WANTED)
    else:
        quota = smallest_quota(cgroup.own_quota, None if _keeps_that_of_the_pod(case) else cgroup.pod_quota)
        yield aligned(_WANTED, _WANTED) if quota is None else _slowed(case.site, cgroup, quota)


def _lifts(site: Site) -> bool | None:
    """Tell whether the kubelet lifts quotas; None where nobody says."""
    if site.kubelet is None:
        return None
    told = site.version is not None or QUOTA_GATE in site.kubelet.feature_gates
    return site.kubelet.lifts_cpu_quota if told else None


def _slowed(site: Site, cgroup: ObservedCgroup, quota: tuple[int, int]) -> Said:
    """Say that there is a quota: a kubelet that lifts none sets one on the pod, too."""
    seen = f"cpu.max {quota[0]} {quota[1]}"
    if site.kubelet is None:
        return unknown(_NOT_SURE.format("settings are"), _WANTED, seen)
    if _lifts(site) is None and cgroup.pod_quota is not None:
        return unknown(_NOT_SURE.format("version is"), _WANTED, seen)
    return misaligned("a CFS quota (cpu.max) stops it in the middle of its own CPUs' time", _WANTED, seen)


def _keeps_that_of_the_pod(case: Case) -> bool:
    """Tell whether the pod's own quota stays: with spec.resources it does, unless all containers have their own CPUs.

    Mirrors cm/container_manager_linux.go:PodHasExclusiveCPUs. Init containers count there.
    """
    facts = read(case.pod.raw)
    return facts.resources_set and not all(map(_has_own_cpus, facts.containers))


def _has_own_cpus(container: Container) -> bool:
    cpu = container.requests.get(CPU)
    is_whole = cpu is not None and cpu.is_whole
    return is_whole and of_requirements(container.requests, container.limits) is QOSClass.GUARANTEED


RULE = Rule(
    code="cpu-quota",
    rank=80,
    promise="Where the kubelet lifts it (DisableCPUQuotaWithExclusiveCPUs, since 1.33), no CFS quota of a container "
    "with exclusive CPUs or of its pod limits it.",
    of_container=_look,
)
