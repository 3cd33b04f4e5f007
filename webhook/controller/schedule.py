"""When to write the next snapshot: soon after a change that decides about pods, seldom for free capacity alone."""

import math
from enum import IntEnum
from typing import Final

SOON_SECONDS: Final = 0.2
"""From the begin of one snapshot to that of the next."""

NODES_SECONDS: Final = 0.5
"""Between two surveys of all nodes because of topology or policies."""

FREE_SECONDS: Final = 15.0
"""Between two snapshots because of free capacity, which changes with every pod and only ever warns."""

REFRESH_SECONDS: Final = 60.0
"""An unchanged snapshot is written again after this time, so that its age tells whether anybody still looks."""

SURVEY_SHARE: Final = 4.0
"""After a survey of all nodes the next one waits this many times as long as it took: at most a fifth of a CPU."""

RETRY_SECONDS: Final = 2.0


class Urgency(IntEnum):
    """What a change is about."""

    FREE = 1
    """Free capacity alone."""
    NODES = 2
    """What classes are made of: nodes, reports, profiles, and the policies, which say whom to trust."""
    OTHER = 3
    """Namespaces and whatever else needs no look at the nodes."""


class Schedule:
    """The times of one writer, in seconds of a monotonic clock; it has no clock of its own."""

    def __init__(self) -> None:
        self._pending: set[Urgency] = {Urgency.NODES, Urgency.OTHER}
        self._looked = self._written = self._surveyed = -math.inf
        self._not_before = -math.inf
        self._cost = 0.0
        self._put_off = False

    def note(self, urgency: Urgency) -> None:
        """Take a change."""
        self._pending.add(urgency)

    @property
    def due(self) -> float:
        """When the next snapshot is to be made."""
        soonest = min(self._survey_due, self._written + REFRESH_SECONDS)
        if Urgency.OTHER in self._pending:
            soonest = -math.inf
        return max(soonest, self._looked + SOON_SECONDS, self._not_before)

    @property
    def _survey_due(self) -> float:
        if Urgency.NODES in self._pending:
            return self._surveyed + max(NODES_SECONDS, SURVEY_SHARE * self._cost)
        return self._surveyed + FREE_SECONDS if Urgency.FREE in self._pending else math.inf

    def begin(self, now: float) -> bool:
        """Begin a snapshot; answer whether the nodes are to be looked at, or the classes of the last look serve.

        What needs no look does not wait for one that is due, too; but the look comes next, whatever else is new.
        Changes that come from now on count for the next snapshot.
        """
        due = self._survey_due <= now
        hurried = Urgency.OTHER in self._pending and not self._put_off and self._surveyed > -math.inf
        survey = due and not hurried
        self._put_off = due and hurried
        self._looked = now
        self._pending.discard(Urgency.OTHER)
        if survey:
            self._surveyed = now
            self._pending -= {Urgency.NODES, Urgency.FREE}
        return survey

    def refresh_due(self, now: float) -> bool:
        """Tell whether an unchanged snapshot is to be written again."""
        return self._written + REFRESH_SECONDS <= now

    def surveyed(self, now: float, *, seconds: float) -> None:
        """Note that the look at the nodes is over, and what it took."""
        self._surveyed, self._cost = now, seconds

    def wrote(self, now: float) -> None:
        """Note that the snapshot in the cluster is as new as this."""
        self._written = now

    def failed(self, now: float) -> None:
        """Note that it could not be written: again in a while."""
        self._not_before = now + RETRY_SECONDS
        self._pending.add(Urgency.OTHER)
