"""Metrics of a port that asks its clients for a certificate."""

from datetime import datetime

from prometheus_client import CollectorRegistry
from prometheus_client import Counter
from prometheus_client import Gauge

from webhook.tls.refusal import Refusal


class ClientMetrics:
    """What becomes of the clients' certificates; four reasons are all the labels there are."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._refused = Counter(
            "numagate_clients_refused", "Clients turned away for their certificate.", ["reason"], registry=registry
        )
        for reason in Refusal:
            self._refused.labels(reason.value)
        self.ca_failures = Counter(
            "numagate_client_ca_reload_failures", "Contents of the client CA file that were refused.", registry=registry
        )
        self.ca_ok = Gauge(
            "numagate_client_ca_last_reload_successful", "1 if the client CA file is in force.", registry=registry
        )
        self._ca_expiry = Gauge(
            "numagate_client_ca_expiry_timestamp_seconds",
            "When the last of the client CAs in force ends, in Unix time.",
            registry=registry,
        )
        self._expiry = Gauge(
            "numagate_client_certificate_expiry_timestamp_seconds",
            "When the certificate of the client that connected last ends, in Unix time; 0 before the first.",
            registry=registry,
        )

    def refused(self, reason: Refusal) -> None:
        """Count a client that was turned away."""
        self._refused.labels(reason.value).inc()

    def accepted(self, not_after: float) -> None:
        """Show the end of an accepted client's certificate."""
        self._expiry.set(not_after)

    def authorities(self, not_after: datetime) -> None:
        """Show the end of the CAs in force."""
        self._ca_expiry.set(not_after.timestamp())
