"""The same machines with kubelets that allow several NUMA nodes."""

from builders import container
from builders import equal
from builders import pod
from misfits import P0
from misfits import RESTRICTED
from misfits import SPREADING
from misfits import proposals
from misfits import texts

from webhook.engine.shapes.other_pool import KIND

POOL = "a node pool with topology manager policy"
SPREAD = f"{POOL} restricted and distribute-cpus-across-numa"


def test_the_strictest_kubelet_comes_first_then_other_values() -> None:
    assert texts(KIND, pod(container(**equal("176", "1800Gi", 8)))) == [
        f'{POOL} restricted, and in the pod numagate.io/numa-nodes: "2"',
        f'{SPREAD}, and in the pod numagate.io/numa-nodes: "2"',
        f'{POOL} best-effort, and in the pod numagate.io/numa-nodes: "2"',
        f'{POOL} restricted, and in the pod numagate.io/numa-nodes: "2" and cpu 188',
        f'{SPREAD}, and in the pod numagate.io/numa-nodes: "2" and cpu 188',
    ]


def test_a_pod_that_is_too_narrow_is_given_values_at_once_the_nearest_first() -> None:
    assert texts(KIND, pod(container(**equal("24", "500Gi", 8))))[0] == (
        f'{POOL} restricted, and in the pod numagate.io/numa-nodes: "2", cpu 100 and memory 1010Gi'
    )


def test_the_suggestion_carries_the_class_as_it_would_be() -> None:
    first = proposals(KIND, pod(container(**equal("188", "2016Gi", 8))))[0]

    assert (first.node_class.name, first.node_class.kubelet.topology_manager_policy) == (P0.name, "restricted")


def test_settings_that_the_class_has_are_not_proposed() -> None:
    whole = pod(container(**equal("188", "2016Gi", 8)), annotations={"numagate.io/numa-nodes": "2"})

    assert texts(KIND, whole, RESTRICTED) == [SPREAD, f"{POOL} best-effort"]
    assert f"{POOL} restricted" not in texts(KIND, whole, SPREADING)


def test_a_pod_of_one_numa_node_needs_no_other_kubelet() -> None:
    assert texts(KIND, pod(container(**equal("120", "64Gi", 1)))) == []
