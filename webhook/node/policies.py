"""The policies that the agent judges by: read from the world snapshot in the cluster now and then.

Serving pods watch the snapshot, which its writer refreshes every minute. As many agents as nodes would have all API
servers send it to all nodes each time; they read it every few minutes instead, each at times of its own, and soon after
a pod has come that is newer.
"""

import logging
import math
import random
import threading
import time
from collections.abc import Callable
from datetime import UTC
from datetime import datetime
from typing import Final

from webhook.domain import api
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.engine.world import World
from webhook.kube.apply import CONFIG_MAPS
from webhook.kube.backoff import Backoff
from webhook.kube.client import Ask
from webhook.kube.client import Client
from webhook.kube.error import KubeError
from webhook.kube.listing import read_object
from webhook.kube.once import Once
from webhook.sources.known_world import KnownWorld

READ_SECONDS: Final = 300.0
ASK_SECONDS: Final = 10.0
"""Between two reads that somebody asked for, at least, and up to as much again at random."""
TICK_SECONDS: Final = 1.0
"""How soon who asks is heard."""

_LOGGER = logging.getLogger("numagate.world")


class Policies:
    """Reads the ConfigMap `name` in `namespace`; `on_read` is called after each time that went well."""

    def __init__(
        self,
        client: Client,
        *,
        namespace: str,
        name: str = api.WORLD_MAP,
        on_read: Callable[[datetime], None] = lambda _instant: None,
        read_seconds: float = READ_SECONDS,
        ask_seconds: float = ASK_SECONDS,
        tick_seconds: float = TICK_SECONDS,
        backoff: Backoff | None = None,
        chance: Callable[[], float] = random.random,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client = client
        self._path = CONFIG_MAPS.path(namespace, name)
        self._known = KnownWorld(namespace)
        self._on_read = on_read
        self._read_seconds = read_seconds
        self._ask_seconds = ask_seconds
        self._tick_seconds = tick_seconds
        self._backoff = backoff or Backoff()
        self._chance = chance
        self._monotonic = monotonic
        self._once = Once(_LOGGER)
        self._wanted = False
        self.asked = -math.inf
        """When the policies in force were asked for, in seconds of the monotonic clock."""

    def __call__(self, now: datetime) -> World | None:
        """Answer the world at this moment; None while nothing is known."""
        return self._known(now)

    def ask(self) -> None:
        """Have the policies read soon; may be called from any thread, and often."""
        self._wanted = True

    def run(self, stop: threading.Event) -> None:
        """Read until `stop` is set."""
        while not stop.is_set():
            self._wanted = False
            began = self._monotonic()
            wait = self._read(began)
            # After what went wrong nobody is heard: it would go wrong again.
            self._pause(stop, wait, hears=self.asked == began)

    def _pause(self, stop: threading.Event, wait: float, *, hears: bool) -> None:
        """Wait, for a shorter time where somebody asks; not all nodes at the same moment then."""
        now = self._monotonic()
        due, soonest = now + wait, now + self._ask_seconds
        while now < due and not stop.wait(min(self._tick_seconds, due - now)):
            now = self._monotonic()
            if hears and self._wanted:
                hears = False
                due = min(due, max(soonest, now) + self._ask_seconds * self._chance())

    def _read(self, began: float) -> float:
        """Read once; answer how long to wait."""
        try:
            found = read_object(self._client.send(Ask(path=self._path)), self._path)
        except KubeError as error:
            self._once.warn(f"the policies cannot be read: {error}; the last ones stay")
            return self._backoff.next()
        except Exception:
            # The edge of the thread, which nobody would start again.
            _LOGGER.exception("bug while reading the policies")
            return self._read_seconds
        self._once.again()
        text = get_text(get_object(found, "data"), api.WORLD_KEY)
        self._known.receive(text)
        if self._known.holds(text):
            self.asked = began
        self._on_read(datetime.now(UTC))
        return self._read_seconds * (1 + self._chance())
