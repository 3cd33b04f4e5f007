"""Keeps the NodeAlignment of the node: written when it says something new, and before it grows old."""

import random
import time
from collections.abc import Callable
from typing import Final

from webhook.domain import api
from webhook.domain.node_alignment import RENEW_SECONDS
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.kube.client import Client
from webhook.kube.error import KubeError
from webhook.kube.resource import Resource
from webhook.kube.telling import apply_object
from webhook.node.metrics import OBJECT
from webhook.node.metrics import Metrics
from webhook.node.pauses import Pauses
from webhook.node.telling import MANAGER

ALIGNMENTS: Final = Resource(api.GROUP, api.VERSION, api.ALIGNMENTS)

APART_SECONDS: Final = 15.0
"""Between two writes that say something else: pods come and go in groups."""
EARLY: Final = 0.25
"""An object is renewed up to this share of the time before it is due, at random: not all nodes at the same moment."""

_PASSING: Final = frozenset({"observed", "reason", "seen"})
"""Fields that say when, or have numbers that change from look to look: others beside them change when it matters."""


class Report:
    """Writes one object; used by one thread."""

    def __init__(
        self,
        client: Client,
        *,
        node: str,
        metrics: Metrics,
        apart_seconds: float = APART_SECONDS,
        renew_seconds: float = RENEW_SECONDS,
        monotonic: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._client = client
        self._path = ALIGNMENTS.path(name=node)
        self._metrics = metrics
        self._apart_seconds = apart_seconds
        self._renew_seconds = renew_seconds
        self._monotonic = monotonic
        self._chance = chance
        self._pauses = Pauses(monotonic)
        self._told: object = None
        self._renew_at = self._next = 0.0

    def tell(self, document: JsonObject) -> None:
        """Write the object, if it is time.

        Raises:
            KubeError: it could not be written; the next look tries again, and then later ones.
        """
        now = self._monotonic()
        said = _gist(get_object(document, "spec"))
        if self._told is not None and now < (self._renew_at if said == self._told else self._next):
            return
        if self._pauses.holds(self._path):
            return
        try:
            apply_object(self._client, self._path, document, manager=MANAGER)
        except KubeError:
            self._metrics.failed(OBJECT)
            self._pauses.failed(self._path)
            raise
        self._pauses.wrote(self._path)
        self._metrics.wrote(OBJECT)
        self._told = said
        self._next = now + self._apart_seconds
        self._renew_at = now + self._renew_seconds * (1 - EARLY * self._chance())


def _gist(value: object) -> object:
    match value:
        case dict():
            return {name: _gist(one) for name, one in value.items() if name not in _PASSING}
        case list():
            return [_gist(one) for one in value]
    return value
