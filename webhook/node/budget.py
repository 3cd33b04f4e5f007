"""The time that one pass over a node may take."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """Until when a pass goes on reading, by a clock that only goes forward; what comes later is left unread."""

    end: float
    monotonic: Callable[[], float] = time.monotonic

    @staticmethod
    def of(seconds: float, monotonic: Callable[[], float] = time.monotonic) -> "Budget":
        """Make one that begins now."""
        return Budget(monotonic() + seconds, monotonic)

    @property
    def spent(self) -> bool:
        """Whether there is no time left."""
        return self.monotonic() >= self.end

    def part(self, seconds: float) -> "Budget":
        """Answer a budget of at most so many seconds out of this one."""
        return Budget(min(self.end, self.monotonic() + seconds), self.monotonic)
