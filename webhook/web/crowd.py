"""The open connections of one port: how many there may be, and which of them goes when there are too many."""

from collections import Counter
from typing import Protocol


class Guest(Protocol):
    """A connection."""

    address: str

    @property
    def busy(self) -> bool:
        """Tell whether a request of it is being answered."""

    def leave(self) -> None:
        """End at once."""


class Crowd:
    """The connections of a port, at most `limit`.

    Whoever floods a port must not keep the API server out of it. So a newcomer is let in for the oldest connection that
    has never sent a whole request, TLS handshakes included; where there is none, for the idle connection that was used
    longest ago, of the address that has most of them. A connection with a request in flight never has to go.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._strangers: dict[Guest, None] = {}
        self._known: dict[Guest, None] = {}

    def __len__(self) -> int:
        """Count all connections, those in the TLS handshake too."""
        return len(self._strangers) + len(self._known)

    def enter(self, guest: Guest) -> bool:
        """Take a newcomer in; False where nobody can leave for it."""
        if len(self) >= self.limit and not self.make_room():
            return False
        self._strangers[guest] = None
        return True

    def make_room(self) -> bool:
        """Let one connection go; False where all have a request in flight."""
        guest = next(iter(self._strangers), None) or self._longest_idle()
        if guest is None:
            return False
        self.forget(guest)
        guest.leave()
        return True

    def meet(self, guest: Guest) -> None:
        """Note that a whole request of a connection is there."""
        if guest in self:
            self.forget(guest)
            self._known[guest] = None

    def forget(self, guest: Guest) -> None:
        """Note that a connection has ended; twice does no harm."""
        self._strangers.pop(guest, None)
        self._known.pop(guest, None)

    def __contains__(self, guest: Guest) -> bool:
        """Tell whether a connection is still there."""
        return guest in self._strangers or guest in self._known

    def _longest_idle(self) -> Guest | None:
        idle = [guest for guest in self._known if not guest.busy]
        held = Counter(guest.address for guest in idle)
        most = max(held.values(), default=0)
        return next((guest for guest in idle if held[guest.address] == most), None)
