"""The verdicts on the pods of one observation, and what else decides about telling them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from webhook.domain.observation import Observation
from webhook.domain.observation import ObservedPod
from webhook.domain.verdict import PodVerdict
from webhook.engine.world import World


@dataclass(frozen=True, slots=True)
class Judged:
    """A pod and the verdict on it.

    `settled` is when its last container has settled, None where one has not started. `unknown_is_ready` is what the
    policy that governs it says of a readiness gate.
    """

    pod: ObservedPod
    verdict: PodVerdict
    settled: datetime | None
    unknown_is_ready: bool = True

    def is_settled(self, instant: datetime) -> bool:
        """Tell whether its containers have run for long enough at `instant`."""
        return self.settled is not None and self.settled <= instant


Judge: TypeAlias = Callable[[Observation, World], tuple[Judged, ...]]
"""Judges every pod of an observation."""
