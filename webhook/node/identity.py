"""The UID of the Node that this agent runs on, as its token says; the NodeAlignment is deleted with that Node.

A Node that is deleted and registers anew has another UID, and its pods may live on. An object whose owner is the old
one is deleted again and again.
"""

import logging
import math
import time
from collections.abc import Callable
from collections.abc import Sequence
from typing import Final

from webhook.domain.keys import NODE_NAME
from webhook.domain.keys import NODE_UID
from webhook.kube.client import Client
from webhook.kube.error import KubeError
from webhook.kube.whoami import claims

AGAIN_SECONDS: Final = 3600.0
"""A token is about so old at most, and names the Node of the time when it was made."""

_LOGGER = logging.getLogger("numagate.agent")


class Owner:
    """Asks the API server until it answers, and now and then after that; used by one thread."""

    def __init__(self, client: Client, *, node: str, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._node = node
        self._monotonic = monotonic
        self._due = -math.inf
        self._uid = ""
        self._warned = False

    def __call__(self) -> str:
        """Answer the UID, "" where the API server never answered or the token names another node or none."""
        now = self._monotonic()
        if now >= self._due:
            try:
                found = claims(self._client)
            except KubeError:
                return self._uid
            self._due = now + AGAIN_SECONDS
            names = found.get(NODE_NAME, ())
            if self._node not in names:
                self._warn(names)
            self._uid = next(iter(found.get(NODE_UID, ())), "") if self._node in names else ""
        return self._uid

    def _warn(self, names: Sequence[str]) -> None:
        if self._warned:
            return
        self._warned = True
        named = f"node {names[0]}" if names else "no node"
        _LOGGER.warning(
            "the token names %s, not %s: the admission policy of the agent refuses its writes; run it as a pod of that "
            "node",
            ascii(named),
            ascii(self._node),
        )
