"""How long to leave alone what could not be written: until the next look, and then longer each time.

As many agents as nodes try again otherwise at every look, for as long as a CRD, a right or a webhook is wrong.
"""

import time
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from typing import Final

FIRST_SECONDS: Final = 1.0
"""Shorter than the time between two looks: what is over soon, as of an API server that starts, delays nothing."""
MOST_SECONDS: Final = 300.0
_DOUBLINGS: Final = 16


class Pauses:
    """The pauses of one writer, by what it writes; used by one thread."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._failed: dict[str, tuple[int, float]] = {}

    def failed(self, what: str) -> None:
        """Note a write that failed; after the first one there is no pause, and each further one doubles it."""
        times = self._failed.get(what, (0, 0.0))[0] + 1
        pause = 0.0 if times == 1 else min(FIRST_SECONDS * 2 ** min(times - 2, _DOUBLINGS), MOST_SECONDS)
        self._failed[what] = times, self._monotonic() + pause

    def wrote(self, what: str) -> None:
        """Note a write that went well."""
        self._failed.pop(what, None)

    def holds(self, what: str) -> bool:
        """Tell whether it is to be left alone."""
        return self._monotonic() < self._failed.get(what, (0, float("-inf")))[1]

    def keep(self, these: AbstractSet[str]) -> None:
        """Forget all others."""
        for what in self._failed.keys() - these:
            del self._failed[what]
