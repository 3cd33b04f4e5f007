"""The world as the snapshot in the cluster has it: what somebody judges by who asks seldom, whoever wrote it."""

import logging
import threading
from datetime import datetime
from typing import Final

from webhook.domain.errors import PolicyError
from webhook.engine.world import World
from webhook.sources.snapshot_reader import LoadedWorld
from webhook.sources.snapshot_reader import Reader

_LOGGER = logging.getLogger("numagate.world")
_SOURCE: Final = "the world snapshot"


class KnownWorld:
    """Reads the snapshot when somebody asks, which is seldom; one that cannot be read leaves the last one in force."""

    def __init__(self, own_namespace: str) -> None:
        """Know nothing yet."""
        self._own_namespace = own_namespace
        self._reader = Reader()
        self._text = self._read = ""
        self._held: str | None = None
        self._loaded: LoadedWorld | None = None
        self._lock = threading.Lock()

    def receive(self, text: str) -> None:
        """Take what the cluster holds now, "" for nothing."""
        self._text = text or self._text

    def holds(self, text: str) -> bool:
        """Tell whether this, which the cluster holds now, is the world in force: not if it cannot be read."""
        self._newest()
        return text == self._held

    def __call__(self, now: datetime) -> World | None:
        """Answer the world at this moment; None while nothing is known."""
        loaded = self._newest()
        if loaded is None:
            return None
        return World(
            policies=loaded.policies,
            classes=loaded.classes,
            own_namespace=self._own_namespace,
            instant=now,
            namespaces=loaded.namespaces,
            claims=loaded.claims,
        )

    def _newest(self) -> LoadedWorld | None:
        with self._lock:
            text = self._text
            if text != self._read:
                self._read = text
                try:
                    self._loaded = self._reader.read(text.encode(), _SOURCE)
                    self._held = text
                except PolicyError as error:
                    _LOGGER.warning("the snapshot cannot be read, the last one stays: %s", error)
            return self._loaded
