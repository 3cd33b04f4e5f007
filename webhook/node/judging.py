"""The pods of one observation that something can be told of, each with the verdict on it and when it has settled."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from datetime import timedelta

from webhook.domain import keys
from webhook.domain.expectation import decode
from webhook.domain.observation import Observation
from webhook.domain.observation import ObservedPod
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.verdict import NodeVerdict
from webhook.domain.verdict import Outcome
from webhook.domain.verdict import PodVerdict
from webhook.engine.ruling import rule
from webhook.engine.verify import SETTLED
from webhook.engine.world import World
from webhook.node.standing import is_gated


@dataclass(frozen=True, slots=True)
class Judged:
    """A pod and the verdict on it; `settled` is false while it is too early to tell.

    `settles` is when that ends, None where a container has not even started. `unknown_is_ready` is what the policy that
    governs the pod says of a readiness gate.
    """

    pod: ObservedPod
    verdict: PodVerdict
    settled: bool = True
    settles: datetime | None = None
    unknown_is_ready: bool = True


def unexplained(observation: Observation, verdict: NodeVerdict) -> Iterator[str]:
    """Yield the UIDs of pods that wait for a verdict and have a promise with them of which the policies know nothing.

    A policy or a namespace that is newer than those that are known gave it, or one that is no more.
    """
    explained = {one.uid for one in verdict.pods if one.rules}
    for pod in observation.pods:
        if pod.uid not in explained and is_gated(pod.raw) and decode(_annotation(pod)) is not None:
            yield pod.uid


def tellable(
    observation: Observation, verdict: NodeVerdict, world: World, young: frozenset[str] = frozenset()
) -> Iterator[Judged]:
    """Yield the pods that were judged, and those whose readiness waits for a verdict though nothing was promised.

    For those that are `young` it is too early to tell that nothing was. Of a pod that is about to end nothing is told
    any more: it loses what it had bit by bit.
    """
    verdicts = {one.uid: one for one in verdict.pods}
    for pod in observation.pods:
        if get_text(get_object(pod.raw, "metadata"), "deletionTimestamp"):
            continue
        found = verdicts.get(pod.uid)
        if pod.uid in young:
            yield Judged(pod, _nothing(pod), settled=False)
        elif found is not None:
            yield _judged(pod, found, world)
        elif is_gated(pod.raw):
            yield Judged(pod, _nothing(pod))


def _nothing(pod: ObservedPod) -> PodVerdict:
    return PodVerdict(pod.namespace, pod.name, pod.uid, Outcome.UNKNOWN, (), None)


def _annotation(pod: ObservedPod) -> str:
    return get_text(get_object(pod.raw, "metadata", "annotations"), keys.ALIGNMENT)


def _judged(pod: ObservedPod, verdict: PodVerdict, world: World) -> Judged:
    early = [one for one in verdict.rules if one.rule == SETTLED]
    ruling = rule(pod.raw, pod.namespace, world)
    if ruling is None:
        return Judged(pod, verdict)
    asked = ruling.policy.verification
    if not early:
        return Judged(pod, verdict, unknown_is_ready=asked.unknown_is_ready)
    started = {one.name: one.started for one in pod.containers}
    moments = [started.get(one.container or "") for one in early]
    known = [moment for moment in moments if moment is not None]
    wait = timedelta(seconds=asked.settle_seconds)
    return Judged(
        pod,
        verdict,
        # One container that is wrong is enough, however young the others are.
        settled=verdict.outcome is Outcome.MISALIGNED,
        settles=max(known) + wait if len(known) == len(moments) else None,
        unknown_is_ready=asked.unknown_is_ready,
    )
