"""The verdict: promise against observation, rule by rule, with the evidence."""

from dataclasses import dataclass
from enum import Enum

from webhook.domain.expectation import Expectation


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
    """The verdict on one pod. `forged` says that its annotation disagrees with what its spec earns.

    `busy` is the share, 0 to 1, of its exclusive CPUs that was in use, or None; alignment shows above 0.6 and hardly
    below 0.3.
    """

    namespace: str
    name: str
    uid: str
    outcome: Outcome
    rules: tuple[RuleVerdict, ...]
    promise: Expectation | None
    forged: bool = False
    busy: float | None = None

    @property
    def reason(self) -> str:
        """The first reason that decided the outcome, for a condition or an event."""
        return next((rule.reason for rule in self.rules if rule.outcome is self.outcome), "nothing was promised")
