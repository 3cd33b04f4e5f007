"""How long to wait before the next try: longer each time, never in step with others, short again after a quiet time."""

import random
import time
from collections.abc import Callable
from typing import Final

FIRST_SECONDS: Final = 0.8
MOST_SECONDS: Final = 30.0
FACTOR: Final = 2.0
QUIET_SECONDS: Final = 120.0
"""All four as in client-go's Reflector, so that an API server that recovers sees the load that it is made for."""


class Backoff:
    """The waits of one watcher: each `next()` is twice the one before, and up to as much again at random.

    Nobody asked for `QUIET_SECONDS` means that all is well, and the waits start small again.
    """

    def __init__(
        self,
        *,
        first: float = FIRST_SECONDS,
        most: float = MOST_SECONDS,
        clock: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """`chance` answers a number from 0 to 1."""
        self._first = self._wait = first
        self._most = most
        self._clock = clock
        self._chance = chance
        self._asked = clock()

    def next(self) -> float:
        """Answer the seconds to wait now."""
        now = self._clock()
        if now - self._asked > QUIET_SECONDS:
            self._wait = self._first
        self._asked = now
        wait, self._wait = self._wait, min(self._wait * FACTOR, self._most)
        return wait * (1 + self._chance())
