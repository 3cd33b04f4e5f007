"""Lets requests take turns on the event loop.

Without it the loop would decide on everything that has come before it looks at its sockets again: in an overload all
would be answered late, and those that are refused no sooner than the others.
"""

import asyncio
import math
import time
from typing import Final

from webhook.web.backlog import Backlog
from webhook.web.backlog import overloaded

SLICE_SECONDS: Final = 0.02
"""After so much of deciding the loop looks at its sockets and timers before it goes on."""


class Turns:
    """The turns on one event loop."""

    def __init__(self) -> None:
        self.backlog = Backlog()
        self._slice_end = math.inf
        self._last: float | None = None

    async def take(self, deadline: float) -> None:
        """Wait for a turn: not at all, as long as there is no queue.

        `deadline` is a time of the performance counter.

        Raises:
            RequestError: 429, it would come too late.
        """
        now = time.perf_counter()
        if now >= self._slice_end:
            with self.backlog.place(deadline - now):
                # All who wait are asked once in each round of the loop, in the order in which they came.
                while (now := time.perf_counter()) >= self._slice_end:  # noqa: ASYNC110  # the next round is the event
                    await asyncio.sleep(0)
        if now > deadline:
            raise overloaded()
        if self._slice_end is math.inf:
            self._slice_end = now + SLICE_SECONDS
            asyncio.get_running_loop().call_soon(self._renew)
        if self._last is not None:
            self.backlog.note(now - self._last)
        self._last = now if self.backlog.waiting else None

    def _renew(self) -> None:
        self._slice_end = math.inf
