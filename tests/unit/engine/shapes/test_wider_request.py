"""CPU and memory that need as many NUMA nodes as the accelerators do."""

from typing import Any

import pytest
from builders import GPU
from builders import container
from builders import equal
from builders import pod
from misfits import CONTAINER_SCOPE
from misfits import P0
from misfits import RESTRICTED
from misfits import kubelet
from misfits import texts

from webhook.engine.shapes.wider_request import KIND

TWO = 'annotate numagate.io/numa-nodes: "2" and '


def test_both_go_up_to_two_numa_nodes_near_and_full() -> None:
    assert texts(KIND, pod(container(**equal("24", "500Gi", 8))), RESTRICTED) == [
        f"{TWO}ask for cpu 100 and memory 1010Gi",
        f"{TWO}ask for cpu 188 and memory 1010Gi",
    ]


def test_what_needs_two_already_stays() -> None:
    assert texts(KIND, pod(container(**equal("120", "500Gi", 8))), RESTRICTED)[0] == f"{TWO}ask for memory 1010Gi"
    assert texts(KIND, pod(container(**equal("126", "1500Gi", 8))), RESTRICTED)[0] == f"{TWO}ask for cpu 128"


def test_values_beyond_two_come_down() -> None:
    assert texts(KIND, pod(container(**equal("400", "4Ti", 8))), RESTRICTED) == [
        f"{TWO}ask for cpu 188 and memory 2016Gi"
    ]


def test_helpers_count_where_the_pod_is_aligned_as_a_whole() -> None:
    helped = pod(container(**equal("24", "500Gi", 8)), container("proxy", **equal("4", "10Gi", None)))
    by_container = kubelet(CONTAINER_SCOPE, topology_manager_policy="restricted")

    assert texts(KIND, helped, RESTRICTED)[0] == f"{TWO}ask for cpu 96 and memory 1000Gi in container server"
    assert texts(KIND, helped, by_container)[0] == f"{TWO}ask for cpu 100 and memory 1010Gi in container server"


def test_memory_has_no_width_where_it_is_not_pinned() -> None:
    unpinned = kubelet(RESTRICTED, memory_manager_policy="None", reserved_memory={})

    assert texts(KIND, pod(container(**equal("24", "500Gi", 8))), unpinned)[0] == f"{TWO}ask for cpu 100"


def test_a_declared_pod_needs_no_annotation() -> None:
    declared = pod(container(**equal("24", "500Gi", 8)), annotations={"numagate.io/numa-nodes": "2"})

    assert texts(KIND, declared, RESTRICTED)[0] == "ask for cpu 100 and memory 1010Gi"


def test_what_nobody_wrote_becomes_all_there_is() -> None:
    assert texts(KIND, pod(container(limits={GPU: "8"})), RESTRICTED) == [f"{TWO}ask for cpu 188 and memory 2016Gi"]


@pytest.mark.parametrize(
    "obj",
    [
        pod(container(**equal("24", "500Gi", 5))),
        pod(container(**equal("24", "500Gi", 4)), container("other", **equal("24", "500Gi", 4))),
        pod(container(**equal("24", "500Gi", 8)), resources={"limits": {"cpu": "24"}}),
        pod(container(**equal("24", "500Gi", 8)), container("proxy", **equal("200", "1Gi", None))),
        pod(container(**equal("188", "2016Gi", 8))),
    ],
    ids=["uneven", "several main containers", "spec.resources", "helpers take all", "nothing to change"],
)
def test_some_pods_are_not_widened(obj: dict[str, Any]) -> None:
    assert texts(KIND, obj, RESTRICTED) == []


def test_a_kubelet_that_allows_one_numa_node_is_not_asked() -> None:
    assert texts(KIND, pod(container(**equal("24", "500Gi", 8))), P0) == []
