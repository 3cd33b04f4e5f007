"""The device manager: hints and allocation of devices with, without and with several NUMA nodes."""

from dataclasses import replace

import pytest
from kubelets import GPU
from kubelets import Raw
from kubelets import app
from kubelets import burstable
from kubelets import init
from kubelets import pod
from kubelets import sidecar

from webhook.domain.kubelet import device_manager
from webhook.domain.kubelet.device_manager import DeviceManager
from webhook.domain.kubelet.hints import Affinity
from webhook.domain.kubelet.hints import Hints
from webhook.domain.kubelet.refusal import RefusedError
from webhook.domain.topology import Device
from webhook.domain.versions import rules

ANYWHERE = Affinity(None, preferred=True)
NODE_0, NODE_1, BOTH = (Affinity(mask, preferred=True) for mask in (0b01, 0b10, 0b11))
FOUR_EACH = tuple(Device(f"{c}-{n}", (c,)) for c in (0, 1) for n in range(4))


def manager(*devices: Device, cells: tuple[int, ...] = (0, 1)) -> DeviceManager:
    """Make the device manager of a machine with these GPUs, four on each of two NUMA nodes by default."""
    return DeviceManager({GPU: device_manager.table(devices or FOUR_EACH, cells)})


def masks(hints: list[Hints | None]) -> tuple[list[int], list[int]]:
    """Answer the masks of all hints, and of the preferred ones."""
    (found,) = hints
    assert found is not None
    return list(found.ascending()), [mask for mask in found.ascending() if found.prefers(mask)]


def hints(tested: DeviceManager, gpus: int) -> tuple[list[int], list[int]]:
    """Answer the hints of a container that asks for some GPUs."""
    facts = pod(app(f"1/1Gi/{gpus}"))
    return masks(tested.container_hints(facts, facts.containers[0]))


def take(tested: DeviceManager, affinity: Affinity, *containers: Raw) -> dict[str, tuple[str, ...]]:
    """Allocate for all containers of one pod and answer the GPUs of each."""
    facts = pod(*containers)
    tested.begin()
    for container in facts.containers:
        tested.allocate(facts, container, affinity)
    return {name: resources[GPU] for name, resources in tested.owned.items()}


def test_hints_count_free_devices_but_are_preferred_by_all_of_them() -> None:
    tested = manager()

    assert hints(tested, 4) == ([0b01, 0b10, 0b11], [0b01, 0b10])
    take(tested, NODE_0, app("1/1Gi/2"))
    assert hints(tested, 4) == ([0b10, 0b11], [0b10])
    take(tested, NODE_1, app("1/1Gi/2"))
    assert hints(tested, 4) == ([0b11], [])
    assert hints(tested, 5) == ([], [])


def test_the_class_of_the_pod_does_not_matter() -> None:
    assert masks(manager().pod_hints(pod(burstable("1/1Gi/5")))) == ([0b11], [0b11])


def test_a_resource_that_nobody_registered_is_not_looked_at() -> None:
    facts = pod(app("1/1Gi", **{"example.com/fpga": "1"}))

    assert manager().container_hints(facts, facts.containers[0]) == []
    assert manager().pod_hints(facts) == []


def test_without_any_topology_there_is_no_preference() -> None:
    tested, facts = manager(Device("a"), Device("b", ())), pod(app("1/1Gi/2"))

    assert tested.container_hints(facts, facts.containers[0]) == [None]
    assert take(tested, NODE_1, app("1/1Gi/2")) == {"app": ("a", "b")}


def test_hints_range_over_the_nodes_that_have_devices() -> None:
    tested = manager(Device("a", (1,)), Device("b", (3,)), cells=(0, 1, 2, 3))

    assert hints(tested, 0) == ([0b0010, 0b1000, 0b1010], [0b0010, 0b1000])
    assert hints(tested, 2) == ([0b1010], [0b1010])


def test_devices_on_unknown_nodes_serve_nowhere() -> None:
    tested = manager(Device("a", (7,)), cells=(0, 1))

    assert hints(tested, 1) == ([], [])
    assert hints(tested, 0) == ([0b01, 0b10, 0b11], [0b01, 0b10])


def test_a_device_of_two_nodes_counts_for_either() -> None:
    tested = manager(Device("a", (0, 1)), Device("b", (0,)), Device("c", (2,)), cells=(0, 1, 2))

    assert hints(tested, 2) == ([0b001, 0b011, 0b101, 0b110, 0b111], [0b001])
    assert hints(tested, 3) == ([0b101, 0b111], [0b101])
    assert hints(manager(Device("a", (0, 1)), Device("b", (0, 1))), 2) == ([0b01, 0b10, 0b11], [0b01, 0b10])


def test_devices_of_several_nodes_may_need_all_of_them() -> None:
    tested = manager(Device("a", (0, 9)), Device("b", (1,)), cells=(0, 1))

    assert hints(tested, 2) == ([0b11], [0b11])


