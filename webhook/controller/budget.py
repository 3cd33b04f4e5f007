"""How often something of ours is written over what somebody else wrote: a few times, then it is only told.

Two that insist on their own content would else fight for ever, and every fight is load on the API server.
"""

from typing import Final

HOUR: Final = 3600.0
SAME: Final = 3
"""Writes of one content in an hour: somebody else puts his own back each time."""
ALL: Final = 30
"""Writes of any content in an hour: the policies change again and again."""


class Budget:
    """The writes of the last hour; the caller has the clock."""

    def __init__(self) -> None:
        """Begin with nothing written."""
        self._written: list[tuple[float, str]] = []

    def allows(self, content: str, now: float) -> bool:
        """Tell whether this content may be written now."""
        self._written = [one for one in self._written if now - one[0] < HOUR]
        return len(self._written) < ALL and sum(one[1] == content for one in self._written) < SAME

    def note(self, content: str, now: float) -> None:
        """Note a write."""
        self._written.append((now, content))
