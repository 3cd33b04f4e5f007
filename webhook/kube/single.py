"""Keeps a picture of one object, with no right but to get and to watch just that one.

Reads it, watches from there, and reads it again whenever the watch ends: one object costs less than the care that a
reflector takes. An object that is not there is watched for from the state as it is.
"""

import logging
import threading
from collections.abc import Callable
from typing import Final

from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.kube.backoff import Backoff
from webhook.kube.client import Ask
from webhook.kube.client import Client
from webhook.kube.error import KubeError
from webhook.kube.listing import read_object
from webhook.kube.resource import Resource
from webhook.kube.watching import BOOKMARK
from webhook.kube.watching import DELETED
from webhook.kube.watching import named
from webhook.kube.watching import watch

MOST_SECONDS: Final = 8.0
"""The longest wait between two tries, before chance: to ask for one object is no load."""

_LOGGER = logging.getLogger("numagate.watch")


class ObjectWatch:
    """Watches one object.

    `receive` gets it at the start and at each change, None where it does not exist; `fail` hears of each try that
    failed. Both are called on the thread of `run`.
    """

    def __init__(
        self,
        client: Client,
        resource: Resource,
        *,
        namespace: str,
        name: str,
        receive: Callable[[JsonObject | None], None],
        fail: Callable[[KubeError], None] = lambda _error: None,
        backoff: Backoff | None = None,
    ) -> None:
        self._client = client
        self._all = resource.path(namespace)
        self._one = resource.path(namespace, name)
        self._name = name
        self._receive = receive
        self._fail = fail
        self._backoff = backoff or Backoff(most=MOST_SECONDS)

    def run(self, stop: threading.Event) -> None:
        """Read and watch until `stop` is set and the client closed."""
        while not stop.is_set():
            try:
                changed = self._follow(self._read())
            except KubeError as error:
                changed = False
                if not stop.is_set():
                    self._fail(error)
            except Exception:
                # The edge of the thread: a bug about one content must not end the watch for the next one.
                changed = False
                _LOGGER.exception("bug while watching %s", self._one)
            if not changed:
                stop.wait(self._backoff.next())

    def _read(self) -> str:
        try:
            found = read_object(self._client.send(Ask(path=self._one)), self._one)
        except KubeError as error:
            if not error.absent:
                raise
            self._receive(None)
            return ""
        self._receive(found)
        return get_text(get_object(found, "metadata"), "resourceVersion")

    def _follow(self, version: str) -> bool:
        """Watch to the end; answer whether anything came, so that an end without a word is followed by a wait."""
        came = False
        for event in watch(self._client, self._all, version=version, fields=named(self._name)):
            came = True
            if event.kind != BOOKMARK:
                self._receive(None if event.kind == DELETED else event.object)
        return came
