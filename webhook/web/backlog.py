"""The requests that wait for one thing, and whether one more could be answered in time."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from webhook.domain.errors import RequestError

MAX_WAITING: Final = 256
"""Beyond that a new try a second later is sooner answered."""

_SHARE: Final = 0.5
"""Of the time that a request has left, what those before it may take: an estimate may be wrong by as much."""

_WEIGHT: Final = 0.05
"""Of the newest figure in the average."""


class Backlog:
    """Counts who waits, and knows what each takes on average; on one event loop."""

    def __init__(self) -> None:
        self.waiting = 0
        self.seconds = 0.0

    @contextmanager
    def place(self, seconds_left: float) -> Iterator[None]:
        """Wait behind the others for the time of a `with` block.

        Raises:
            RequestError: 429 at once, so that the API server can ask again within its timeout: there would hardly be
                an answer in time.
        """
        if self.waiting >= MAX_WAITING or self.waiting * self.seconds > seconds_left * _SHARE:
            raise overloaded()
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1

    def note(self, seconds: float) -> None:
        """Note what one took, all in all, while others waited."""
        self.seconds += (seconds - self.seconds) * _WEIGHT


def overloaded() -> RequestError:
    """Answer the error for a request that comes at a bad moment."""
    msg = "numagate is overloaded at this moment: try again"
    return RequestError(msg, status=429, reason="TooManyRequests")
