"""What a user reads where no kubelet would answer: one that crashes, that does not start, or that nobody can tell."""

from typing import Any

import pytest
from builders import container
from builders import equal
from builders import pod
from builders import ruling
from kubelets import GIB
from kubelets import cells
from kubelets import gpus
from kubelets import machine
from misfits import P0
from misfits import kubelet

from webhook.domain.quantity import Quantity
from webhook.domain.topology import NodeClass
from webhook.engine.judge import judge_pod

ROOMY = machine()
PAGES_ON_ONE = machine(cells=(cells()[0], cells(hugepages={"1Gi": 4})[1]))
OVERDRAWN = machine(
    cells=(cells(hugepages={"1Gi": 31})[0], cells(hugepages={"1Gi": 0})[1]),
    reserved_memory={0: {"memory": 2 * GIB}, 1: {"memory": GIB}},
    node_allocatable_reservation={"memory": Quantity.parse("3Gi")},
)
DOES_NOT_START = machine(topology_manager_policy_options={"max-allowable-numa-nodes": "4"})
MANY = machine(
    "restricted",
    cells=cells(24, 2, smt=1),
    devices=gpus((1,) * 24),
    memory_manager_policy="None",
    reserved_cpus=",".join(str(2 * cell) for cell in range(24)),
    topology_manager_policy_options={"max-allowable-numa-nodes": "32"},
)


PAGES = {"hugepages-1Gi": "1Gi"}

SAID = {
    "no such huge pages": (
        PAGES_ON_ONE,
        equal("2", "1Gi", 1, **PAGES),
        (
            "the kubelet of m fails on this pod: NUMA node 0 has no hugepages-1Gi, not even 0, and the memory manager "
            "follows a nil pointer: do without, or use nodes that have such pages on every NUMA node"
        ),
    ),
    "more reserved than there is": (
        OVERDRAWN,
        equal("2", "512Mi", 1),
        (
            "the kubelet of m fails on this pod: more memory is reserved on NUMA node 0 than it has beside its huge "
            "pages, and the memory manager's numbers wrap around: reserve less there, or make fewer huge pages"
        ),
    ),
    "no start": (
        DOES_NOT_START,
        equal("200", "1Gi", 1),
        'the kubelet of m does not start: the minimum value of "max-allowable-numa-nodes" should not be less than 8',
    ),
    "too many combinations": (
        MANY,
        equal("24", "1Gi", 12),
        (
            "nobody can tell whether m takes this pod: 24 NUMA nodes have too many combinations to simulate: "
            "use the policy single-numa-node"
        ),
    ),
}
"""How the findings begin; what would make the pod fit may follow."""


def misfits(asked: dict[str, Any], *classes: NodeClass, **fields: Any) -> list[str]:
    known = ruling(*classes)
    verdict = judge_pod(pod(container(**asked), **fields), known)
    return [finding.message for finding in verdict.findings if finding.code == "misfit"]


@pytest.mark.parametrize(("node_class", "asked", "said"), SAID.values(), ids=SAID)
def test_where_no_kubelet_answers_the_finding_says_so(node_class: NodeClass, asked: dict[str, Any], said: str) -> None:
    assert [one[: len(said)] for one in misfits(asked, node_class)] == [said]


def test_a_size_of_pages_that_no_numa_node_has_is_named_as_what_exceeds() -> None:
    (said,) = misfits(equal("2", "1Gi", 1, **PAGES), ROOMY)

    assert said.startswith("hugepages-1Gi 1Gi never fits one NUMA node of m (0 per NUMA node): remove hugepages-1Gi")


def test_a_class_whose_kubelet_answers_is_nearer_than_one_that_does_not_start() -> None:
    said = misfits(equal("20", "1Gi", 1), DOES_NOT_START, ROOMY)

    assert ["does not start" in one for one in said] == [False]


def test_where_no_change_is_enough_what_must_change_is_told_as_a_start() -> None:
    assert misfits(equal("10", "50Gi", 8, **{"hugepages-2Mi": "1Gi"}), P0) == [
        (
            "8 nvidia.com/gpu never fit one NUMA node of generic-2x4 (4 per NUMA node): no single change was found "
            "that fits, start with at most 4; numagate explain shows the NUMA nodes"
        ),
        (
            "hugepages-2Mi 1Gi never fits one NUMA node of generic-2x4 (0 per NUMA node): remove hugepages-2Mi, "
            "or use a node pool that has it"
        ),
    ]


@pytest.mark.parametrize(
    ("gpus_asked", "annotations", "cure"),
    [
        (2, {}, ": no change of spec.resources was tried, start with at most 94 together; "),
        (8, {"numagate.io/numa-nodes": "2"}, ": no change of spec.resources was tried; "),
    ],
    ids=["one value exceeds", "the combination does"],
)
def test_of_spec_resources_no_value_is_said_to_fit(gpus_asked: int, annotations: dict[str, str], cure: str) -> None:
    gated = kubelet(feature_gates={"PodLevelResourceManagers": True})
    block = {side: {"cpu": "100", "memory": "800Gi"} for side in ("limits", "requests")}

    (said,) = misfits(equal("96", "700Gi", gpus_asked), gated, resources=block, annotations=annotations)

    assert said.endswith(f"{cure}numagate explain shows the NUMA nodes")
