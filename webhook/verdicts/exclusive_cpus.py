"""Each container has its promised number of CPUs, and nobody else on the node may use them."""

from collections.abc import Iterator

from webhook.domain import cpuset
from webhook.domain.observation import ObservedContainer
from webhook.domain.rule import Case
from webhook.domain.rule import Neighbour
from webhook.domain.rule import Rule
from webhook.domain.rule import Said
from webhook.domain.rule import aligned
from webhook.domain.rule import misaligned
from webhook.domain.rule import unknown
from webhook.domain.rule import why_unread


def _look(case: Case) -> Iterator[Said]:
    count, given = case.promise.cpus, case.seen.exclusive_cpus
    if not count:
        return
    wanted = f"{count} CPU{'s'[: count != 1]} of its own"
    if given is None:
        why = why_unread(case.seen.unread, "exclusive_cpus", "the kubelet's PodResources were not read")
        yield unknown(f"exclusive CPUs are not known: {why}", wanted)
    elif given.bit_count() != count:
        yield misaligned(_too_few(case, given), wanted, cpuset.format(given) or "none of its own")
    else:
        yield from _look_at_cgroup(case, given, wanted)


def _too_few(case: Case, given: int) -> str:
    kubelet = case.site.kubelet
    if not given and kubelet is not None and kubelet.cpu_manager_policy != "static":
        return f"no CPUs of its own: the node's CPU manager policy is {kubelet.cpu_manager_policy}, not static"
    return f"{given.bit_count()} exclusive CPUs instead of {case.promise.cpus}"


def _look_at_cgroup(case: Case, given: int, wanted: str) -> Iterator[Said]:
    cgroup = case.seen.cgroup
    unread = cgroup.unread if cgroup is not None else case.seen.unread
    allowed = _allowed(case.seen)
    if allowed is None:
        why = why_unread(unread, "cpus" if cgroup is not None else "cgroup", "its cgroup was not found")
        yield unknown(f"cpuset.cpus cannot be read: {why}", wanted, f"{cpuset.format(given)} by the kubelet")
    elif allowed != given:
        reason = f"cpuset.cpus is {cpuset.format(allowed)}, but the kubelet gave it {cpuset.format(given)}"
        yield misaligned(reason, wanted, cpuset.format(allowed))
    elif cgroup is None or cgroup.effective_cpus is None:
        why = why_unread(unread, "effective_cpus", "nobody says why")
        yield unknown(f"cpuset.cpus.effective cannot be read: {why}", wanted, f"cpuset.cpus {cpuset.format(given)}")
    elif given & ~cgroup.effective_cpus:
        lost, left = cpuset.format(given & ~cgroup.effective_cpus), cpuset.format(cgroup.effective_cpus) or "empty"
        reason = (
            f"CPUs {lost} of its own are taken from it (cpuset.cpus.effective is {left}): they are offline, or a "
            "cgroup above leaves them out"
        )
        yield misaligned(reason, wanted, left)
    else:
        yield _shared(case, given, wanted) or aligned(wanted, cpuset.format(given))


def _allowed(seen: ObservedContainer) -> int | None:
    """Answer what the cgroup allows: as set, or in effect where nothing is set of its own."""
    if seen.cgroup is None:
        return None
    return seen.cgroup.cpus if seen.cgroup.cpus is not None else seen.cgroup.effective_cpus


def _shared(case: Case, given: int, wanted: str) -> Said | None:
    others = [one for one in case.site.neighbours if one.container is not case.seen]
    for other in others:
        common = given & (other.cpus or 0)
        if common:
            reason = f"CPUs {cpuset.format(common)} are open to {_named(other)} as well"
            return misaligned(reason, wanted, f"{cpuset.format(given)}, {cpuset.format(common)} shared")
    unread = next((one for one in others if one.cpus is None), None)
    if unread is None:
        return None
    cgroup = unread.container.cgroup
    gaps, field = (unread.container.unread, "cgroup") if cgroup is None else (cgroup.unread, "effective_cpus")
    why = why_unread(gaps, field, "its cgroup was not read")
    return unknown(f"whether {_named(unread)} may use them is not known: {why}", wanted, cpuset.format(given))


def _named(other: Neighbour) -> str:
    return f"container {other.container.name} of {other.pod.namespace}/{other.pod.name}"


RULE = Rule(
    code="exclusive-cpus",
    rank=20,
    promise="The cgroup allows exactly the CPUs that the kubelet gave, as many as promised, and no other container "
    "of the node may use them.",
    of_container=_look,
)
