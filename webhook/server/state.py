"""The state of the running service: changed on the event loop's thread only, read everywhere."""

import time
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from datetime import datetime
from datetime import timedelta
from typing import NamedTuple
from typing import Protocol

from webhook.domain.policy import Policy
from webhook.domain.topology import NodeClass
from webhook.engine.world import World

LAST_HOUR = timedelta(hours=1)
"""A replica whose certificate has less than this left stops being ready."""

STUCK_SECONDS = 60.0
"""An event loop that has not turned for so long will not recover."""


class Loaded(Protocol):
    """Policies with their node classes and namespaces, as one consistent load (see `webhook.sources`)."""

    @property
    def policies(self) -> tuple[Policy, ...]:
        """The policies, in the order in which they are asked."""

    @property
    def classes(self) -> tuple[NodeClass, ...]:
        """The node classes."""

    @property
    def namespaces(self) -> Mapping[str, Mapping[str, str]]:
        """The labels of namespaces, by name."""


class Check(NamedTuple):
    """One line of /readyz?verbose; `detail` says what is wrong."""

    name: str
    ok: bool
    detail: str


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
        return World(
            policies=loaded.policies,
            classes=loaded.classes,
            own_namespace=self.own_namespace,
            instant=now,
            namespaces=loaded.namespaces,
        )

    def readiness(self, now: datetime) -> Iterator[Check]:
        """Yield what a replica needs in order to be sent requests."""
        yield Check("policy", self.loaded is not None, f"no policy is in force: {self.policy_error}")
        expiry = self.certificate_expiry
        valid = expiry is None or expiry - now > LAST_HOUR
        yield Check("certificate", valid, f"the served certificate ends at {expiry}: renew it")
        yield Check("drain", not self.draining, "shutting down")

    def alive(self, monotonic: float) -> bool:
        """Tell whether the event loop still turns."""
        return monotonic - self.heartbeat < STUCK_SECONDS
