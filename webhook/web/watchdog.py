"""Watches the process from a thread of its own: does the event loop turn, does the TLS port shake hands?"""

import logging
import sys
import threading
import time
import traceback
from collections.abc import Callable
from typing import Final

from webhook.web import logs
from webhook.web.health import Health

LOOK_SECONDS: Final = 1.0

LATE_SECONDS: Final = 5.0
"""An event loop that has not turned for so long is worth a line in the log, long before it counts as dead."""

KNOCK_SECONDS: Final = 5.0
"""After so long without a handshake of a client, the watchdog makes one itself."""

_PATIENCE_SECONDS: Final = 4.0

_LOGGER = logging.getLogger("numagate.watchdog")


class Watchdog(threading.Thread):
    """Looks once a second; `knock` makes a TLS handshake within the seconds it is given, and tells whether it could.

    `thread` is that of the event loop; `looked` is called after each look.
    """

    def __init__(
        self, *, health: Health, thread: int, knock: Callable[[float], bool], looked: Callable[[], None]
    ) -> None:
        super().__init__(name="watchdog", daemon=True)
        self._health = health
        self._thread = thread
        self._knock = knock
        self._looked = looked
        self._told = False
        self._stopped = threading.Event()

    def run(self) -> None:
        """Look until `stop`."""
        while not self._stopped.is_set():
            self.look(time.monotonic())
            self._looked()
            self._stopped.wait(LOOK_SECONDS)

    def stop(self) -> None:
        """End."""
        self._stopped.set()

    def look(self, now: float) -> None:
        """Look once; `now` is a time of the monotonic clock."""
        late = now - self._health.heartbeat
        if late < LATE_SECONDS:
            self._told = False
        elif not self._told:
            self._told = True
            self._tell(late)
        if now - self._health.shaken >= KNOCK_SECONDS and self._knock(_PATIENCE_SECONDS):
            self._health.shake()

    def _tell(self, late: float) -> None:
        frame = sys._current_frames().get(self._thread)  # noqa: SLF001  # documented in spite of its name
        # Frames and source lines only: a value may be part of a pod.
        stack = "".join(traceback.format_stack(frame)) if frame else ""
        facts = {logs.SECONDS: round(late, 1), logs.STACK: stack}
        _LOGGER.error("the event loop is stuck", extra=logs.fields(facts))