def test_sick_devices_are_counted_but_not_given() -> None:
    sick = [replace(device, healthy=device.id != "0-0") for device in FOUR_EACH]
    tested = manager(*sick)

    assert hints(tested, 4) == ([0b10, 0b11], [0b10])
    assert take(tested, NODE_0, app("1/1Gi/1")) == {"app": ("0-1",)}


def test_devices_within_the_affinity_come_first() -> None:
    assert take(manager(), NODE_1, app("1/1Gi/2")) == {"app": ("1-0", "1-1")}
    assert take(manager(), NODE_1, app("1/1Gi/5")) == {"app": ("1-0", "1-1", "1-2", "1-3", "0-0")}
    assert take(manager(), ANYWHERE, app("1/1Gi/2")) == {"app": ("0-0", "0-1")}


def test_devices_without_topology_come_last() -> None:
    mixed = manager(Device("nowhere"), Device("here", (0,)), Device("there", (1,)))

    assert take(mixed, NODE_1, app("1/1Gi/3")) == {"app": ("there", "here", "nowhere")}


def test_zero_devices_are_none() -> None:
    assert take(manager(), NODE_0, app("1/1Gi/0")) == {}


@pytest.mark.parametrize(
    ("devices", "count", "message"),
    [
        (
            (Device("a", (0,), healthy=False),),
            0,
            f"no healthy devices present; cannot allocate unhealthy devices {GPU}",
        ),
        ((Device("a", (0,)),), 2, f"requested number of devices unavailable for {GPU}. Requested: 2, Available: 1"),
    ],
)
def test_too_few_devices_are_an_error_in_the_kubelets_words(
    devices: tuple[Device, ...], count: int, message: str
) -> None:
    with pytest.raises(RefusedError) as caught:
        take(manager(*devices), NODE_0, app(f"1/1Gi/{count}"))

    assert caught.value.message == f"Allocate failed due to {message}, which is unexpected"


def test_devices_of_init_containers_are_used_again_and_those_of_sidecars_are_not() -> None:
    assert take(manager(), NODE_0, init("1/1Gi/2"), app("1/1Gi/3")) == {
        "init": ("0-0", "0-1"),
        "app": ("0-0", "0-1", "0-2"),
    }
    assert take(manager(), NODE_0, sidecar("1/1Gi/2"), app("1/1Gi/2")) == {
        "sidecar": ("0-0", "0-1"),
        "app": ("0-2", "0-3"),
    }
    assert take(manager(), NODE_0, init("1/1Gi/2"), app("1/1Gi/1", "a"), app("1/1Gi/1", "b")) == {
        "init": ("0-0", "0-1"),
        "a": ("0-0",),
        "b": ("0-1",),
    }


def test_reusable_devices_bind_later_hints() -> None:
    tested, facts = manager(), pod(init("1/1Gi/2"), app("1/1Gi/4"))
    tested.allocate(facts, facts.containers[0], NODE_1)

    assert masks(tested.container_hints(facts, facts.containers[1])) == ([0b10, 0b11], [0b10])


def test_reusable_devices_without_topology_bind_nothing() -> None:
    tested, facts = manager(Device("a"), Device("b", (1,))), pod(init("1/1Gi/1"), app("1/1Gi/1"))
    tested.allocate(facts, facts.containers[0], ANYWHERE)

    assert masks(tested.container_hints(facts, facts.containers[1])) == ([0b10], [0b10])


def test_reusable_devices_with_an_empty_topology_bind_everything() -> None:
    tested, facts = manager(Device("a", ()), Device("b", (1,))), pod(init("1/1Gi/1"), app("1/1Gi/1"))
    tested.allocate(facts, facts.containers[0], ANYWHERE)

    assert masks(tested.container_hints(facts, facts.containers[1])) == ([], [])


def test_a_pod_asks_for_the_most_devices_at_once() -> None:
    tested = manager()

    assert masks(tested.pod_hints(pod(app("1/1Gi/2", "a"), app("1/1Gi/3", "b")))) == ([0b11], [0b11])
    assert masks(tested.pod_hints(pod(init("1/1Gi/5"), app("1/1Gi/3")))) == ([0b11], [0b11])
    assert masks(tested.pod_hints(pod(sidecar("1/1Gi/1"), app("1/1Gi/3")))) == ([0b01, 0b10, 0b11], [0b01, 0b10])


def test_released_devices_are_free_again() -> None:
    tested = manager()
    take(tested, BOTH, app("1/1Gi/8"))
    tested.release()

    assert hints(tested, 4) == ([0b01, 0b10, 0b11], [0b01, 0b10])


def test_older_versions_give_hints_for_numa_nodes_without_devices_too() -> None:
    devices = (Device("0", (0,)), Device("1", (0,)))
    older = DeviceManager({GPU: device_manager.table(devices, (0, 1), rules((1, 35)))})

    assert hints(manager(*devices), 0) == ([0b01], [0b01])
    assert hints(older, 0) == ([0b01, 0b10, 0b11], [0b01, 0b10])
    assert hints(older, 2) == ([0b01, 0b11], [0b01])
