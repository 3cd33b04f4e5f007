"""The state of the running service: changed on the event loop's thread only, read everywhere."""

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from webhook.domain.claims import ClaimCatalog
from webhook.domain.policy import Policy
from webhook.domain.topology import NodeClass
from webhook.engine.world import World
from webhook.sources.snapshot_reader import LoadedWorld
from webhook.web.health import Health
from webhook.web.probes import Check


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

    @property
    def claims(self) -> ClaimCatalog:
        """What is known of device classes."""


@dataclass(slots=True, kw_only=True)
class State(Health):
    """What may change while the service runs; what is in force is swapped whole.

    `refused` says what was wrong with the newest content, "" if it is in force.
    """

    own_namespace: str
    loaded: Loaded | None = None
    refused: str = "not loaded yet"

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
            claims=loaded.claims,
        )

    def readiness(self, now: datetime) -> Iterator[Check]:
        """Yield what a replica needs in order to be sent requests."""
        note = "there is none, so nothing is judged" if self.loaded is not None and not self.loaded.policies else ""
        yield Check("policy", self.loaded is not None, f"no policy is in force: {self.refused}", note=note)
        if self.snapshot is not None:
            kept = f"; a newer content was refused: {self.refused}" if self.refused else ""
            kept += f"; left out: {', '.join(self.snapshot.left_out)}" if self.snapshot.left_out else ""
            yield Check("world", ok=True, detail="", note=f"{self.describe_world(now)}{kept}")
        yield from self.basics(now)

    @property
    def snapshot(self) -> LoadedWorld | None:
        """What is in force, where that is a world snapshot and no file."""
        return self.loaded if isinstance(self.loaded, LoadedWorld) else None

    def describe_world(self, now: datetime) -> str:
        """Answer the generation and the age of the snapshot in force, "" where there is none."""
        if self.snapshot is None:
            return ""
        age = max(0, round((now - self.snapshot.written).total_seconds()))
        return f"generation {self.snapshot.generation}, {age} s old"
