"""Sizes read off raw specs, and the few words for a field."""

import pytest

from webhook.sources.specs import cell_cpus
from webhook.sources.specs import cell_memory
from webhook.sources.specs import describe
from webhook.sources.specs import is_same


@pytest.mark.parametrize(
    ("cell", "cpus"),
    [
        ({"coreCount": 48, "threadsPerCore": 2}, 96),
        ({"coreCount": 48}, 48),
        ({"cpus": "0-3,8"}, 5),
        ({"cores": [{"threads": [0, 1]}, {"threads": [2]}]}, 3),
        ({"cpus": "many"}, 0),
        ({}, 0),
        (None, 0),
    ],
)
def test_cpus_are_counted_whichever_way_they_are_written(cell: object, cpus: int) -> None:
    assert cell_cpus(cell) == cpus


def test_memory_that_cannot_be_read_is_none() -> None:
    assert (cell_memory({"memory": "1Ki"}), cell_memory({"memory": "much"}), cell_memory({})) == (1024, 0, 0)


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        (
            "numa",
            [{"id": 0, "coreCount": 4, "memory": "8Gi"}, {"id": 1, "coreCount": 4, "memory": "8Gi"}, {"memory": 0}],
            "2 x (4 CPUs, 8Gi) + 1 x (0 CPUs, 0)",
        ),
        ("devices.a/b", {"0": 4, "1": 4}, "4+4"),
        ("devices.a/b", {"1": 2, "-1": 1}, "0+2 and 1 unplaced"),
        ("devices.a/b", [{"id": "x", "numa": [0]}, {"id": "y"}, {"id": "z", "numa": [0, 1]}], "1 and 2 unplaced"),
        ("devices.a/b", {}, "0"),
        ("taints", [{"key": "a", "effect": "NoSchedule"}], "a=:NoSchedule"),
        ("taints", [], "none"),
        ("kubelet.reservedMemory", [{"numaNode": 1, "limits": {"memory": "16Gi"}}], "NUMA node 1: memory=16Gi"),
        ("kubelet.nodeAllocatableReservation", {"memory": "34359738368", "cpu": "4"}, "cpu=4, memory=32Gi"),
        ("kubelet.featureGates", {}, "none"),
        ("kubelet.version", "1.37", "1.37"),
    ],
)
def test_a_field_is_told_in_a_few_words(field: str, value: object, words: str) -> None:
    assert describe(field, value) == words


@pytest.mark.parametrize(
    ("field", "one", "other", "same"),
    [
        ("numa", [{"id": 0, "cpus": "0-3", "memory": "8Gi"}], [{"id": 0, "coreCount": 4, "memory": "8100Mi"}], True),
        ("numa", [{"id": 0, "cpus": "0-3", "memory": "8Gi"}], [{"id": 0, "coreCount": 4, "memory": "4Gi"}], False),
        ("numa", [{"id": 0, "cpus": "0-3", "memory": "8Gi"}], [{"id": 1, "coreCount": 4, "memory": "8Gi"}], False),
        ("numa", [{"id": 0}], [], False),
        ("devices.a/b", {"0": 4}, [{"id": "x", "numa": [0]}], False),
        ("devices.a/b", {"0": 1}, [{"id": "x", "numa": [0]}], True),
        ("devices.a/b", {"0": 4, "1": 4}, {"-1": 8}, True),
        ("devices.a/b", {"0": 4, "1": 4}, {"-1": 7}, False),
        ("kubelet.version", "1.36", "1.37", False),
    ],
)
def test_values_are_compared_by_what_they_mean(field: str, one: object, other: object, *, same: bool) -> None:
    assert is_same(field, one, other) is same
