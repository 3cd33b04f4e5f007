"""What is kept of a NodeAlignment, whatever is in it."""

from typing import Any

import pytest
from nodeobjects import GIB
from nodeobjects import SEEN
from nodeobjects import agent_report

from webhook.sources.evidence import AlignmentFacts
from webhook.sources.inventory._alignment_facts import MOST_CELLS
from webhook.sources.inventory.reduce import reduce_alignment


def reduced(**spec: Any) -> AlignmentFacts:
    """Reduce the usual object with these fields of its spec in place of its own."""
    written = agent_report()
    return reduce_alignment({**written, "spec": {**written["spec"], **spec}})


def test_nodes_that_differ_in_memory_alone_share_their_fields() -> None:
    one, other = reduce_alignment(agent_report()), reduce_alignment(agent_report(memory=1020 * GIB))

    assert one.fields == other.fields
    assert (one.memory, other.memory) == ((1024 * GIB,) * 2, (1020 * GIB,) * 2)
    assert one.cpus == 192


def test_what_is_free_is_kept_in_whole_gib() -> None:
    used = [{"numaNode": 0, "amounts": {"cpu": "92", "memory": str(1023 * GIB - 1), "nvidia.com/gpu": "3"}}]

    assert reduce_alignment(agent_report()).free == ((94, 1023 * GIB, 4), (96, 1023 * GIB, 4))
    assert reduced(free=used).free == ((92, 1022 * GIB, 3),)


def test_what_is_free_is_told_of_the_devices_that_are_told_everywhere() -> None:
    free = [
        {"numaNode": 0, "amounts": {"cpu": "4", "nvidia.com/gpu": "1", "a.b/nic": "1"}},
        {"numaNode": 1, "amounts": {"cpu": "2", "nvidia.com/gpu": "0"}},
    ]
    found = reduced(free=free)

    assert (found.resources, found.free) == (("nvidia.com/gpu",), ((4, -1, 1), (2, -1, 0)))


def test_without_cpus_nobody_knows_what_is_free() -> None:
    assert reduced(free=[{"numaNode": 0, "amounts": {"memory": "1Gi"}}]).free == ()


def test_free_memory_that_nobody_tells_is_not_none() -> None:
    assert reduced(free=[{"numaNode": 0, "amounts": {"cpu": "4", "nvidia.com/gpu": "1"}}]).free == ((4, -1, 1),)


@pytest.mark.parametrize(
    ("observed", "written", "seen"),
    [
        ("2026-11-30T02:00:00Z", "", "2026-11-30T02:00:00Z"),
        ("2026-11-30T04:00:00+02:00", "", "2026-11-30T02:00:00Z"),
        ("2026-11-30T02:00:00Z", "2026-11-30T02:00:03Z", "2026-11-30T02:00:00Z"),
        ("2036-11-30T02:00:00Z", "2026-11-30T02:00:03Z", "2026-11-30T02:00:03Z"),
        ("now", "2026-11-30T02:00:03Z", ""),
        ("", "", ""),
    ],
    ids=["as said", "in UTC", "somebody labelled it later", "its clock is ten years fast", "no instant", "nothing"],
)
def test_an_object_is_as_old_as_the_earlier_of_both_clocks_says(observed: str, written: str, seen: str) -> None:
    found = agent_report()
    found["metadata"] = {"name": "node-a", "managedFields": [{"manager": "agent", "time": written}] if written else []}
    found["spec"] = {**found["spec"], "observed": observed}

    assert reduce_alignment(found).seen == seen


@pytest.mark.parametrize(
    ("spec", "doubt"),
    [
        ({"numa": [{"id": n, "memory": 1} for n in range(MOST_CELLS + 1)]}, "65 NUMA nodes are more than any machine"),
        ({"numa": [{"id": 0, "memory": "lots"}]}, "memory of a NUMA node: "),
        ({"numa": [{"id": 0}]}, "memory of a NUMA node: "),
    ],
)
def test_numa_nodes_that_cannot_be_are_none_and_doubted(spec: dict[str, Any], doubt: str) -> None:
    found = reduced(**spec)

    assert "numa" not in dict(found.fields)
    assert found.doubts[0].startswith(doubt)
    assert found.problems[0] == found.doubts[0]


def test_what_a_newer_agent_adds_is_left_out() -> None:
    spec = agent_report()["spec"]
    newer = reduced(
        numa=[{**block, "mood": "good"} for block in spec["numa"]],
        kubelet={**spec["kubelet"], "dreams": True},
        weather="fine",
    )

    assert newer == reduce_alignment(agent_report())


def test_shares_of_devices_are_no_devices() -> None:
    shares = [{"id": str(number), "numa": [0]} for number in range(2000)]
    found = reduced(devices={"a.b/mib": shares})

    assert "devices.a.b/mib" not in dict(found.fields)
    assert found.problems == ("2000 a.b/mib are too many devices: left out",)


def test_a_device_that_is_not_offered_is_none() -> None:
    devices = [{"id": "x", "numa": [0]}, {"id": "y", "numa": [0], "healthy": False}]

    assert dict(reduced(devices={"a.b/c": devices}).fields)["devices.a.b/c"] == '{"0":1}'


@pytest.mark.parametrize("spec", [None, [], "x", {"numa": "x", "devices": [1], "kubelet": 3, "free": {"a": 1}}])
def test_an_object_of_any_shape_is_reduced_without_a_word(spec: Any) -> None:
    found = reduce_alignment({"metadata": {"name": "node-a"}, "spec": spec})

    assert (found.name, found.memory, found.resources, found.free) == ("node-a", (), (), ())


def test_the_instant_of_the_usual_object_is_that_of_the_pass() -> None:
    assert reduce_alignment(agent_report()).seen == SEEN
