"""The verdict: promise against observation, rule by rule, with the evidence."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Final

from webhook.domain.expectation import Expectation

LITTLE: Final = 0.3
"""Below this share of CPUs in use, remote memory and devices cost next to nothing; measured with model servers."""
MUCH: Final = 0.6
"""Above it, the slowest answers take clearly longer."""


class Outcome(Enum):
    """What was found; a pod is misaligned if one rule is, else unknown if one rule is, else aligned."""

    ALIGNED = "aligned"
    MISALIGNED = "misaligned"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """What one rule says: its code, the container (None: the pod), a reason in one line, and both sides of it.

    `wanted` and `seen` are short texts for the two columns of a report ("4 exclusive CPUs", "0-3 on NUMA node 0").
    """

    rule: str
    container: str | None
    outcome: Outcome
    reason: str
    wanted: str
    seen: str


@dataclass(frozen=True, slots=True)
class PodVerdict:
    """The verdict on one pod. `promise` is what its spec earns, and what was judged; None where it earns nothing.

    `forged` says that its annotation disagrees with that; `claimed` is what the annotation says, where it can be read.
    Neither counts as evidence. `busy` is the share, 0 to 1, of its exclusive CPUs that was in use, or None.
    """

    namespace: str
    name: str
    uid: str
    outcome: Outcome
    rules: tuple[RuleVerdict, ...]
    promise: Expectation | None
    forged: bool = False
    claimed: Expectation | None = None
    busy: float | None = None

    @property
    def reason(self) -> str:
        """The first reason that decided the outcome, for a condition or an event."""
        told = next((rule for rule in self.rules if rule.outcome is self.outcome), None)
        if told is None:
            return "nothing was promised"
        return told.reason if told.container is None else f"container {told.container}: {told.reason}"


@dataclass(frozen=True, slots=True)
class NodeFault:
    """Something wrong with the node itself, which no pod can help: a code, what is wrong, and what to do."""

    code: str
    reason: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A pod that the kubelet gave devices, and that is not judged: it is exempt, or no policy is for it."""

    namespace: str
    name: str
    why: str


@dataclass(frozen=True, slots=True)
class NodeVerdict:
    """The verdicts on the pods of a node; `others` is how many run there that are promised nothing.

    Of these, `unjudged` may miss a verdict: nobody would promise anything to the rest, which have no accelerators.
    """

    node: str
    instant: datetime
    pods: tuple[PodVerdict, ...]
    faults: tuple[NodeFault, ...] = ()
    others: int = 0
    unjudged: tuple[Unjudged, ...] = ()

    def count(self, outcome: Outcome) -> int:
        """Count the pods with this outcome."""
        return sum(pod.outcome is outcome for pod in self.pods)


def overall(outcomes: Iterable[Outcome]) -> Outcome:
    """Answer what several outcomes add up to; none of them is no evidence, which is unknown."""
    found = set(outcomes)
    for outcome in (Outcome.MISALIGNED, Outcome.UNKNOWN, Outcome.ALIGNED):
        if outcome in found:
            return outcome
    return Outcome.UNKNOWN


def weight(busy: float | None) -> str:
    """Say how much alignment matters for a pod that uses this share of its CPUs.

    >>> weight(0.2)
    'CPU use 20 %: alignment matters little below 30 %'
    """
    if busy is None:
        return ""
    use = f"CPU use {busy * 100:.0f} %"
    if busy < LITTLE:
        return f"{use}: alignment matters little below {LITTLE * 100:.0f} %"
    if busy < MUCH:
        return f"{use}: alignment begins to matter"
    return f"{use}: alignment matters clearly above {MUCH * 100:.0f} %"
