"""The whole simulation on machine M, as far as the recorded cases do not say it."""

import time
from collections.abc import Callable
from dataclasses import replace

import pytest
from kubelets import GIB
from kubelets import GPU
from kubelets import MIB
from kubelets import Raw
from kubelets import admit
from kubelets import admit_all
from kubelets import app
from kubelets import burstable
from kubelets import cells
from kubelets import gpus
from kubelets import init
from kubelets import machine
from kubelets import placed
from kubelets import pod
from kubelets import where
from kubelets import whole_machine

from webhook.domain import cpuset
from webhook.domain.kubelet.admit import CellRoom
from webhook.domain.kubelet.admit import MemoryBlock
from webhook.domain.kubelet.admit import Node
from webhook.domain.kubelet.admit import StartupError
from webhook.domain.kubelet.admit import admit_on_empty
from webhook.domain.kubelet.admit import cell_allocatable
from webhook.domain.kubelet.admit import node_allocatable
from webhook.domain.quantity import Quantity
from webhook.domain.topology import Device
from webhook.domain.topology import NodeClass

AFFINITY = "TopologyAffinityError"
UNEXPECTED = "UnexpectedAdmissionError"
SMT = "SMTAlignmentError"

SINGLE = machine()
RESTRICTED = machine("restricted")


def with_devices(*devices: Device) -> NodeClass:
    """Make machine M with these GPUs."""
    return machine(devices={GPU: devices})


NONE_KNOWS_ITS_PLACE = with_devices(*(Device(f"{n}") for n in range(8)))
GPUS_ON_ONE = machine(devices=gpus((4, 0)))
HALF_SICK = with_devices(*(Device(f"{c}-{n}", (c,), healthy=n < 2) for c in (0, 1) for n in range(4)))


def test_a_placement_says_what_the_node_must_show() -> None:
    placement = placed(admit(SINGLE, app("2/4Gi/2")))

    assert cpuset.format(placement.cpus) == "1,9"
    assert placement.cpu_cells == (0,)
    assert placement.memory == (MemoryBlock("memory", (0,), 4 * GIB),)
    assert placement.devices == {GPU: ("0-0", "0-1")}
    assert placement.device_cells == (0,)
    assert placement.hint == "01/true"


def test_only_devices_of_exactly_one_numa_node_have_a_cell() -> None:
    shared = with_devices(Device("a", (0, 1)), Device("b", (1,)))

    assert placed(admit(shared, app("2/1Gi/2"))).device_cells == (1,)
    assert placed(admit(NONE_KNOWS_ITS_PLACE, app("2/1Gi/2"))).device_cells == ()


def test_without_any_wish_the_affinity_is_nil_or_all_nodes() -> None:
    assert placed(admit(SINGLE, {"name": "app"})).hint == "nil/true"
    assert placed(admit(RESTRICTED, {"name": "app"})).hint == "11/true"
    assert placed(admit(machine("none"), app("2/1Gi"))).hint == "nil/false"


def test_a_machine_of_one_numa_node_has_no_affinity_at_all() -> None:
    one = machine(cells=cells(1), devices=gpus((4,)), reserved_cpus="0,4")

    assert placed(admit(one, app("2/1Gi/1"))).hint == "nil/true"
    assert where(admit(one, app("2/1Gi/1"))) == {"app": "1,5 | [0] | 1"}


def test_best_effort_takes_what_restricted_refuses() -> None:
    answer = placed(admit(machine("best-effort"), app("2/40Gi/1")))

    assert answer.hint == "11/false"
    assert answer.cpu_cells == (0,)
    assert answer.memory == (MemoryBlock("memory", (0, 1), 40 * GIB),)


def test_a_refused_pod_leaves_nothing() -> None:
    node = Node(SINGLE)
    small, large = pod(app("6/8Gi/4")), pod(app("6/8Gi/2", "one"), app("6/8Gi/4", "two"), app("4/1Gi", "three"))

    assert [node.admit(large).reason for _ in range(3)] == [AFFINITY] * 3
    assert where(node.admit(small)) == {"app": "1-3,9-11 | [0] | 4"}
    assert where(node.admit(small)) == {"app": "4-6,12-14 | [1] | 4"}


def test_an_admitted_pod_stays() -> None:
    whole = pod(app("8/16Gi/4"))

    assert [answer.reason for answer in admit_all(SINGLE, whole, whole)] == [None, AFFINITY]


def test_the_sums_of_the_scheduler_count_earlier_pods() -> None:
    answers = admit_all(SINGLE, *[pod(burstable("8/1Gi"))] * 2)

    assert answers[1].message == "Node didn't have enough resource: cpu, requested: 8000, used: 8000, capacity: 14000"


