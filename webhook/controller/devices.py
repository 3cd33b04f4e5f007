"""Device classes of dynamic resource allocation: their names, and what a replica reads of them."""

import threading
from collections.abc import Callable
from collections.abc import Set as AbstractSet

from webhook.controller.changes import Changes
from webhook.controller.kinds import DEVICE_CLASS
from webhook.controller.schedule import Urgency
from webhook.domain.raw import JsonObject


class DeviceClasses:
    """All device classes, reduced; a sink of a reflector."""

    def __init__(self, changes: Changes, *, reduce: Callable[[JsonObject], JsonObject]) -> None:
        """`reduce` answers the entry of the snapshot."""
        self._changes = changes
        self._reduce = reduce
        self._entries: dict[str, JsonObject] = {}
        self._lock = threading.Lock()

    def put(self, key: str, found: JsonObject) -> None:
        """Take a device class."""
        entry = self._reduce(found)
        if self._entries.get(key) != entry:
            with self._lock:
                self._entries[key] = entry
            self._changes.note(Urgency.OTHER)

    def drop(self, key: str) -> None:
        """Forget a device class."""
        with self._lock:
            known = self._entries.pop(key, None)
        if known is not None:
            self._changes.note(Urgency.OTHER)

    def keep(self, keys: AbstractSet[str]) -> None:
        """Forget all but these."""
        for key in self._entries.keys() - keys:
            self.drop(key)
        self._changes.whole(DEVICE_CLASS)

    def entries(self) -> tuple[JsonObject, ...]:
        """Answer the entries of the snapshot."""
        with self._lock:
            return tuple(self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)
