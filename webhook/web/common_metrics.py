"""Metrics that the service and the controller both have: of their certificate and of their replies."""

from datetime import datetime
from datetime import timedelta

from prometheus_client import Counter
from prometheus_client import Gauge
from prometheus_client import Histogram

from webhook.web.port_metrics import BUCKETS
from webhook.web.port_metrics import PortMetrics
from webhook.web.process_metrics import ProcessMetrics


class CommonMetrics(ProcessMetrics):
    """What a process with a TLS port shows beside what every process does; `component` is the subcommand that runs."""

    def __init__(self, version: str, *, component: str) -> None:
        super().__init__(version, component=component)
        registry = self.registry
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
