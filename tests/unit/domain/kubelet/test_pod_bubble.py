"""Pods with spec.resources where PodLevelResourceManagers is on: what a real kubelet answered to the same pods."""

import pytest
from kubelets import GIB
from kubelets import GPU
from kubelets import MIB
from kubelets import Raw
from kubelets import admit
from kubelets import admit_all
from kubelets import app
from kubelets import cells
from kubelets import gpus
from kubelets import init
from kubelets import machine
from kubelets import pod
from kubelets import sidecar

from webhook.domain import cpuset
from webhook.domain.kubelet.admit import Admission
from webhook.domain.kubelet.admit import Holding
from webhook.domain.kubelet.admit import Node
from webhook.domain.topology import Device
from webhook.domain.topology import NodeClass

GATE = {"PodLevelResourceManagers": True}
AFFINITY = "TopologyAffinityError"
EMPTY = "EmptyPodSharedPoolError"
UNEXPECTED = "UnexpectedAdmissionError"
EXCLUSIVE = "pod rejected, sum of exclusive container"
TOO_FEW = "not enough cpus available to satisfy request"

BY_CONTAINER = machine(feature_gates=GATE)
AS_ONE = machine(scope="pod", feature_gates=GATE)
BEST_EFFORT = machine("best-effort", scope="pod", feature_gates=GATE)
PAGED = machine(scope="pod", feature_gates=GATE, cells=cells(hugepages={"2Mi": 512}))
WHOLE_CORES = machine(scope="pod", feature_gates=GATE, cpu_manager_policy_options={"full-pcpus-only": "true"})
BARE: Raw = {"name": "bare"}


def whole(cpu: str, memory: str, **more: str) -> Raw:
    """Make equal spec.resources; "_" stands for "-" in the names of `more`."""
    values = {"cpu": cpu, "memory": memory, **{name.replace("_", "-"): value for name, value in more.items()}}
    return {"resources": {"requests": values, "limits": dict(values)}}


def held(holding: Holding | None) -> str:
    """Write a holding as "CPUs | Mi of memory at NUMA nodes"."""
    if holding is None:
        return "-"
    blocks = " ".join(f"{block.size // MIB}@{list(block.cells)}" for block in holding.memory)
    return f"{cpuset.format(holding.cpus) or '-'} | {blocks or '-'}"


def divided(admission: Admission) -> dict[str, str]:
    """Answer what the pod holds, and by container what is its own, after a slash what it shares; or the refusal."""
    if not admission.admitted:
        return {"refused": f"{admission.reason}"}
    parts = {one.container: f"{held(Holding(one.cpus, one.memory))} / {held(one.pool)}" for one in admission.placements}
    return {"pod": held(admission.pod), **parts}


