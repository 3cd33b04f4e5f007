"""Metrics of the controller."""

from datetime import UTC
from datetime import datetime

from webhook.controller.metrics import Metrics


def test_objects_are_counted_when_somebody_asks() -> None:
    metrics = Metrics("0")
    nodes = ["a"]
    metrics.holds("Node", lambda: len(nodes))
    metrics.judges("NodeProfile", lambda: 2)
    nodes.append("b")

    assert metrics.registry.get_sample_value("numagate_controller_objects", {"kind": "Node"}) == 2
    assert metrics.registry.get_sample_value("numagate_controller_invalid_objects", {"kind": "NodeProfile"}) == 2


def test_a_snapshot_counts_with_size_and_time_and_the_first_with_how_long_it_took() -> None:
    metrics = Metrics("0")
    metrics.wrote(300, datetime(2030, 1, 1, tzinfo=UTC))
    first = metrics.registry.get_sample_value("numagate_controller_first_snapshot_seconds")
    metrics.wrote(400, datetime(2030, 1, 1, tzinfo=UTC))

    assert metrics.registry.get_sample_value("numagate_world_writes_total") == 2
    assert metrics.registry.get_sample_value("numagate_world_bytes") == 400
    assert metrics.registry.get_sample_value("numagate_world_written_timestamp_seconds") == 1893456000
    assert first is not None
    assert metrics.registry.get_sample_value("numagate_controller_first_snapshot_seconds") == first > 0


def test_restarts_and_the_lead_are_shown() -> None:
    metrics = Metrics("0")
    metrics.restarted("Node")
    metrics.leads(lambda: True)

    assert metrics.registry.get_sample_value("numagate_controller_watch_restarts_total", {"kind": "Node"}) == 1
    assert metrics.registry.get_sample_value("numagate_controller_leader") == 1
