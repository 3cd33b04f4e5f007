"""Metrics that every process of ours has, in a registry of its own: version, use, readiness."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry
from prometheus_client import Gauge
from prometheus_client import ProcessCollector
from prometheus_client import disable_created_metrics
from prometheus_client import generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4


class ProcessMetrics:
    """What any process shows; `component` names what runs.

    Every label takes its values from a short fixed list.
    """

    def __init__(self, version: str, *, component: str) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # prometheus-client has no annotation there
        self.registry = registry = CollectorRegistry(auto_describe=True)
        ProcessCollector(registry=registry)
        build = Gauge("numagate_build_info", "The running version.", ["component", "version"], registry=registry)
        build.labels(component, version).set(1)
        ready = Gauge("numagate_ready", "1 if the replica wants to be sent requests.", ["component"], registry=registry)
        self._ready = ready.labels(component)

    def ready(self, state: Callable[[], bool]) -> None:
        """Show whether the replica is ready; asked when somebody asks."""
        self._ready.set_function(lambda: float(state()))

    def render(self) -> bytes:
        """Write all metrics in the text format."""
        return generate_latest(self.registry)
