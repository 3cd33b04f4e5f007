"""Judges what runs on a node: promise against observation, rule by rule."""

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

import webhook.verdicts
from webhook import registry
from webhook.domain.expectation import ContainerPromise
from webhook.domain.expectation import Expectation
from webhook.domain.node_faults import faults_of
from webhook.domain.observation import Observation
from webhook.domain.observation import ObservedContainer
from webhook.domain.observation import ObservedPod
from webhook.domain.phase import has_ended
from webhook.domain.policy import Verification
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.rule import NOT_KNOWN
from webhook.domain.rule import Case
from webhook.domain.rule import Neighbour
from webhook.domain.rule import Rule
from webhook.domain.rule import Site
from webhook.domain.verdict import NodeVerdict
from webhook.domain.verdict import Outcome
from webhook.domain.verdict import PodVerdict
from webhook.domain.verdict import RuleVerdict
from webhook.domain.verdict import Unjudged
from webhook.domain.verdict import overall
from webhook.engine.earned import earned
from webhook.engine.governed import governed
from webhook.engine.governed import why_no_promise
from webhook.engine.world import World

RULES: Final[tuple[Rule, ...]] = tuple(
    sorted(registry.load(webhook.verdicts, "RULE", Rule), key=lambda one: (one.rank, one.code))
)
SETTLED: Final = "settled"
"""The code of what is said of a container that cannot be judged yet."""
_FUTURE_SECONDS: Final = 600.0
"""A start that is further ahead was told by a clock that has been set back since: to wait for it may take years."""


def judge(observation: Observation, world: World) -> NodeVerdict:
    """Judge the pods of a node that ask for accelerators by the policies of `world`. Pure; never raises.

    A pod without a promise is judged against what its spec would have been promised. Pods that no policy is for, and
    those that are exempt, are promised nothing. Those that have ended are left out: the kubelet lists them for a while
    with CPUs and devices that others have by then.
    """
    living = [pod for pod in observation.pods if not has_ended(pod.raw)]
    site = Site(observation.machine, observation.kubelet, tuple(_neighbours(living)), observation.version)
    now = replace(world, instant=observation.instant)
    found = [_judge_pod(pod, site, now) for pod in living]
    verdicts = tuple(verdict for verdict in found if verdict is not None)
    return NodeVerdict(
        node=observation.node,
        instant=observation.instant,
        pods=verdicts,
        faults=tuple(faults_of(observation)),
        others=len(found) - len(verdicts),
        unjudged=tuple(_unjudged(living, now)),
    )


def has_promise(pod: JsonObject, *, world: World) -> bool:
    """Tell whether a pod would be judged: the processes of others need not be looked into."""
    return not why_no_promise(pod, world)


def _judge_pod(pod: ObservedPod, site: Site, world: World) -> PodVerdict | None:
    ruling = governed(pod.raw, world).ruling
    if ruling is None:
        return None
    found = earned(pod.raw, ruling, site.kubelet)
    if found.promise is None and not found.forged:
        return None
    asked = ruling.policy.verification
    rules = () if found.promise is None else tuple(_rules(pod, found.promise, asked, site, world.instant))
    return PodVerdict(
        namespace=pod.namespace,
        name=pod.name,
        uid=pod.uid,
        outcome=overall(one.outcome for one in rules),
        rules=rules,
        promise=found.promise,
        forged=found.forged,
        claimed=found.claimed,
        busy=None if found.promise is None else _busy(pod, found.promise),
    )


def _unjudged(pods: Sequence[ObservedPod], world: World) -> Iterator[Unjudged]:
    for pod in pods:
        if any(one.devices for one in pod.containers) and (why := governed(pod.raw, world).why):
            yield Unjudged(pod.namespace, pod.name, why)


def _rules(
    pod: ObservedPod, promise: Expectation, asked: Verification, site: Site, instant: datetime
) -> Iterator[RuleVerdict]:
    seen = {one.name: one for one in pod.containers}
    ended = {one.name for one in pod.containers if one.ended}
    promised = {name: one for name, one in promise.containers.items() if name not in ended} or promise.containers
    cases: list[Case] = []
    for name, one in promised.items():
        why = _why_too_early(seen.get(name), asked.settle_seconds, instant)
        if why:
            yield RuleVerdict(SETTLED, name, Outcome.UNKNOWN, why, f"to run for {asked.settle_seconds} s", NOT_KNOWN)
            continue
        cases.append(_case(pod, seen[name], one, numa_nodes=promise.numa_nodes, asked=asked, site=site))
    for each in RULES:
        for case in cases:
            yield from each.look(case)
        if cases and len(cases) == len(promised):
            yield from each.look_at_pod(tuple(cases))


def _case(
    pod: ObservedPod,
    seen: ObservedContainer,
    promise: ContainerPromise,
    *,
    numa_nodes: int,
    asked: Verification,
    site: Site,
) -> Case:
    return Case(
        pod=pod,
        seen=seen,
        promise=promise,
        numa_nodes=numa_nodes,
        local_memory_percent=asked.local_memory_percent,
        site=site,
        served_by_claims=_served_by_claims(pod, seen.name),
    )


def _why_too_early(seen: ObservedContainer | None, settle_seconds: int, instant: datetime) -> str:
    """Say why a container is not judged yet, "" where it is."""
    if seen is None:
        return "it was not seen on the node"
    if seen.started is None:
        return "it has ended" if seen.ended else "it does not run"
    age = (instant - seen.started).total_seconds()
    if -_FUTURE_SECONDS < age < settle_seconds:
        return f"it started {max(0, int(age))} s ago, and is judged after {settle_seconds} s"
    return ""


def _neighbours(pods: Sequence[ObservedPod]) -> Iterator[Neighbour]:
    for pod in pods:
        for one in (*pod.containers, *pod.guests):
            if one.started is not None and not _is_gone(one):
                allowed, own = _allowed(one), one.exclusive_cpus or 0
                yield Neighbour(pod, one, allowed if allowed is None else allowed | own)


def _allowed(one: ObservedContainer) -> int | None:
    if one.cgroup is None:
        return None
    return one.cgroup.cpus if one.cgroup.effective_cpus is None else one.cgroup.effective_cpus


def _is_gone(one: ObservedContainer) -> bool:
    """Tell whether a container has ended since its pod was read: neither its cgroup nor a process is there any more."""
    return bool(one.id) and not one.processes and _allowed(one) is None


def _served_by_claims(pod: ObservedPod, container: str) -> frozenset[str]:
    """Read which extended resources a claim serves (KEP-5004), from the status that the scheduler writes."""
    mapped = get_list(get_object(pod.raw, "status", "extendedResourceClaimStatus"), "requestMappings")
    return frozenset(get_text(one, "resourceName") for one in mapped if get_text(one, "containerName") == container)


def _busy(pod: ObservedPod, promise: Expectation) -> float | None:
    """Answer the share of a pod's exclusive CPUs that was in use; None where that of one container is not known."""
    pinned = {name: one.cpus for name, one in promise.containers.items() if one.cpus}
    used = [
        one.cgroup.usage for one in pod.containers if one.name in pinned and one.cgroup and one.cgroup.usage is not None
    ]
    if not pinned or len(used) != len(pinned):
        return None
    return sum(used) / sum(pinned.values())
