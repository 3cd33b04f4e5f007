"""Where the threads of the watches meet the thread of the writer: what has changed, and a bell."""

import threading
import time
from collections.abc import Iterable

from webhook.controller.schedule import Schedule
from webhook.controller.schedule import Urgency


class Changes:
    """The schedule under a lock, and a bell that wakes the writer. Every method may be called from every thread."""

    def __init__(self) -> None:
        self._schedule = Schedule()
        self._lock = threading.Lock()
        self._bell = threading.Event()
        self._whole: set[str] = set()

    def note(self, urgency: Urgency) -> None:
        """Take a change."""
        with self._lock:
            self._schedule.note(urgency)
        self._bell.set()

    def whole(self, kind: str) -> None:
        """Note that the picture of a kind is whole."""
        if kind not in self._whole:
            self._whole.add(kind)
            self._bell.set()

    def missing(self, kinds: Iterable[str]) -> list[str]:
        """Answer the kinds whose picture has not been whole yet."""
        return [kind for kind in kinds if kind not in self._whole]

    def ring(self) -> None:
        """Wake the writer for another reason."""
        self._bell.set()

    def pause(self, *, most: float) -> None:
        """Sleep until the bell rings, but no longer than `most` seconds."""
        self._bell.wait(most)
        # What rang is looked at after this, so nothing is missed.
        self._bell.clear()

    def seconds_left(self) -> float:
        """Answer how long it is until the next snapshot is due."""
        with self._lock:
            return max(0.0, self._schedule.due - time.monotonic())

    def begin(self) -> bool:
        """Begin a snapshot; answer whether the nodes are to be looked at."""
        with self._lock:
            return self._schedule.begin(time.monotonic())

    def surveyed(self, *, seconds: float) -> None:
        """Note that the look at the nodes is over."""
        with self._lock:
            self._schedule.surveyed(time.monotonic(), seconds=seconds)

    def rewrite(self) -> None:
        """Write the snapshot again as soon as may be, changed or not."""
        self.note(Urgency.OTHER)

    def refresh_due(self) -> bool:
        """Tell whether the snapshot in the cluster has become so old that it is written again, changed or not."""
        with self._lock:
            return self._schedule.refresh_due(time.monotonic())

    def wrote(self) -> None:
        """Note that the snapshot in the cluster is as new as this moment."""
        with self._lock:
            self._schedule.wrote(time.monotonic())

    def failed(self) -> None:
        """Note that it could not be written."""
        with self._lock:
            self._schedule.failed(time.monotonic())
