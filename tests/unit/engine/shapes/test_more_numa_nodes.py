"""The opt-in to several NUMA nodes for a pod as it is."""

from dataclasses import replace

from builders import GPU
from builders import container
from builders import equal
from builders import pod
from misfits import P0
from misfits import RESTRICTED
from misfits import proposals
from misfits import texts

from webhook.engine.shapes.more_numa_nodes import KIND

WHOLE = container(**equal("188", "2000Gi", 8))


def test_the_number_that_holds_the_accelerators_is_proposed() -> None:
    (only,) = proposals(KIND, pod(WHOLE), RESTRICTED)

    assert (only.text, only.numa_nodes, only.edits) == (
        'annotate numagate.io/numa-nodes: "2", which generic-2x4 takes',
        2,
        (),
    )


def test_a_kubelet_that_allows_one_numa_node_is_not_asked() -> None:
    assert texts(KIND, pod(WHOLE), P0) == []


def test_a_pod_that_says_so_already_is_told_nothing() -> None:
    assert texts(KIND, pod(WHOLE, annotations={"numagate.io/numa-nodes": "2"}), RESTRICTED) == []


def test_a_pod_whose_resources_need_fewer_or_do_not_divide_is_told_nothing() -> None:
    for cpu, memory, gpus in (("24", "2000Gi", 8), ("188", "500Gi", 8), ("188", "2000Gi", 5), ("188", "2000Gi", 16)):
        assert texts(KIND, pod(container(**equal(cpu, memory, gpus))), RESTRICTED) == []


def test_a_pod_with_init_containers_is_tried() -> None:
    assert texts(KIND, pod(container(**equal("24", "2000Gi", 8)), init=(container("load"),)), RESTRICTED) != []


def test_devices_without_a_numa_node_need_none() -> None:
    nowhere = replace(RESTRICTED, devices={GPU: tuple(replace(one, numa=None) for one in P0.devices[GPU])})

    assert texts(KIND, pod(WHOLE), nowhere) == []
