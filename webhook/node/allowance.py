"""How much may be said at once: a few things in a row, and then one now and then."""

import time
from collections.abc import Callable
from typing import Final

BURST: Final = 30
PER_SECOND: Final = 1 / 60
"""For a whole node: 15,000 that cannot stop talking are 250 writes a second."""


class Allowance:
    """A bucket of tokens that fills slowly; not for several threads."""

    def __init__(
        self, *, burst: int = BURST, per_second: float = PER_SECOND, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._burst = burst
        self._per_second = per_second
        self._clock = clock
        self._tokens = float(burst)
        self._filled = clock()

    def take(self) -> bool:
        """Take one, if there is one."""
        now = self._clock()
        self._tokens = min(self._burst, self._tokens + (now - self._filled) * self._per_second)
        self._filled = now
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True
