"""Objects about nodes: what is a change, and how urgent it is."""

import pytest
from nodeobjects import agent_report
from nodeobjects import node
from nodeobjects import rte_report
from nodeobjects import zone

from webhook.controller.changes import Changes
from webhook.controller.watches import Picture
from webhook.domain.raw import JsonObject


class Bench:
    """A picture of one node with an exporter and an agent, written a moment ago."""

    def __init__(self) -> None:
        self.changes = Changes()
        self.picture = Picture(self.changes, own_namespace="ours")
        self.put("Node", node())
        self.put("NodeResourceTopology", rte_report())
        self.put("NodeAlignment", agent_report())
        self.write()

    def put(self, kind: str, found: JsonObject) -> None:
        """Let a watch see an object of the node."""
        self.picture.sinks[kind].put("node-a", found)

    def write(self) -> None:
        """Write a snapshot."""
        self.changes.begin()
        self.changes.surveyed(seconds=0.0)
        self.changes.wrote()

    @property
    def seconds_left(self) -> float:
        """Until the next snapshot."""
        return self.changes.seconds_left()


@pytest.fixture
def bench() -> Bench:
    """Answer a bench."""
    return Bench()


def test_an_object_that_says_the_same_is_no_change(bench: Bench) -> None:
    bench.put("Node", node())
    bench.put("NodeResourceTopology", rte_report())

    assert bench.seconds_left > 50


def test_free_capacity_alone_has_time(bench: Bench) -> None:
    bench.put("NodeResourceTopology", rte_report(zones=[zone(0, cpus=(96, 94, 12), nvidia=4), zone(1, nvidia=4)]))

    assert 10 < bench.seconds_left <= 15


def test_a_node_that_is_cordoned_has_time(bench: Bench) -> None:
    cordoned = node()
    cordoned["spec"]["unschedulable"] = True
    bench.put("Node", cordoned)

    assert 10 < bench.seconds_left <= 15


def test_another_topology_has_not(bench: Bench) -> None:
    bench.put("NodeResourceTopology", rte_report(policy="restricted"))

    assert bench.seconds_left <= 0.5


def test_an_agent_that_is_heard_again_in_time_is_no_change(bench: Bench) -> None:
    bench.put("NodeAlignment", agent_report(seen="2026-11-30T02:05:00Z"))

    assert bench.seconds_left > 50


def test_an_agent_that_is_heard_after_a_silence_has_a_little_time(bench: Bench) -> None:
    bench.put("NodeAlignment", agent_report(seen="2026-11-30T03:00:00Z"))

    assert 10 < bench.seconds_left <= 15


def test_another_kubelet_that_an_agent_sees_has_no_time(bench: Bench) -> None:
    bench.put("NodeAlignment", agent_report(settings={"topology_manager_policy": "restricted"}))

    assert bench.seconds_left <= 0.5


def test_a_node_that_goes_is_forgotten(bench: Bench) -> None:
    sink = bench.picture.sinks["Node"]
    sink.keep(set())

    assert (len(sink), bench.seconds_left <= 0.5) == (0, True)


def test_a_slice_of_no_single_node_is_none(bench: Bench) -> None:
    sink = bench.picture.sinks["ResourceSlice"]
    sink.put("shared", {"metadata": {"name": "shared"}, "spec": {"allNodes": True, "driver": "x"}})

    assert (len(sink), bench.seconds_left > 50) == (0, True)
