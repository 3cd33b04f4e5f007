"""The one that writes: the snapshot, and the status of policies and profiles, while this replica leads."""

import logging
import threading
import time
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Sequence
from datetime import UTC
from datetime import datetime
from typing import Final
from typing import Protocol

from webhook.controller.changes import Changes
from webhook.controller.documents import Documents
from webhook.controller.metrics import Metrics
from webhook.domain.errors import NumagateError
from webhook.domain.raw import JsonObject
from webhook.kube.once import Once
from webhook.sources.snapshot import check_size

IDLE_SECONDS: Final = 1.0
"""How often to look whether we lead, where no bell rings."""

RETRY_SECONDS: Final = 5.0
"""Between two tries to write a status: it informs people, and the snapshot does not wait for it."""

RECENT: Final = 8
"""Texts of ours that may still come back from the watch after a newer one was written."""

_EPOCH = datetime.fromtimestamp(0, UTC)

_LOGGER = logging.getLogger("numagate.world")


class Composer(Protocol):
    """Makes the content of a snapshot."""

    def compose(self, *, survey: bool) -> Callable[[datetime], str]:
        """Gather it, with a new look at the nodes if so asked; answer what writes it out with an instant."""

    def adopt(self, text: str) -> None:
        """Learn from the last snapshot, whoever wrote it; a text that is none is ignored."""


class Writer:
    """Runs on a thread of its own; `publish` and `tell` write to the API server, and raise NumagateError."""

    def __init__(
        self,
        *,
        changes: Changes,
        kinds: Iterable[str],
        composer: Composer,
        documents: Sequence[Documents],
        leading: Callable[[], bool],
        publish: Callable[[str], None],
        tell: Callable[[Documents, str, JsonObject], None],
        metrics: Metrics,
    ) -> None:
        """`kinds` must be known whole before anything is written."""
        self._changes = changes
        self._kinds = tuple(kinds)
        self._composer = composer
        self._documents = documents
        self._leading = leading
        self._publish = publish
        self._tell = tell
        self._metrics = metrics
        self._content = ""
        self._led = False
        self._told_at = 0.0
        self._once = Once(_LOGGER)
        # Shared with the thread of the object's watch.
        self._lock = threading.Lock()
        self._recent: list[str] = []
        self._forced = False

    def run(self, stop: threading.Event) -> None:
        """Write what is due, until `stop` is set and the bell rings."""
        while not stop.is_set():
            try:
                left = self.step()
            except Exception:
                # The edge of the thread: it must outlive a bug, or the snapshot would grow old for good.
                _LOGGER.exception("bug while writing the snapshot")
                self._changes.failed()
                left = IDLE_SECONDS
            if left > 0 and not stop.is_set():
                self._changes.pause(most=min(left, IDLE_SECONDS))

    def step(self) -> float:
        """Write what is due; answer the seconds until there may be more to do."""
        leads = self._leading() and not self._changes.missing(self._kinds)
        if leads and not self._led:
            # Whatever is there may be the work of another, who saw less than we do.
            self._force()
        self._led = leads
        if not leads:
            return IDLE_SECONDS
        if self._changes.seconds_left() == 0:
            self._write()
        self._judge()
        return self._changes.seconds_left()

    def receive(self, text: str) -> None:
        """Hear what the cluster holds now ("" for nothing); called on the thread of its watch.

        What is not ours is replaced at once: somebody deleted, emptied or changed it.
        """
        with self._lock:
            ours, wrote = text in self._recent, bool(self._recent)
        if ours:
            return
        if self._led and wrote:
            _LOGGER.warning("the snapshot in the cluster is not as we wrote it: writing it again")
            self._force()
        else:
            self._composer.adopt(text)

    def _force(self) -> None:
        with self._lock:
            self._forced = True
        self._changes.rewrite()

    def _write(self) -> None:
        with self._lock:
            forced, self._forced = self._forced, False
        render = self._composer.compose(survey=self._changes.begin())
        content = render(_EPOCH)
        if content == self._content and not forced and not self._changes.refresh_due():
            return
        if not self._leading():
            # To compose may take seconds, and another may lead by now.
            self._changes.failed()
            self._force()
            return
        now = datetime.now(UTC)
        text = render(now)
        try:
            check_size(text)
            with self._lock:
                self._recent = [*self._recent[1 - RECENT :], text]
            self._publish(text)
        except NumagateError as error:
            self._fail(error)
            self._changes.failed()
            self._force()
            return
        self._content = content
        self._once.again()
        self._changes.wrote()
        self._metrics.wrote(len(text.encode()), now)

    def _judge(self) -> None:
        if time.monotonic() < self._told_at + RETRY_SECONDS:
            return
        for documents in self._documents:
            for name, status in documents.verdicts(datetime.now(UTC)):
                try:
                    self._tell(documents, name, status)
                except NumagateError as error:
                    self._fail(error)
                    self._told_at = time.monotonic()
                    return
                documents.told(name, status)

    def _fail(self, error: NumagateError) -> None:
        self._metrics.write_failures.inc()
        self._once.warn(f"not written: {error}; trying again")
