"""Metrics that the service and the controller both have, in a registry of their own."""

from collections.abc import Callable
from datetime import datetime
from datetime import timedelta

from prometheus_client import CollectorRegistry
from prometheus_client import Counter
from prometheus_client import Gauge
from prometheus_client import Histogram
from prometheus_client import ProcessCollector
from prometheus_client import disable_created_metrics
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from webhook.web.port_metrics import BUCKETS
from webhook.web.port_metrics import PortMetrics

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4


class CommonMetrics:
    """What every process of ours shows: its version, its resources, its certificate and its replies.

    Every label takes its values from a short fixed list. `component` is the subcommand that runs.
    """

    def __init__(self, version: str, *, component: str) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # prometheus-client has no annotation there
        self.registry = registry = CollectorRegistry(auto_describe=True)
        ProcessCollector(registry=registry)
        build = Gauge("numagate_build_info", "The running version.", ["component", "version"], registry=registry)
        build.labels(component, version).set(1)
        ready = Gauge("numagate_ready", "1 if the replica wants to be sent requests.", ["component"], registry=registry)
        self._ready = ready.labels(component)
        self._requests = Counter(
            "numagate_http_requests",
            "Admission requests by pass and HTTP status.",
            ["pass", "status"],
            registry=registry,
        )
        self._duration = Histogram(
            "numagate_request_duration_seconds",
            "Time from the first byte of an admission request to its reply.",
            ["pass"],
            buckets=BUCKETS,
            registry=registry,
        )
        self.certificate_failures = Counter(
            "numagate_certificate_reload_failures", "Certificate contents that were refused.", registry=registry
        )
        self.certificate_ok = Gauge(
            "numagate_certificate_last_reload_successful",
            "1 if the certificate files are the certificate served.",
            registry=registry,
        )
        self._expiry = Gauge(
            "numagate_certificate_expiry_timestamp_seconds",
            "When the served certificate ends, in Unix time.",
            registry=registry,
        )
        self._lifetime = Gauge(
            "numagate_certificate_lifetime_seconds",
            "For how long the served certificate was issued.",
            registry=registry,
        )
        self.port = PortMetrics(registry)
        self._replies: dict[tuple[str, int], tuple[Counter, Histogram]] = {}

    def ready(self, state: Callable[[], bool]) -> None:
        """Show whether the replica is ready; asked when somebody asks."""
        self._ready.set_function(lambda: float(state()))

    def answered(self, name: str, status: int, seconds: float) -> None:
        """Count a reply of the endpoint `name`."""
        known = self._replies.get((name, status))
        if known is None:
            # To look the series up by their labels takes longer than to count.
            known = self._requests.labels(name, str(status)), self._duration.labels(name)
            self._replies[name, status] = known
        replies, durations = known
        replies.inc()
        durations.observe(seconds)

    def certificate(self, not_after: datetime, lifetime: timedelta) -> None:
        """Show when the served certificate ends, and how long it lives altogether."""
        self._expiry.set(not_after.timestamp())
        self._lifetime.set(lifetime.total_seconds())

    def render(self) -> bytes:
        """Write all metrics in the text format."""
        return generate_latest(self.registry)