OVERDRAWN = machine(
    cells=cells(hugepages={"1Gi": 1}),
    reserved_memory={0: {"memory": 33 * GIB}, 1: {"memory": GIB}},
    node_allocatable_reservation={"memory": Quantity.parse("34Gi")},
)


@pytest.mark.parametrize(
    ("node_class", "reason"),
    [
        (machine(cells=cells(hugepages={"2Mi": 10})), "KubeletPanic"),
        (OVERDRAWN, "KubeletPanic"),
        (machine(topology_manager_policy_options={"max-allowable-numa-nodes": "4"}), "KubeletDoesNotStart"),
    ],
    ids=["page size that no node has", "more reserved than there is", "kubelet that does not start"],
)
def test_what_a_kubelet_cannot_compute_is_refused_with_the_reason(node_class: NodeClass, reason: str) -> None:
    refused = admit(node_class, app("2/1Gi", hugepages_1Gi="1Gi"))

    assert (refused.admitted, refused.reason) == (False, reason)
    assert refused.message


def test_a_node_whose_kubelet_does_not_start_cannot_be_made() -> None:
    with pytest.raises(StartupError, match="should not be less than 8"):
        Node(machine(topology_manager_policy_options={"max-allowable-numa-nodes": "4"}))


P0: dict[str, tuple[NodeClass, tuple[Raw, ...], str | None]] = {
    "one GPU, one core": (whole_machine(), (app("2/16Gi/1"),), None),
    "b05: one CPU on whole cores": (whole_machine(), (app("1/16Gi/1"),), SMT),
    "b06: one full NUMA node": (whole_machine(), (app("88/900Gi/4"),), None),
    "b07: eight GPUs": (whole_machine(), (app("176/1800Gi/8"),), AFFINITY),
    "b07: eight GPUs, restricted": (whole_machine("restricted"), (app("176/1800Gi/8"),), None),
    "b08: an odd init container": (whole_machine(), (init("1/512Mi"), app("14/1Gi/1")), SMT),
    "m05: all that a NUMA node has": (whole_machine(), (app("94/1008Gi/4"),), None),
    "m05: one core more": (whole_machine(), (app("96/1008Gi/4"),), AFFINITY),
    "m05: a MiB more": (whole_machine(), (app("94/1032193Mi/4"),), AFFINITY),
    "m17: eight GPUs with few CPUs, restricted": (whole_machine("restricted"), (app("24/500Gi/8"),), AFFINITY),
    "m19: a whole machine, restricted": (whole_machine("restricted"), (app("126/1124Gi/8"),), None),
}


@pytest.mark.parametrize(("node_class", "containers", "reason"), P0.values(), ids=P0)
def test_the_reference_class_answers_as_its_kubelet(
    node_class: NodeClass, containers: tuple[Raw, ...], reason: str | None
) -> None:
    assert admit(node_class, *containers).reason == reason


def test_b08_a_small_init_container_strands_the_app_only_in_container_scope() -> None:
    shape = cells(2, 16, 128 * GIB, smt=1)
    containers = (init("1/512Mi"), app("14/1Gi/1"))

    assert admit(machine(cells=shape, reserved_cpus="0-2"), *containers).reason == AFFINITY
    assert admit(machine(scope="pod", cells=shape, reserved_cpus="0-2"), *containers).admitted


@pytest.mark.parametrize(
    ("policy", "scope", "hint"),
    [("single-numa-node", "pod", None), ("restricted", "container", "011111/true")],
)
def test_b09_five_of_eight_nodes_with_one_gpu_each(policy: str, scope: str, hint: str | None) -> None:
    eight = machine(
        policy,
        scope,
        cells=cells(8, 8, 32 * GIB, smt=1),
        devices=gpus((1,) * 8),
        reserved_cpus="63",
        memory_manager_policy="None",
        topology_manager_policy_options={"prefer-closest-numa-nodes": "true"},
    )
    answer = admit(eight, app("40/4Gi/5"))

    assert (answer.placements[0].hint if answer.admitted else None) == hint


def test_b11_the_reservation_of_a_numa_node_decides_not_the_sum() -> None:
    shape = cells(2, 24, 94 * GIB)
    uneven = machine(
        "best-effort",
        cells=shape,
        reserved_cpus="0,48",
        reserved_memory={0: {"memory": 10340 * MIB}},
        node_allocatable_reservation={"memory": Quantity.parse("10340Mi")},
    )
    first, second = admit_all(uneven, *[pod(app("20/85Gi/1"))] * 2)

    assert placed(first).memory == (MemoryBlock("memory", (1,), 85 * GIB),)
    assert second.reason == UNEXPECTED


