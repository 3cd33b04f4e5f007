"""Which agents were heard lately: what they verify, whose word still counts, and when that is to be asked again."""

from collections.abc import Iterable
from collections.abc import Iterator
from datetime import datetime
from datetime import timedelta
from typing import Final

from webhook.domain import instant
from webhook.sources.inventory._instants import written
from webhook.sources.inventory.alike import Record

LATELY: Final = timedelta(minutes=15)
"""An agent writes its object every five minutes, changed or not; after so long a silence nobody verifies pods there.
A node younger than this has time to get its agent."""
_NEVER: Final = "~"
"""Later than every instant."""
COUNTS: Final = timedelta(hours=1)
"""After this an agent's word confirms no topology: the kubelet may have been set otherwise since then, unseen."""


class Freshness:
    """Judges ages at one instant; without one nobody's word is too old, and nobody verifies anything."""

    def __init__(self, now: datetime | None = None) -> None:
        """Turn the bounds into texts, which are compared fast: there are many nodes."""
        self._now = now
        self._lately = written(now - LATELY) if now else _NEVER
        self._counts = written(now - COUNTS) if now else ""

    def counts(self, record: Record) -> bool:
        """Tell whether what the node's agent says is young enough to confirm what others say."""
        return record.alignment is not None and record.alignment.seen >= self._counts

    def verifies(self, members: Iterable[Record]) -> bool:
        """Tell whether agents verify pods wherever one may land: on every node that takes pods, the youngest aside."""
        nodes = list(members)
        return any(map(self._heard, nodes)) and not any(map(self.is_silent, nodes))

    def is_silent(self, record: Record) -> bool:
        """Tell whether pods may land on a node where nobody would verify them."""
        ready = record.node is None or record.node.schedulable
        return ready and not self._heard(record) and not self._is_young(record)

    def holds_until(self, records: Iterable[Record]) -> datetime | None:
        """Answer the instant at which the first of these answers may be another; None for never."""
        young: str | None = None
        heard: str | None = None
        counted: str | None = None
        for one in records:
            if self._heard(one):
                heard = _earlier(heard, one.alignment.seen if one.alignment else "")
            elif self._is_young(one) and one.node is not None:
                young = _earlier(young, one.node.created)
            if self._now and not self._heard(one) and self.counts(one) and one.alignment is not None:
                counted = _earlier(counted, one.alignment.seen)
        return min(_ends((young, LATELY), (heard, LATELY), (counted, COUNTS)), default=None)

    def _heard(self, record: Record) -> bool:
        return record.alignment is not None and record.alignment.seen >= self._lately

    def _is_young(self, record: Record) -> bool:
        return record.node is not None and record.node.created >= self._lately


def _earlier(one: str | None, other: str) -> str:
    return other if one is None else min(one, other)


def _ends(*starts: tuple[str | None, timedelta]) -> Iterator[datetime]:
    for text, span in starts:
        start = instant.parse(text or "")
        if start is not None:
            yield start + span