CONTAINERS: dict[str, tuple[NodeClass, tuple[Raw, ...], Raw, dict[str, str]]] = {
    "3 container scope: what is Guaranteed on its own is pinned": (
        BY_CONTAINER,
        (app("4/8Gi/2"), {**BARE}),
        whole("6", "9Gi"),
        {"pod": "-", "app": "1-2,9-10 | 8192@[0] / -", "bare": "- | - / -"},
    ),
    "3 pod scope: a bubble of just this container": (
        AS_ONE,
        (app("4/8Gi/2"),),
        whole("4", "8Gi"),
        {"pod": "1-2,9-10 | 8192@[0]", "app": "1-2,9-10 | 8192@[0] / -"},
    ),
    "20 container scope: spec.resources alone pin nothing": (
        BY_CONTAINER,
        (BARE,),
        whole("4", "8Gi"),
        {"pod": "-", "bare": "- | - / -"},
    ),
    "20 pod scope: the container has the whole bubble, as a pool": (
        AS_ONE,
        (BARE,),
        whole("4", "8Gi"),
        {"pod": "1-2,9-10 | 8192@[0]", "bare": "- | - / 1-2,9-10 | 8192@[0]"},
    ),
    "init containers overlap, sidecars do not, the others share the rest": (
        AS_ONE,
        (
            init("2/1Gi"),
            sidecar("1/1Gi"),
            {"name": "prepare", "init": True},
            {"name": "proxy", "init": True, "restartPolicy": "Always"},
            app("2/2Gi"),
            app("1500m/1Gi", "part"),
            BARE,
        ),
        whole("6", "8Gi"),
        {
            "pod": "1-3,9-11 | 8192@[0]",
            "init": "1,9 | 1024@[0] / -",
            "sidecar": "1 | 1024@[0] / -",
            "prepare": "- | - / 2-3,9-11 | 7168@[0]",
            "proxy": "- | - / 3,9,11 | 4096@[0]",
            "app": "2,10 | 2048@[0] / -",
            "part": "- | 1024@[0] / 3,9,11 | -",
            "bare": "- | - / 3,9,11 | 4096@[0]",
        },
    ),
    "a fraction of a CPU for the pod: memory only": (
        AS_ONE,
        (app("2/1Gi"), BARE),
        whole("3500m", "8Gi"),
        {"pod": "- | 8192@[0]", "app": "- | 1024@[0] / -", "bare": "- | - / - | 7168@[0]"},
    ),
    "a fraction of a byte for the pod: CPUs only": (
        AS_ONE,
        (BARE,),
        whole("4", "4294967296500m"),
        {"pod": "1-2,9-10 | -", "bare": "- | - / 1-2,9-10 | -"},
    ),
    "huge pages are divided like memory": (
        PAGED,
        (app("2/1Gi", hugepages_2Mi="64Mi"), BARE),
        whole("4", "2Gi", hugepages_2Mi="128Mi"),
        {
            "pod": "1-2,9-10 | 2048@[0] 128@[0]",
            "app": "1,9 | 1024@[0] 64@[0] / -",
            "bare": "- | - / 2,10 | 1024@[0] 64@[0]",
        },
    ),
    "not Guaranteed: no bubble": (
        AS_ONE,
        (app("2/1Gi"),),
        {"resources": {"limits": {"cpu": "4", "memory": "8Gi"}}},
        {"pod": "-", "app": "- | - / -"},
    ),
    "whole cores are asked of the pod": (
        WHOLE_CORES,
        (app("1/1Gi"), BARE),
        whole("4", "8Gi"),
        {"pod": "1-2,9-10 | 8192@[0]", "app": "1 | 1024@[0] / -", "bare": "- | - / 2,9-10 | 7168@[0]"},
    ),
    "without topology manager: by container": (
        machine("none", scope="pod", feature_gates=GATE),
        (app("2/1Gi"), BARE),
        whole("4", "8Gi"),
        {"pod": "-", "app": "1,9 | 1024@[0] / -", "bare": "- | - / -"},
    ),
    "without the managers there is no bubble": (
        machine(
            scope="pod",
            feature_gates=GATE,
            reserved_cpus="",
            cpu_manager_policy="none",
            memory_manager_policy="None",
        ),
        (app("2/1Gi"),),
        whole("4", "8Gi"),
        {"pod": "-", "app": "- | - / -"},
    ),
    "more memory for containers than for the pod is not refused": (
        AS_ONE,
        (app("1/5Gi"), app("1/5Gi", "b")),
        whole("4", "8Gi"),
        {"pod": "1-2,9-10 | 8192@[0]", "app": "1 | 5120@[0] / -", "b": "9 | 5120@[0] / -"},
    ),
    "more than a NUMA node": (AS_ONE, (BARE,), whole("10", "8Gi"), {"refused": AFFINITY}),
    "nothing left to share, of CPUs": (AS_ONE, (app("4/4Gi"), BARE), whole("4", "8Gi"), {"refused": AFFINITY}),
    "nothing left to share, of memory": (AS_ONE, (app("2/8Gi"), BARE), whole("4", "8Gi"), {"refused": AFFINITY}),
    "half a core for the pod": (WHOLE_CORES, (BARE,), whole("3", "8Gi"), {"refused": "SMTAlignmentError"}),
    "a page size that no node has": (
        PAGED,
        (BARE,),
        whole("4", "1Gi", hugepages_1Gi="1Gi"),
        {"refused": "KubeletPanic"},
    ),
}


