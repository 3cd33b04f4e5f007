"""What is known about the nodes: reduced objects only, in an inventory that makes node classes of them."""

import threading
import time
from collections.abc import Callable
from collections.abc import Hashable
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Any

from webhook.controller.changes import Changes
from webhook.controller.schedule import Urgency
from webhook.domain.raw import JsonObject
from webhook.sources import evidence
from webhook.sources.evidence import ProfileFacts
from webhook.sources.inventory.store import Inventory
from webhook.sources.inventory.survey import Survey


class Fleet:
    """The inventory under a lock; surveys take seconds on a large cluster, and the watches wait for them."""

    def __init__(self, inventory: Inventory, changes: Changes) -> None:
        self._inventory = inventory
        self._changes = changes
        self._lock = threading.Lock()

    def put(self, facts: evidence.Facts) -> bool:
        """Take an object; answer whether it was new or other than before."""
        with self._lock:
            return self._inventory.put(facts)

    def drop(self, kind: str, name: str) -> None:
        """Forget an object."""
        with self._lock:
            known = self._inventory.remove(kind, name)
        if known:
            self._changes.note(Urgency.NODES)

    def survey(
        self, profiles: Sequence[ProfileFacts], minimum: int, *, before: Sequence[JsonObject], now: datetime
    ) -> Survey:
        """Make the classes anew; `now` tells whose agent has been silent for long."""
        started = time.monotonic()
        with self._lock:
            found = self._inventory.survey(profiles, minimum, before=before, now=now)
        self._changes.surveyed(seconds=time.monotonic() - started)
        return found


class Facts:
    """One kind of objects about nodes; a sink of a reflector.

    `reduce` answers what is kept of an object, None where nothing is. `lasting` answers the part of it that classes are
    made of: where that stays, only free capacity has changed, and there is no hurry.
    """

    def __init__(
        self,
        kind: str,
        fleet: Fleet,
        *,
        reduce: Callable[[JsonObject], Any],
        changes: Changes,
        lasting: Callable[[Any], Hashable] = lambda facts: facts,
    ) -> None:
        self.kind = kind
        self._fleet = fleet
        self._reduce = reduce
        self._changes = changes
        self._lasting = lasting
        self._known: dict[str, int] = {}

    def put(self, key: str, found: JsonObject) -> None:
        """Take an object."""
        facts = self._reduce(found)
        if facts is None:
            self.drop(key)
            return
        # A number of its lasting part is enough to see that it changed: the inventory has the rest.
        lasting = hash(self._lasting(facts))
        before = self._known.get(key)
        self._known[key] = lasting
        if self._fleet.put(facts):
            self._changes.note(Urgency.FREE if before == lasting else Urgency.NODES)

    def drop(self, key: str) -> None:
        """Forget an object."""
        if self._known.pop(key, None) is not None:
            self._fleet.drop(self.kind, key.rpartition("/")[2])

    def keep(self, keys: AbstractSet[str]) -> None:
        """Forget all but these."""
        for key in self._known.keys() - keys:
            self.drop(key)
        self._changes.whole(self.kind)

    def __len__(self) -> int:
        return len(self._known)