@pytest.mark.parametrize(("policy", "reason"), [("single-numa-node", AFFINITY), ("restricted", AFFINITY)])
def test_b12_huge_pages_take_part_in_the_fit(policy: str, reason: str) -> None:
    paged = machine(policy, cells=cells(hugepages={"2Mi": 10}))

    assert admit(paged, app("2/24Mi/1", hugepages_2Mi="24Mi")).reason == reason
    assert admit(paged, app("2/24Mi/1", hugepages_2Mi="20Mi")).admitted


def test_the_room_of_a_numa_node_leaves_out_what_is_reserved() -> None:
    paged = machine(cells=cells(hugepages={"2Mi": 512}), devices=HALF_SICK.devices)

    assert cell_allocatable(paged) == (
        CellRoom(0, cpus=6, memory=30 * GIB, hugepages={"2Mi": GIB}, devices={GPU: 2}),
        CellRoom(1, cpus=8, memory=30 * GIB, hugepages={"2Mi": GIB}, devices={GPU: 2}),
    )


def test_cpus_reserved_by_size_are_counted_where_the_kubelet_takes_them() -> None:
    by_size = machine(
        reserved_cpus="", node_allocatable_reservation={"cpu": Quantity.parse("1500m"), "memory": Quantity.parse("2Gi")}
    )

    assert [room.cpus for room in cell_allocatable(by_size)] == [6, 8]
    assert [room.cpus for room in cell_allocatable(machine("nonsense", reserved_cpus="4"))] == [8, 7]


def test_the_room_of_a_node_is_what_its_status_says() -> None:
    room = node_allocatable(machine(cells=cells(hugepages={"2Mi": 512})))

    assert {name: str(quantity) for name, quantity in room.items()} == {
        "cpu": "14",
        "memory": "60Gi",
        "hugepages-2Mi": "2Gi",
        GPU: "8",
    }


def sixteen(policy: str, **settings: str) -> NodeClass:
    """Make 16 NUMA nodes of 8 CPUs, 64Gi and one GPU."""
    options = {"max-allowable-numa-nodes": "16", **settings}
    shape = cells(16, 4, 64 * GIB)
    return machine(policy, "pod", cells=shape, devices=gpus((1,) * 16), topology_manager_policy_options=options)


MANY: dict[str, Callable[[], tuple[NodeClass, str, str | None]]] = {
    "half of them, restricted": lambda: (sixteen("restricted"), "60/450Gi/8", None),
    "too much, single": lambda: (sixteen("single-numa-node"), "60/450Gi/8", AFFINITY),
    "a compromise": lambda: (sixteen("best-effort"), "4/300Gi/7", None),
    "closest": lambda: (sixteen("restricted", **{"prefer-closest-numa-nodes": "true"}), "60/450Gi/8", None),
}


@pytest.mark.parametrize("make", MANY.values(), ids=MANY)
def test_sixteen_numa_nodes_are_answered_at_once(make: Callable[[], tuple[NodeClass, str, str | None]]) -> None:
    node_class, container, reason = make()
    start = time.perf_counter()

    assert admit_on_empty(pod(app(container)), node_class).reason == reason
    assert time.perf_counter() - start < 5


def test_memory_nodes_without_cpus_are_no_burden() -> None:
    shape = tuple(cell if cell.id < 2 else replace(cell, cores=()) for cell in cells(34, 4, 64 * GIB))
    tray = machine(
        cells=shape,
        reserved_cpus="0",
        devices=gpus((2, 2)),
        topology_manager_policy_options={"max-allowable-numa-nodes": "34"},
    )
    blended = replace(tray, kubelet=replace(tray.kubelet, topology_manager_policy="best-effort"))

    assert where(admit(tray, app("6/32Gi/2"))) == {"app": "1-3,137-139 | [0] | 2"}
    assert admit(tray, app("6/300Gi/2")).reason == AFFINITY
    assert admit(blended, app("6/300Gi/1")).reason == "TooManyNUMANodes"


def test_zero_gpus_want_no_node_with_gpus_before_1_36() -> None:
    older, newer = (machine(devices=gpus((4, 0)), version=version) for version in ((1, 35), (1, 36)))

    assert where(admit(older, app("8/4Gi/0"))) == {"app": "4-7,12-15 | [1] | -"}
    assert where(admit(newer, app("8/4Gi/0"))) == {"refused": "TopologyAffinityError"}