@pytest.mark.parametrize(("node_class", "containers", "spec", "expected"), CONTAINERS.values(), ids=CONTAINERS)
def test_a_pod_with_resources_of_its_own_is_divided_as_by_the_kubelet(
    node_class: NodeClass, containers: tuple[Raw, ...], spec: Raw, expected: dict[str, str]
) -> None:
    assert divided(admit(node_class, *containers, **spec)) == expected


REFUSALS: dict[str, tuple[NodeClass, tuple[Raw, ...], str, str]] = {
    "pod scope": (
        AS_ONE,
        (app("7/4Gi"), BARE),
        AFFINITY,
        "Pod Scope pod with pod-level resources failed admission under pod-scope topology manager",
    ),
    "container scope": (
        BY_CONTAINER,
        (app("9/4Gi"),),
        AFFINITY,
        "Pod Scope pod with pod-level resources failed admission with a container-level topology manager",
    ),
    "no CPUs": (
        BEST_EFFORT,
        (app("10/4Gi"), BARE),
        EMPTY,
        f"{EXCLUSIVE} cpu requests equals pod budget, leaving no cpus for shared containers",
    ),
    "no CPUs for an init container": (
        BEST_EFFORT,
        (sidecar("10/4Gi"), {"name": "prepare", "init": True}, app("1m/1Mi")),
        EMPTY,
        "pod rejected, pod has shared init containers but no cpus available for them",
    ),
    "no memory": (
        BEST_EFFORT,
        (app("2/8Gi"), BARE),
        EMPTY,
        f"{EXCLUSIVE} memory requests equals pod budget, leaving no memory for shared containers",
    ),
    "no memory for an init container": (
        BEST_EFFORT,
        (sidecar("2/8Gi"), {"name": "prepare", "init": True}, app("1m/1Mi")),
        EMPTY,
        "pod rejected, pod has shared init containers but no memory available for them",
    ),
    "a fraction of a byte": (
        BEST_EFFORT,
        (app("2/4294967296500m"),),
        EMPTY,
        "[memorymanager] failed to represent quantity as int64",
    ),
    "more CPUs for containers than for the pod": (
        BEST_EFFORT,
        (app("6/1Gi"), app("6/1Gi", "b")),
        UNEXPECTED,
        f"Allocate failed due to {TOO_FEW}: requested=6, available=4, which is unexpected",
    ),
}


@pytest.mark.parametrize(("node_class", "containers", "reason", "message"), REFUSALS.values(), ids=REFUSALS)
def test_refusals_are_in_the_kubelets_words(
    node_class: NodeClass, containers: tuple[Raw, ...], reason: str, message: str
) -> None:
    refused = admit(node_class, *containers, **whole("10", "8Gi"))

    assert (refused.handler, refused.reason, refused.message) == ("topology-manager", reason, message)


def test_two_pods_with_all_gpus_of_a_node_both_get_it() -> None:
    large = pod(app("2/4Gi/4"), **whole("2", "4Gi"))
    first, second, third = admit_all(AS_ONE, large, large, large)

    assert [one.placements[0].hint for one in (first, second)] == ["01/true", "01/true"]
    assert [one.placements[0].devices for one in (first, second)] == [{}, {}]
    assert third.reason == "OutOfnvidia.com/gpu"


def test_devices_are_handed_out_when_the_containers_start() -> None:
    node, large = Node(AS_ONE), pod(app("2/4Gi/4"), **whole("2", "4Gi"))
    first = node.start(large, node.admit(large)).placements[0]
    second = node.start(large, node.admit(large)).placements[0]

    assert (first.devices, first.device_cells) == ({GPU: ("0-0", "0-1", "0-2", "0-3")}, (0,))
    assert (second.devices, second.hint) == ({GPU: ("1-0", "1-1", "1-2", "1-3")}, "10/true")


