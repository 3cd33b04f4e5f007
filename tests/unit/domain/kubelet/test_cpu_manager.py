"""The CPU manager: who gets exclusive CPUs, which hints, which CPUs."""

from dataclasses import replace

import pytest
from kubelets import GPU
from kubelets import Raw
from kubelets import admit
from kubelets import app
from kubelets import burstable
from kubelets import cells
from kubelets import init
from kubelets import machine
from kubelets import pod
from kubelets import sidecar
from kubelets import where

from webhook.domain import cpuset
from webhook.domain.kubelet.cpu_manager import CpuManager
from webhook.domain.kubelet.cpu_manager import exclusive_cpus
from webhook.domain.kubelet.cpu_topology import discover
from webhook.domain.kubelet.hints import Affinity
from webhook.domain.kubelet.hints import Hints
from webhook.domain.kubelet.options import CpuOptions
from webhook.domain.kubelet.refusal import RefusedError

ANYWHERE = Affinity(None, preferred=True)


def manager(reserved: str = "0,8", *, number: int = 2, **options: bool) -> CpuManager:
    """Make the CPU manager of machine M."""
    return CpuManager(discover(cells(number)), cpuset.parse(reserved), CpuOptions(**options))


def masks(hints: list[Hints | None]) -> tuple[list[int], list[int]]:
    """Answer the masks of all hints, and of the preferred ones."""
    (found,) = hints
    assert found is not None
    return list(found.ascending()), [mask for mask in found.ascending() if found.prefers(mask)]


@pytest.mark.parametrize(
    ("cpu", "count"),
    [("2", 2), ("2000m", 2), ("2.0", 2), ("1500m", 0), ("2e0", 2), ("9223372036854775807", 0), ("1e30", 0)],
)
def test_only_whole_cpus_are_exclusive(cpu: str, count: int) -> None:
    facts = pod(app(f"{cpu}/1Gi"))

    assert exclusive_cpus(facts, facts.containers[0]) == count


@pytest.mark.parametrize(
    ("containers", "spec"),
    [
        ((burstable("2/1Gi"),), {}),
        ((app("2/1Gi"),), {"resources": {"limits": {"cpu": "2", "memory": "1Gi"}}}),
        (({"name": "app", "resources": {"limits": {GPU: "1"}}},), {}),
    ],
    ids=["Burstable", "spec.resources", "no CPU"],
)
def test_only_guaranteed_pods_without_spec_resources_are_pinned(containers: tuple[Raw, ...], spec: Raw) -> None:
    facts = pod(*containers, **spec)

    assert exclusive_cpus(facts, facts.containers[0]) == 0
    assert manager().pod_hints(facts) == [None]
    assert manager().container_hints(facts, facts.containers[0]) == [None]


def test_hints_need_room_but_are_preferred_by_the_size_of_the_machine() -> None:
    facts = pod(app("7/1Gi"))

    assert masks(manager().container_hints(facts, facts.containers[0])) == ([0b10, 0b11], [0b10])
    assert masks(manager("0,4,8,12").container_hints(facts, facts.containers[0])) == ([0b11], [])


def test_a_request_beyond_the_machine_is_impossible() -> None:
    assert masks(manager().pod_hints(pod(app("15/1Gi")))) == ([], [])


def test_reusable_cpus_bind_later_hints() -> None:
    tested, facts = manager(), pod(init("2/1Gi"), app("4/1Gi"))
    tested.allocate(facts, facts.containers[0], Affinity(0b10, preferred=True))

    assert masks(tested.container_hints(facts, facts.containers[1])) == ([0b10, 0b11], [0b10])
    tested.allocate(facts, facts.containers[1], Affinity(0b10, preferred=True))
    assert {name: cpuset.format(cpus) for name, cpus in tested.assigned.items()} == {
        "init": "4,12",
        "app": "4-5,12-13",
    }


def test_a_sidecar_keeps_its_cpus() -> None:
    tested, facts = manager(), pod(sidecar("2/1Gi"), app("4/1Gi"))
    for container in facts.containers:
        tested.allocate(facts, container, Affinity(0b10, preferred=True))

    assert cpuset.format(tested.assigned["app"]) == "5-6,13-14"


