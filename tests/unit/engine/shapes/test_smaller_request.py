"""CPU, memory and huge pages down to what one NUMA node has."""

from dataclasses import replace
from typing import Any

import pytest
from builders import container
from builders import equal
from builders import pod
from misfits import CONTAINER_SCOPE
from misfits import P0
from misfits import kubelet
from misfits import proposals
from misfits import texts

from webhook.domain.topology import NodeClass
from webhook.engine.shapes.smaller_request import KIND


@pytest.mark.parametrize(
    ("cpu", "memory", "text"),
    [
        ("95", "64Gi", "ask for cpu 94"),
        ("8", "1009Gi", "ask for memory 1008Gi"),
        ("1e30", "1e30", "ask for cpu 94 and memory 1008Gi"),
    ],
)
def test_what_exceeds_a_numa_node_becomes_what_it_has(cpu: str, memory: str, text: str) -> None:
    assert texts(KIND, pod(container(**equal(cpu, memory, 4)))) == [text]


def test_helpers_keep_what_they_have() -> None:
    helped = pod(container(**equal("94", "1008Gi", 1)), container("proxy", **equal("2", "1Gi", None)))

    assert texts(KIND, helped) == ["give container server cpu 92 and memory 1007Gi"]


def test_one_of_two_containers_gives_way_where_half_of_it_is_left() -> None:
    pair = pod(container("prefill", **equal("48", "64Gi", 1)), container("decode", **equal("48", "64Gi", 1)))

    assert texts(KIND, pair) == ["give container prefill cpu 46"]


def test_else_both_give_way_in_proportion() -> None:
    pair = pod(container("prefill", **equal("90", "64Gi", 1)), container("decode", **equal("80", "64Gi", 1)))

    assert texts(KIND, pair) == ["give container prefill cpu 48 and container decode cpu 44"]


def test_of_equal_ones_none_gives_way_far() -> None:
    pair = pod(container("prefill", **equal("8", "600Gi", 1)), container("decode", **equal("8", "600Gi", 1)))

    assert texts(KIND, pair) == ["give container prefill memory 504Gi and container decode memory 504Gi"]


def test_a_helper_that_exceeds_a_numa_node_leaves_the_others_what_they_have() -> None:
    cached = pod(container(**equal("8", "50Gi", 1)), container("cache", **equal("500m", "1200Gi", None)))

    assert texts(KIND, cached) == ["give container cache memory 958Gi"]


def test_container_by_container_each_is_measured_alone_first() -> None:
    pair = pod(container("prefill", **equal("120", "64Gi", 1)), container("decode", **equal("40", "64Gi", 1)))

    assert texts(KIND, pair, CONTAINER_SCOPE) == [
        "give container prefill cpu 94",
        "give container prefill cpu 54",
    ]


def test_an_init_container_shares_with_the_sidecars_before_it() -> None:
    sidecar = container("proxy", **equal("4", "1Gi", None), restartPolicy="Always")
    loading = pod(container(**equal("8", "64Gi", 1)), init=(sidecar, container("load", **equal("94", "1Gi", None))))

    assert texts(KIND, loading) == ["give container load cpu 90"]


def test_huge_pages_are_whole_pages_of_the_numa_node() -> None:
    cells = tuple(replace(cell, hugepages={"2Mi": 10}) for cell in P0.cells)
    huge = pod(container(**equal("8", "64Gi", 1, **{"hugepages-2Mi": "24Mi"})))

    assert texts(KIND, huge, replace(P0, cells=cells)) == ["ask for hugepages-2Mi 20Mi"]
    assert texts(KIND, huge) == []


def test_parts_of_cores_go_on_the_way() -> None:
    odd = pod(container(**equal("95", "64Gi", 1)), container("proxy", **equal("1", "1Gi", None)))

    assert texts(KIND, odd) == ["give container server cpu 94 and container proxy cpu 990m"]


def test_overhead_and_shared_cpus_count_against_the_whole_node() -> None:
    lone = replace(P0, cells=P0.cells[:1], devices={"nvidia.com/gpu": P0.devices["nvidia.com/gpu"][:4]})
    lone = kubelet(
        lone,
        reserved_system_cpus=0,
        node_allocatable_reservation={**P0.kubelet.node_allocatable_reservation},
        reserved_memory={0: {"memory": 32 << 30}},
    )
    wide = pod(container(**equal("92", "64Gi", 1)), container("proxy", **equal("1500m", "1Gi", None)))

    assert texts(KIND, {**wide, "spec": {**wide["spec"], "overhead": {"cpu": "1"}}}, lone) == [
        "give container server cpu 88"
    ]


@pytest.mark.parametrize(
    "obj",
    [
        pod(container(**equal("120", "64Gi", 5))),
        pod(container(**equal("120", "64Gi", 1)), resources={"limits": {"cpu": "120"}}),
        pod(container(**equal("120", "64Gi", 1)), annotations={"numagate.io/numa-nodes": "2"}),
        pod(container(**equal("120", "64Gi", 1)), container("proxy", **equal("94", "1Gi", None))),
        pod(container(**equal("8", "64Gi", 1))),
    ],
    ids=["no node has the devices", "spec.resources", "several NUMA nodes", "helpers take all", "nothing exceeds"],
)
def test_nothing_is_proposed_where_less_would_not_help(obj: dict[str, Any]) -> None:
    assert texts(KIND, obj) == []


@pytest.mark.parametrize(
    ("obj", "text"),
    [
        (pod(container(**equal("100", "64Gi", 2))), "ask for cpu 94 (46 is its share: 2 of 4 GPUs)"),
        (
            pod(container(**equal("100", "1100Gi", 3))),
            "ask for cpu 94 and memory 1008Gi (70 and 756Gi are its share: 3 of 4 GPUs)",
        ),
        (
            pod(container(**equal("94", "64Gi", 2)), container("proxy", **equal("2", "1Gi", None))),
            "give container server cpu 92 (44 is its share: 2 of 4 GPUs)",
        ),
    ],
    ids=["CPUs", "memory", "beside a helper"],
)
def test_the_share_of_the_accelerators_is_named_beside_all_of_a_numa_node(obj: dict[str, Any], text: str) -> None:
    (found,) = proposals(KIND, obj)

    assert found.share is not None
    assert found.share.text == text


@pytest.mark.parametrize(
    ("obj", "node_class"),
    [
        (pod(container(**equal("100", "64Gi", 4))), P0),
        (pod(container("a", **equal("90", "64Gi", 1)), container("b", **equal("80", "64Gi", 1))), P0),
        (pod(container(**equal("8", "3000Gi", 1))), kubelet(memory_manager_policy="None")),
        (pod(container(**equal("8", "64Gi", 1)), container("proxy", **equal("500m", "1200Gi", None))), P0),
        (pod(container(**equal("94", "64Gi", 1)), container("proxy", **equal("30", "1Gi", None))), P0),
    ],
    ids=["all accelerators", "two containers", "memory that is not pinned", "a helper", "helpers take the share"],
)
def test_no_share_is_named_where_there_is_none(obj: dict[str, Any], node_class: NodeClass) -> None:
    assert [one.share for one in proposals(KIND, obj, node_class)] == [None]
