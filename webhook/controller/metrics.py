"""Metrics of the controller: what it holds, what it writes, and whether it leads."""

import math
import time
from collections.abc import Callable
from datetime import datetime

from prometheus_client import Counter
from prometheus_client import Gauge

from webhook.tls.rotation import Phase
from webhook.tls.rotation import Step
from webhook.web.common_metrics import CommonMetrics


class Metrics(CommonMetrics):
    """What the controller counts."""

    def __init__(self, version: str) -> None:
        super().__init__(version, component="controller")
        self._began = time.monotonic()
        self._first = True
        registry = self.registry
        self._objects = Gauge("numagate_controller_objects", "Objects held, by kind.", ["kind"], registry=registry)
        self._invalid = Gauge(
            "numagate_controller_invalid_objects",
            "Policies and profiles whose newest version is not accepted.",
            ["kind"],
            registry=registry,
        )
        self._restarts = Counter(
            "numagate_controller_watch_restarts", "Watches begun anew by a list, by kind.", ["kind"], registry=registry
        )
        self._leader = Gauge("numagate_controller_leader", "1 if this replica leads.", registry=registry)
        self._bytes = Gauge("numagate_world_bytes", "Size of the snapshot last written.", registry=registry)
        self._writes = Counter("numagate_world_writes", "Snapshots written.", registry=registry)
        self.write_failures = Counter(
            "numagate_world_write_failures", "Snapshots and conditions that could not be written.", registry=registry
        )
        self._written = Gauge(
            "numagate_world_written_timestamp_seconds",
            "When the snapshot was last written, in Unix time.",
            registry=registry,
        )
        self._first_snapshot = Gauge(
            "numagate_controller_first_snapshot_seconds",
            "From the start of the process to its first snapshot.",
            registry=registry,
        )

        self._drift = Gauge(
            "numagate_webhook_configuration_drift",
            "Fields that differ from what the policies in force make of them, and entries that are not installed.",
            ["configuration", "what"],
            registry=registry,
        )
        self._mended = Counter(
            "numagate_webhook_configuration_writes",
            "Times that a webhook configuration was brought in step.",
            ["configuration"],
            registry=registry,
        )
        self._count_certificates()

    def _count_certificates(self) -> None:
        registry = self.registry
        self._published = Counter(
            "numagate_ca_bundle_writes",
            "Times that the caBundle of a webhook configuration was filled in.",
            ["configuration"],
            registry=registry,
        )
        self._steps = Counter(
            "numagate_certificate_steps", "Steps of issuing and rotation taken.", ["step"], registry=registry
        )
        self._step_failures = Counter(
            "numagate_certificate_step_failures", "Looks after the certificates that failed.", registry=registry
        )
        self._phase = Gauge(
            "numagate_certificate_phase", "1 for how far the rotation of the CA is.", ["phase"], registry=registry
        )
        self._ca_expiry = Gauge(
            "numagate_ca_expiry_timestamp_seconds",
            "When the CA of the certificate ends, in Unix time; of the leader, where the controller issues.",
            registry=registry,
        )
        for step in Step:
            self._steps.labels(step.value)
        self.rotation(None, None)

    def published(self, word: str) -> None:
        """Count a write of the caBundle of the mutating or validating configuration."""
        self._published.labels(word).inc()

    def rotated(self, step: Step) -> None:
        """Count a step of issuing or rotation."""
        self._steps.labels(step.value).inc()

    def rotation_failed(self) -> None:
        """Count a look after the certificates that failed."""
        self._step_failures.inc()

    def rotation(self, phase: Phase | None, ca_ends: datetime | None) -> None:
        """Show how far a rotation is, and when the CA ends; None where this replica does not know."""
        for one in Phase:
            self._phase.labels(one.value).set(one is phase)
        self._ca_expiry.set(math.nan if ca_ends is None else ca_ends.timestamp())

    def drifted(self, word: str, *, fields: int, entries: int) -> None:
        """Show how far the mutating or validating configuration is from what it should be."""
        self._drift.labels(word, "fields").set(fields)
        self._drift.labels(word, "entries").set(entries)

    def mended(self, word: str) -> None:
        """Count a write of the mutating or validating configuration."""
        self._mended.labels(word).inc()

    def holds(self, kind: str, count: Callable[[], int]) -> None:
        """Show how many objects of a kind are held; counted when somebody asks."""
        self._objects.labels(kind).set_function(lambda: float(count()))
        self._restarts.labels(kind)

    def judges(self, kind: str, count: Callable[[], int]) -> None:
        """Show how many objects of a kind are wrong; counted when somebody asks."""
        self._invalid.labels(kind).set_function(lambda: float(count()))

    def restarted(self, kind: str) -> None:
        """Count a watch that was begun anew."""
        self._restarts.labels(kind).inc()

    def leads(self, leading: Callable[[], bool]) -> None:
        """Show whether this replica leads; asked when somebody asks."""
        self._leader.set_function(lambda: float(leading()))

    def wrote(self, size: int, instant: datetime) -> None:
        """Count a snapshot."""
        if self._first:
            self._first_snapshot.set(time.monotonic() - self._began)
        self._first = False
        self._writes.inc()
        self._bytes.set(size)
        self._written.set(instant.timestamp())
