"""When to look at the node again: now and then, soon after something has changed, and when a container has settled."""

import math
import random
from collections.abc import Callable
from typing import Final

LOOK_SECONDS: Final = 30.0
SOON_SECONDS: Final = 1.0
"""From a change to the look at it: the kubelet's own writes come in bursts."""
COST_SHARE: Final = 4.0
"""After a look the next one waits at least this many times as long as it took: at most a fifth of a CPU."""
SPREAD: Final = 0.2
"""The share by which the time between two looks varies, so that nodes do not write in step."""


class Pace:
    """The times of one agent, in seconds of a monotonic clock; it has no clock of its own."""

    def __init__(
        self,
        *,
        look_seconds: float = LOOK_SECONDS,
        soon_seconds: float = SOON_SECONDS,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """`chance` answers a number from 0 to 1."""
        self._look_seconds = look_seconds
        self._soon_seconds = soon_seconds
        self._chance = chance
        self._due = -math.inf
        self._not_before = -math.inf

    @property
    def due(self) -> float:
        """When the next look is to begin."""
        return max(self._due, self._not_before)

    def changed(self, now: float) -> None:
        """Note that something is new."""
        self._due = min(self._due, now + self._soon_seconds)

    def began(self, now: float) -> None:
        """Begin a look: what changes from now on counts for the next one."""
        self._due = now + self._look_seconds * (1 + SPREAD * (2 * self._chance() - 1))

    def ended(self, now: float, *, seconds: float, wait: float = math.inf) -> None:
        """Note that a look is over and what it took; after `wait` there is something to be seen that is not yet."""
        self._due = min(self._due, now + wait)
        self._not_before = now + COST_SHARE * seconds
