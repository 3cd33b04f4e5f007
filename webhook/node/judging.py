"""The pods of one observation that something can be told of, each with the verdict on it and when it has settled."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from datetime import timedelta

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


def tellable(observation: Observation, verdict: NodeVerdict, world: World) -> Iterator[Judged]:
    """Yield the pods that were judged, and those whose readiness waits for a verdict though nothing was promised.

    Of a pod that is about to end nothing is told any more: it loses what it had bit by bit.
    """
    verdicts = {one.uid: one for one in verdict.pods}
    for pod in observation.pods:
        if get_text(get_object(pod.raw, "metadata"), "deletionTimestamp"):
            continue
        found = verdicts.get(pod.uid)
        if found is not None:
            yield _judged(pod, found, world)
        elif is_gated(pod.raw):
            yield Judged(pod, PodVerdict(pod.namespace, pod.name, pod.uid, Outcome.UNKNOWN, (), None))


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