def test_an_init_container_hands_its_devices_on_when_it_ends() -> None:
    answer = admit(AS_ONE, init("1/1Gi/2"), app("1/1Gi/2"), **whole("2", "4Gi"))

    assert [one.devices for one in answer.placements] == [{GPU: ("0-0", "0-1")}] * 2


def test_a_container_without_healthy_devices_never_starts() -> None:
    sick = {GPU: (Device("g", (0,), healthy=False),), "example.com/nic": (Device("n", (0,)),)}
    node = machine(scope="pod", feature_gates=GATE, devices=sick)
    refused = admit(node, app("1/1Gi/0", **{"example.com/nic": "1"}), **whole("2", "4Gi"))

    assert (refused.admitted, refused.handler, refused.reason) == (
        False,
        "container-start",
        "CreateContainerConfigError",
    )
    assert refused.message is not None
    assert refused.message.startswith("container app does not start: ")


def test_a_container_that_asks_for_no_devices_is_not_asked_about() -> None:
    sick = {GPU: (Device("g", (0,), healthy=False),)}

    assert admit(machine(scope="pod", feature_gates=GATE, devices=sick), app("1/1Gi/0"), **whole("2", "4Gi")).admitted


def test_a_refused_pod_gives_its_bubble_back() -> None:
    node = Node(AS_ONE)
    large, wide = pod(BARE, **whole("8", "20Gi")), pod(BARE, **whole("8", "40Gi"))

    assert [node.admit(wide).reason, node.admit(wide).reason] == [AFFINITY, AFFINITY]
    assert [node.admit(large).admitted, node.admit(large).reason] == [True, AFFINITY]


def test_cpus_are_lost_where_the_containers_ask_for_more_than_the_pod() -> None:
    node, bad = Node(AS_ONE), pod(app("3/1Gi"), app("3/1Gi", "b"), **whole("4", "8Gi"))

    assert node.admit(bad).reason == UNEXPECTED
    assert divided(node.admit(pod(app("4/1Gi")))) == {"pod": "-", "app": "4-5,12-13 | 1024@[1] / -"}


def test_what_a_sidecar_has_beyond_the_pod_is_not_counted() -> None:
    beyond = sidecar("1/1Gi", hugepages_2Mi="4Mi")
    answer = admit(PAGED, beyond, BARE, **whole("4", "8Gi", hugepages_2Mi="0"))

    assert divided(answer)["bare"] == "- | - / 2,9-10 | 7168@[0]"


def test_ordinary_pods_are_treated_as_ever() -> None:
    with_gate, without = (
        admit(AS_ONE, init("2/1Gi"), app("4/8Gi/2")),
        admit(machine(scope="pod"), init("2/1Gi"), app("4/8Gi/2")),
    )

    assert with_gate == without
    assert with_gate.pod is None


def test_a_pool_on_a_single_numa_node_has_its_cells() -> None:
    one = machine(scope="pod", feature_gates=GATE, cells=cells(1), devices=gpus((4,)), reserved_cpus="0,4")
    placement = admit(one, BARE, **whole("2", "4Gi")).placements[0]

    assert (placement.hint, placement.cells, placement.cpu_cells, placement.pinned) == ("nil/true", (0,), (0,), True)
    assert placement.pool is not None
    assert placement.pool.memory[0].size == 4 * GIB


def test_before_1_37_a_container_without_memory_to_pin_is_looked_at_all_the_same() -> None:
    older = machine(feature_gates=GATE, version=(1, 36), cells=cells(1), devices=gpus((4,)), reserved_cpus="0,4")
    refused = admit(older, BARE, **whole("2", "4Gi"))

    assert refused.message == (
        "Allocate failed due to [memorymanager] failed to get the default NUMA affinity, "
        "no NUMA nodes with enough memory is available, which is unexpected"
    )
    assert admit(machine(feature_gates=GATE), BARE, **whole("2", "4Gi")).admitted