@pytest.mark.parametrize(
    ("containers", "count"),
    [
        ((app("2/1Gi", "a"), app("3/1Gi", "b")), 5),
        ((init("6/1Gi"), app("2/1Gi")), 6),
        ((sidecar("2/1Gi"), init("4/1Gi"), app("3/1Gi")), 6),
        ((init("4/1Gi"), sidecar("2/1Gi"), app("3/1Gi")), 5),
        ((init("1500m/1Gi"), app("3/1Gi")), 3),
    ],
)
def test_a_pod_asks_for_the_most_at_once(containers: tuple[Raw, ...], count: int) -> None:
    exactly, too_few = manager("", number=1), manager("", number=1)
    exactly.allocate(pod(app(f"{8 - count}/1Gi")), pod(app(f"{8 - count}/1Gi")).containers[0], ANYWHERE)
    too_few.allocate(pod(app(f"{9 - count}/1Gi")), pod(app(f"{9 - count}/1Gi")).containers[0], ANYWHERE)

    assert masks(exactly.pod_hints(pod(*containers))) == ([0b1], [0b1])
    assert masks(too_few.pod_hints(pod(*containers))) == ([], [])


def test_cpus_come_from_the_affinity_first_then_from_anywhere() -> None:
    tested, facts = manager(), pod(app("10/1Gi"))
    tested.allocate(facts, facts.containers[0], Affinity(0b10, preferred=False))

    assert cpuset.format(tested.assigned["app"]) == "1,4-7,9,12-15"


def test_reserved_cpus_are_never_given_away() -> None:
    tested, facts = manager("0,8"), pod(app("15/1Gi"))

    with pytest.raises(RefusedError, match="requested=15, available=14"):
        tested.allocate(facts, facts.containers[0], ANYWHERE)


@pytest.mark.parametrize("strict", [False, True])
def test_strict_reservation_changes_no_placement(*, strict: bool) -> None:
    tested, facts = manager("0", strict_reservation=strict, full_pcpus_only=True), pod(app("6/1Gi"))
    tested.allocate(facts, facts.containers[0], Affinity(0b01, preferred=True))

    assert cpuset.format(tested.assigned["app"]) == "1-3,9-11"


def test_whole_cores_leave_out_the_siblings_of_reserved_cpus() -> None:
    tested, facts = manager("0", full_pcpus_only=True), pod(app("16/1Gi"))

    with pytest.raises(RefusedError, match="physical CPUs = 14, requested CPUs = 16, CPUs per core = 2"):
        tested.allocate(facts, facts.containers[0], ANYWHERE)


def test_released_cpus_are_free_again() -> None:
    tested, facts = manager(), pod(app("14/1Gi"))
    tested.allocate(facts, facts.containers[0], ANYWHERE)
    tested.release()

    assert tested.assigned == {}
    assert masks(tested.pod_hints(facts)) == ([0b11], [0b11])


def two_sockets_of_two() -> CpuManager:
    """Make four NUMA nodes of 8 CPUs in two sockets, with sockets aligned."""
    shape = tuple(
        replace(cell, cores=tuple(replace(core, socket=cell.id // 2) for core in cell.cores)) for cell in cells(4)
    )
    return CpuManager(discover(shape), 0b1, CpuOptions(align_by_socket=True))


def test_with_aligned_sockets_every_mask_within_a_socket_is_preferred() -> None:
    tested, facts = two_sockets_of_two(), pod(app("8/1Gi"))

    assert masks(tested.pod_hints(facts))[1] == [0b0010, 0b0100, 0b1000, 0b0011, 0b1100]


def test_with_aligned_sockets_cpus_may_come_from_all_of_the_socket() -> None:
    tested, facts = two_sockets_of_two(), pod(app("12/1Gi"))
    tested.allocate(facts, facts.containers[0], Affinity(0b0100, preferred=True))

    assert discover(cells(4)).cells_of(tested.assigned["app"]) == (2, 3)


def test_without_the_static_policy_nothing_is_pinned() -> None:
    none = machine(cpu_manager_policy="none", reserved_cpus="")

    assert where(admit(none, app("2/1Gi/1"))) == {"app": "- | [0] | 1"}
