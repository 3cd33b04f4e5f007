"""The state of the running service: changed on the event loop's thread only, read everywhere."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field
from datetime import datetime
from typing import Protocol

from webhook.domain.policy import Policy
from webhook.domain.topology import NodeClass
from webhook.engine.world import World
from webhook.web.certificate import check_expiry
from webhook.web.probes import Check

STUCK_SECONDS = 60.0
"""An event loop that has not turned for so long will not recover."""


class Loaded(Protocol):
    """A policy with its node classes, as one consistent load (see `webhook.sources.policy_file`)."""

    @property
    def policy(self) -> Policy:
        """The policy."""

    @property
    def classes(self) -> tuple[NodeClass, ...]:
        """The node classes."""


@dataclass(slots=True, kw_only=True)
class State:
    """What may change while the service runs; the policy is swapped whole."""

    own_namespace: str
    loaded: Loaded | None = None
    policy_error: str = "not loaded yet"
    certificate_expiry: datetime | None = None
    draining: bool = False
    heartbeat: float = field(default_factory=time.monotonic)

    def world(self, now: datetime) -> World | None:
        """Answer the world of one decision at `now`, or None while there is no policy."""
        loaded = self.loaded
        if loaded is None:
            return None
        return World(policy=loaded.policy, classes=loaded.classes, own_namespace=self.own_namespace, instant=now)

    def readiness(self, now: datetime) -> Iterator[Check]:
        """Yield what a replica needs in order to be sent requests."""
        yield Check("policy", self.loaded is not None, f"no policy is in force: {self.policy_error}")
        yield check_expiry(self.certificate_expiry, now)
        yield Check("drain", not self.draining, "shutting down")

    def alive(self, monotonic: float) -> bool:
        """Tell whether the event loop still turns."""
        return monotonic - self.heartbeat < STUCK_SECONDS
