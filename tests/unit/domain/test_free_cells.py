"""What is free on each NUMA node of an observed node."""

from dataclasses import replace
from typing import Any

import pytest
from observations import GIB
from observations import SETTINGS
from observations import cell
from observations import gpus
from observations import held
from observations import machine
from observations import observed

from webhook.domain.free_cells import MOST_CELLS
from webhook.domain.free_cells import free_blocks
from webhook.domain.observation import Observation
from webhook.domain.topology import Cell


def amounts(observation: Observation) -> list[Any]:
    return [block["amounts"] for block in free_blocks(observation)]


def test_an_empty_node_has_free_what_is_not_kept_back() -> None:
    assert free_blocks(observed()) == [
        {"numaNode": 0, "amounts": {"cpu": "6", "memory": "63Gi", "nvidia.com/gpu": "2"}},
        {"numaNode": 1, "amounts": {"cpu": "8", "memory": "63Gi", "nvidia.com/gpu": "2"}},
    ]


def test_what_a_container_has_to_itself_is_not_free() -> None:
    taken = held(exclusive_cpus=0x0606, pinned_memory={"memory": (16 * GIB, 1)}, devices=gpus(1))

    assert amounts(observed(taken)) == [
        {"cpu": "2", "memory": "47Gi", "nvidia.com/gpu": "1"},
        {"cpu": "8", "memory": "63Gi", "nvidia.com/gpu": "2"},
    ]


def test_a_numa_node_that_shares_a_promise_has_no_memory_for_a_pod_on_one() -> None:
    taken = held(pinned_memory={"memory": (80 * GIB, 3)})

    assert [one["memory"] for one in amounts(observed(taken))] == ["0", "0"]


def test_cpus_that_are_offline_are_not_free() -> None:
    assert [one["cpu"] for one in amounts(observed(machine=machine(online=0x00FF)))] == ["3", "4"]


def test_devices_that_nobody_places_are_on_the_only_numa_node() -> None:
    (block,) = amounts(observed(machine=machine(cell(0)), devices=gpus(None, None)))

    assert block["nvidia.com/gpu"] == "2"


def test_a_numa_node_without_cpus_is_left_out() -> None:
    shown = machine(cell(0), cell(1), Cell(2, 96 * GIB))

    assert [block["numaNode"] for block in free_blocks(observed(machine=shown))] == [0, 1]


@pytest.mark.parametrize(
    "fields",
    [
        {"kubelet": None},
        {"kubelet": replace(SETTINGS, cpu_manager_policy="none")},
        {"kubelet": replace(SETTINGS, reserved_system_cpus=None)},
        {"machine": machine(*(Cell(number, GIB, cell(0).cores) for number in range(MOST_CELLS + 1)))},
    ],
    ids=["no settings", "no static CPU manager", "reserved by number", "more NUMA nodes than any machine has"],
)
def test_nothing_is_said_where_it_cannot_be_told(fields: dict[str, Any]) -> None:
    assert free_blocks(observed(**fields)) == []


def test_nothing_is_said_where_a_container_is_not_known() -> None:
    assert free_blocks(observed(held(exclusive_cpus=None))) == []


@pytest.mark.parametrize(
    ("container", "fields"),
    [
        ({}, {"kubelet": replace(SETTINGS, memory_manager_policy="None")}),
        ({"pinned_memory": None}, {}),
    ],
    ids=["no Static memory manager", "a container whose memory is not known"],
)
def test_memory_is_left_out_where_it_cannot_be_told(container: dict[str, Any], fields: dict[str, Any]) -> None:
    assert all("memory" not in one for one in amounts(observed(held(**container), **fields)))


@pytest.mark.parametrize(
    ("container", "fields"),
    [({}, {"devices": None}), ({}, {"devices": gpus(1, None)}), ({}, {"devices": gpus(1, 3)}), ({"devices": None}, {})],
    ids=["nobody told", "one is nowhere", "one is near both", "a container whose devices are not known"],
)
def test_devices_are_left_out_where_it_cannot_be_told(container: dict[str, Any], fields: dict[str, Any]) -> None:
    assert all(one.keys() == {"cpu", "memory"} for one in amounts(observed(held(**container), **fields)))
