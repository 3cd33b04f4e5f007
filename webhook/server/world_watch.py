"""The watch of the world snapshot in the API server: one object, on a thread of its own, swapped in on the event loop.

Whatever happens to the object or to the API server, the last good snapshot stays in force.
"""

import asyncio
import logging
import threading
from collections.abc import Callable
from functools import partial
from typing import Final

from webhook.domain.api import WORLD_KEY
from webhook.domain.errors import NumagateError
from webhook.domain.errors import PolicyError
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.kube.apply import CONFIG_MAPS
from webhook.kube.client import Client
from webhook.kube.error import KubeError
from webhook.kube.once import Once
from webhook.kube.single import ObjectWatch
from webhook.server.installing import Installer
from webhook.server.metrics import Metrics
from webhook.sources.snapshot_reader import LoadedWorld
from webhook.sources.snapshot_reader import Reader

JOIN_SECONDS: Final = 2.0

_LOGGER = logging.getLogger("numagate.world")


class WorldWatch:
    """Watches the ConfigMap `name` in `namespace`; reads each content on its own thread, because that takes time."""

    def __init__(self, client: Client, *, namespace: str, name: str, installer: Installer, metrics: Metrics) -> None:
        self._client = client
        self._installer = installer
        self._metrics = metrics
        self._source = f"ConfigMap {namespace}/{name}"
        self._reader = Reader()
        self._read_once = False
        self._text: str | None = None
        self._once = Once(_LOGGER)
        self._stop = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        watch = ObjectWatch(client, CONFIG_MAPS, namespace=namespace, name=name, receive=self._receive, fail=self._fail)
        self._thread = threading.Thread(target=watch.run, args=(self._stop,), name="watch-World", daemon=True)

    def start(self) -> None:
        """Begin; call it on the event loop that decides."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stop.set()
        self._client.close()
        self._thread.join(JOIN_SECONDS)

    def _receive(self, found: JsonObject | None) -> None:
        self._once.again()
        text = get_text(get_object(found, "data"), WORLD_KEY)
        if text == self._text:
            return
        # The same content is refused once, however often it is seen again.
        self._text = text
        try:
            world = self._read(found, text)
        except NumagateError as error:
            self._on_loop(partial(self._installer.reject, error))
            return
        self._read_once = True
        self._on_loop(partial(self._installer.accept, world))

    def _read(self, found: JsonObject | None, text: str) -> LoadedWorld:
        if found is None:
            msg = "there is no such object; the controller writes it"
            raise PolicyError(msg, source=self._source)
        if not text:
            msg = f"there is nothing under {WORLD_KEY}; the controller writes it"
            raise PolicyError(msg, source=self._source)
        return self._reader.read(text.encode(), self._source)

    def _fail(self, error: KubeError) -> None:
        self._metrics.world_failures.inc()
        self._once.warn(f"the world snapshot cannot be watched: {error}; the last good one stays")
        if not self._read_once:
            self._on_loop(partial(self._installer.wait, str(error)))

    def _on_loop(self, call: Callable[[], None]) -> None:
        assert self._loop is not None  # noqa: S101  # set by start, for the type checker
        if not self._stop.is_set():
            self._loop.call_soon_threadsafe(call)
