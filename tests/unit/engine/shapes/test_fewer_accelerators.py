"""Fewer accelerators per pod in more pods."""

from dataclasses import replace
from typing import Any

import pytest
from builders import GPU
from builders import container
from builders import equal
from builders import pod
from misfits import P0
from misfits import proposals
from misfits import texts

from webhook.domain.topology import Device
from webhook.engine.shapes.fewer_accelerators import KIND
from webhook.engine.suggestion import Change

ONE_EACH = replace(P0, devices={GPU: (P0.devices[GPU][0], P0.devices[GPU][4])})


def test_cpu_and_memory_go_along() -> None:
    first, *_ = proposals(KIND, pod(container(**equal("88", "1600Gi", 8))))

    assert (first.text, first.replicas, first.numa_nodes) == (
        "run 2 replicas of 4 GPUs, 44 CPUs and 800Gi each",
        2,
        1,
    )
    assert first.edits == (
        Change("server", GPU, "8", "4"),
        Change("server", "cpu", "88", "44"),
        Change("server", "memory", "1600Gi", "800Gi"),
    )


@pytest.mark.parametrize(
    ("gpus", "first"),
    [
        (8, "run 2 replicas of 4 GPUs"),
        (6, "run 2 replicas of 3 GPUs"),
        (9, "run 3 replicas of 3 GPUs"),
        (16, "run 4 replicas of 4 GPUs"),
        (5, "ask for 4 GPUs per pod"),
        (7, "ask for 4 GPUs per pod"),
        (10, "run 5 replicas of 2 GPUs"),
        (1000, "run 250 replicas of 4 GPUs"),
        (10**12, "ask for 4 GPUs per pod"),
    ],
)
def test_the_fewest_replicas_come_first(gpus: int, first: str) -> None:
    assert texts(KIND, pod(container(**equal("16", "64Gi", gpus))))[0].startswith(first)


def test_one_accelerator_each_is_the_last_way_to_keep_the_total() -> None:
    assert texts(KIND, pod(container(**equal("40", "200Gi", 5)))) == [
        "ask for 4 GPUs per pod",
        "run 5 replicas of 1 GPU, 8 CPUs and 40Gi each",
    ]
    assert texts(KIND, pod(container(**equal("8", "8Gi", 2))), ONE_EACH) == [
        "run 2 replicas of 1 GPU, 4 CPUs and 4Gi each"
    ]


def test_one_pod_with_fewer_is_made_to_fit_as_a_whole() -> None:
    odd = pod(container(**equal("140", "200Gi", 5)), container("proxy", **equal("1", "4Gi", None)))
    pair = pod(container("a", **equal("8", "8Gi", 5)), container("b", **equal("8", "8Gi", 1)))

    assert texts(KIND, pod(container(**equal("140", "200Gi", 5))))[0] == "ask for 4 GPUs and 94 CPUs per pod"
    assert texts(KIND, odd)[0] == "give container server 4 GPUs, 94 CPUs and container proxy cpu 990m"
    assert texts(KIND, pair) == ["give container a 3 GPUs"]


def test_containers_that_would_be_left_less_than_another_share_what_one_numa_node_has() -> None:
    pairs = [(3, 3), (5, 4), (4, 1), (1, 7)]
    first = [
        texts(KIND, pod(container("a", **equal("8", "8Gi", a)), container("b", **equal("8", "8Gi", b))))[0]
        for a, b in pairs
    ]

    assert first == [
        "give container a 2 GPUs and container b 2 GPUs",
        "give container a 2 GPUs and container b 1 GPU",
        "give container a 3 GPUs",
        "give container b 3 GPUs",
    ]


def test_an_init_container_may_have_what_later_ones_use_again() -> None:
    building = pod(container(**equal("8", "8Gi", 1)), init=(container("build", **equal("8", "8Gi", 8)),))

    assert texts(KIND, building) == ["give container build 4 GPUs"]


def test_what_still_exceeds_a_numa_node_is_lowered() -> None:
    assert texts(KIND, pod(container(**equal("206", "2100Gi", 8))))[0] == (
        "run 2 replicas of 4 GPUs, 94 CPUs and 1008Gi each"
    )


def test_helpers_are_not_divided_but_leave_less() -> None:
    helped = pod(container(**equal("188", "64Gi", 8)), container("proxy", **equal("4", "4Gi", None)))

    assert texts(KIND, helped)[0] == "run 2 replicas of 4 GPUs, 90 CPUs and 32Gi each"


def test_what_nobody_wrote_becomes_the_share_of_the_numa_node() -> None:
    assert texts(KIND, pod(container(limits={GPU: "8"})))[0] == "run 2 replicas of 4 GPUs, 94 CPUs and 1008Gi each"
    assert texts(KIND, pod(container(limits={GPU: "6"})))[0] == "run 2 replicas of 3 GPUs, 70 CPUs and 756Gi each"
    assert texts(KIND, pod(container(limits={GPU: "8"}), container("proxy", **equal("500m", "1Gi", None))))[0] == (
        "run 2 replicas of 4 GPUs, 94 CPUs and 1007Gi each"
    )


def test_a_helper_that_takes_all_leaves_nothing_to_share() -> None:
    for gpus in (5, 8):
        assert texts(KIND, pod(container(**equal("8", "8Gi", gpus)), container("p", **equal("94", "1Gi", None)))) == []


def test_several_main_containers_are_divided_alike() -> None:
    pair = pod(container("a", **equal("8", "8Gi", 3)), container("b", **equal("10", "32Gi", 3)))

    assert texts(KIND, pair) == [
        "give container a 2 GPUs and container b 2 GPUs",
        "run 3 replicas with 1 GPU, 2 CPUs, 2730Mi in container a and 1 GPU, 2 CPUs, 10922Mi in container b",
    ]


def test_other_devices_and_huge_pages_go_along_where_they_divide() -> None:
    nics = tuple(Device(f"nic{cell}-{number}", (cell,)) for cell in (0, 1) for number in range(4))
    cells = tuple(replace(cell, hugepages={"2Mi": 512}) for cell in P0.cells)
    machine = replace(P0, cells=cells, devices={**P0.devices, "example.com/nic": nics, "example.com/one": nics})
    wide = equal("16", "64Gi", 8, **{"example.com/nic": "8", "example.com/one": "1", "hugepages-2Mi": "1Gi"})

    assert texts(KIND, pod(container(**wide)), machine)[0] == (
        "run 2 replicas of 4 GPUs, 4 example.com/nic, 8 CPUs, 32Gi and 512Mi of hugepages-2Mi each"
    )


def test_the_opt_in_to_several_numa_nodes_goes() -> None:
    declared = pod(container(**equal("48", "400Gi", 8)), annotations={"numagate.io/numa-nodes": "2"})

    assert texts(KIND, declared)[0] == (
        "run 2 replicas of 4 GPUs, 24 CPUs and 200Gi each, without numagate.io/numa-nodes"
    )


@pytest.mark.parametrize(
    "obj",
    [
        pod(container(**equal("8", "8Gi", 8)), resources={"limits": {"cpu": "8"}}),
        pod(container(**equal("120", "8Gi", 1))),
    ],
    ids=["spec.resources", "nothing to divide"],
)
def test_some_pods_are_not_divided(obj: dict[str, Any]) -> None:
    assert texts(KIND, obj) == []
