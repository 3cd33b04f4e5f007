"""The state of the running service: changed on the event loop's thread only, read everywhere."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from webhook.domain.policy import Policy
from webhook.domain.topology import NodeClass
from webhook.engine.world import World
from webhook.web.health import Health
from webhook.web.probes import Check


class Loaded(Protocol):
    """A policy with its node classes, as one consistent load (see `webhook.sources.policy_file`)."""

    @property
    def policy(self) -> Policy:
        """The policy."""

    @property
    def classes(self) -> tuple[NodeClass, ...]:
        """The node classes."""


@dataclass(slots=True, kw_only=True)
class State(Health):
    """What may change while the service runs; the policy is swapped whole."""

    own_namespace: str
    loaded: Loaded | None = None
    policy_error: str = "not loaded yet"

    def world(self, now: datetime) -> World | None:
        """Answer the world of one decision at `now`, or None while there is no policy."""
        loaded = self.loaded
        if loaded is None:
            return None
        return World(policy=loaded.policy, classes=loaded.classes, own_namespace=self.own_namespace, instant=now)

    def readiness(self, now: datetime) -> Iterator[Check]:
        """Yield what a replica needs in order to be sent requests."""
        yield Check("policy", self.loaded is not None, f"no policy is in force: {self.policy_error}")
        yield from self.basics(now)
