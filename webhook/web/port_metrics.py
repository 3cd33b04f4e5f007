"""Metrics of the TLS port: who is on it, what waits behind it, and how late its event loop is."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry
from prometheus_client import Counter
from prometheus_client import Gauge
from prometheus_client import Histogram

BUCKETS = (0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10.0, 25.0)
"""Those of apiserver_admission_webhook_admission_duration_seconds, so that both sides can be laid over each other."""


class PortMetrics:
    """What is counted of one port."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._in_flight = Gauge(
            "numagate_requests_in_flight",
            "Requests that wait for the CPU or are worked on, on the TLS port.",
            registry=registry,
        )
        self._held = Gauge(
            "numagate_request_held_bytes",
            "What the bodies of unfinished large requests hold together.",
            registry=registry,
        )
        self.loop_lag = Histogram(
            "numagate_event_loop_lag_seconds",
            "How late the event loop of the TLS port came round, looked at ten times a second.",
            buckets=BUCKETS,
            registry=registry,
        )
        self._connections = Gauge("numagate_connections", "Open connections of the TLS port.", registry=registry)
        self._dropped = Counter(
            "numagate_connections_dropped",
            "Connections that were cut off: crowded (there were too many), slow, oversized (a request without end), "
            "pipelined (too many requests at once).",
            ["reason"],
            registry=registry,
        )

    def in_flight(self, requests: Callable[[], float]) -> None:
        """Show how many requests are on their way; asked when somebody asks."""
        self._in_flight.set_function(requests)

    def held(self, size: Callable[[], float]) -> None:
        """Show how many bytes requests hold; asked when somebody asks."""
        self._held.set_function(size)

    def connections(self, count: Callable[[], float]) -> None:
        """Show the open connections; asked when somebody asks."""
        self._connections.set_function(count)

    def dropped(self, reason: str) -> None:
        """Count a connection that was cut off."""
        self._dropped.labels(reason).inc()
