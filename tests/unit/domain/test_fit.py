"""Whether classes take a pod: equal machines are simulated once and keep their names."""

from dataclasses import replace

import pytest
from kubelets import GPU
from kubelets import Raw
from kubelets import app
from kubelets import machine
from kubelets import raw_pod

from webhook.domain import facts
from webhook.domain.fit import Cause
from webhook.domain.fit import ClassFit
from webhook.domain.fit import Fits
from webhook.domain.fit import fit
from webhook.domain.fit import fit_each
from webhook.domain.fit import is_aligned
from webhook.domain.topology import POD_LEVEL_GATE
from webhook.domain.topology import NodeClass
from webhook.domain.topology import unlike
from webhook.domain.topology import with_shared_parts

EAST = replace(machine(), name="east", labels={"zone": "east"})
WEST = replace(machine(), name="west", labels={"zone": "west"})
POOR = replace(machine(cells=machine().cells[:1], reserved_cpus="0-3,8-10"), name="poor")


def test_classes_with_equal_machines_share_them_and_keep_their_names() -> None:
    east, west, poor = with_shared_parts([EAST, WEST, POOR])

    assert east.cells is west.cells
    assert east.devices is west.devices
    assert east.kubelet is west.kubelet
    assert [(one.name, dict(one.labels)) for one in (east, west)] == [
        ("east", {"zone": "east"}),
        ("west", {"zone": "west"}),
    ]
    assert (poor.cells, poor.devices, poor.kubelet) == (POOR.cells, POOR.devices, POOR.kubelet)


def test_a_pod_is_simulated_once_for_classes_with_shared_parts() -> None:
    pod, accelerators = facts.read(raw_pod(app("4/8Gi/2"))), {"app": {GPU: 2}}
    classes = with_shared_parts([EAST, WEST, POOR])
    east, west, poor = fit_each(pod, classes, accelerators)

    assert [one.node_class.name for one in (east, west, poor)] == ["east", "west", "poor"]
    assert [one.fits for one in (east, west, poor)] == [Fits.YES, Fits.YES, Fits.NO]
    assert east.admission is west.admission
    assert [one.reason for one in (west, poor)] == [fit(pod, one, accelerators).reason for one in (WEST, POOR)]


GATED = replace(machine(scope="pod", feature_gates={POD_LEVEL_GATE: True}), name="gated")
WIDE = replace(machine("restricted", "pod", feature_gates={POD_LEVEL_GATE: True}), name="wide")
SERVER: Raw = {"name": "app", "resources": {"limits": {GPU: "1"}}}


def whole(cpu: str, memory: str) -> Raw:
    """Make equal spec.resources."""
    return {"resources": {"limits": {"cpu": cpu, "memory": memory}}}


def ask(node_class: NodeClass, container: Raw, spec: Raw, numa_nodes: int = 1) -> ClassFit:
    """Ask whether the class takes a pod of this container."""
    accelerators = {"app": {GPU: int(container["resources"]["limits"][GPU])}}
    return fit(facts.read(raw_pod(container, **spec)), node_class, accelerators, numa_nodes)


def test_a_container_on_its_pods_own_cpus_is_aligned() -> None:
    answer = ask(GATED, SERVER, whole("4", "8Gi"))

    assert (answer.fits, answer.cells) == (Fits.YES, (0,))
    assert answer.admission.placements[0].devices == {GPU: ("0-0",)}


@pytest.mark.parametrize(
    ("spec", "reason"),
    [
        (whole("3500m", "8Gi"), "container app gets no exclusive CPUs"),
        (whole("4", "8589934592500m"), "the memory of spec.resources is no whole number of bytes, and is not pinned"),
    ],
)
def test_what_is_pinned_in_part_is_unpinned(spec: Raw, reason: str) -> None:
    answer = ask(GATED, SERVER, spec)

    assert (answer.fits, answer.cause, answer.reason) == (Fits.NO, Cause.UNPINNED, reason)


@pytest.mark.parametrize(
    ("spec", "uneven"),
    [
        (whole("12", "40Gi"), "CPUs per NUMA node are 4, 8"),
        (whole("14", "40Gi"), "CPUs per NUMA node are 6, 8"),
    ],
)
def test_cpus_that_containers_share_count_as_placed(spec: Raw, uneven: str) -> None:
    five = {"name": "app", "resources": {"limits": {GPU: "5"}}}
    answer = ask(WIDE, five, spec, 2)

    assert (answer.fits, answer.cells) == (Fits.YES, (0, 1))
    assert answer.uneven == uneven


def test_devices_and_memory_that_containers_share_must_divide_as_well() -> None:
    even = replace(
        WIDE, kubelet=replace(WIDE.kubelet, cpu_manager_policy_options={"distribute-cpus-across-numa": "true"})
    )
    eight: Raw = {"name": "app", "resources": {"limits": {GPU: "8"}}}
    five: Raw = {"name": "app", "resources": {"limits": {GPU: "5"}}}

    assert ask(even, eight, whole("12", "40Gi"), 2).uneven == ""
    assert ask(even, five, whole("12", "40Gi"), 2).uneven == "nvidia.com/gpu per NUMA node are 4, 1"
    assert ask(even, eight, whole("12", "42949672961"), 2).uneven == (
        "memory 42949672961 of spec.resources does not divide by 2"
    )


def test_of_classes_with_shared_parts_one_is_enough() -> None:
    east, west, poor = with_shared_parts([EAST, WEST, POOR])

    assert unlike([east, west, poor]) == (east, poor)


def test_an_admission_is_aligned_where_it_stays_within_the_numa_nodes() -> None:
    lenient = replace(machine(), kubelet=replace(machine().kubelet, topology_manager_policy="best-effort"))
    admissions = [
        fit(facts.read(raw_pod(app(resources))), lenient, {"app": {GPU: 2}}).admission
        for resources in ("4/8Gi/2", "4/8Gi/400")
    ]

    assert [is_aligned(one, {"app"}) for one in admissions] == [True, False]


def test_memory_that_nobody_pins_must_still_lie_with_its_cpus() -> None:
    unpinned = replace(machine(), kubelet=replace(machine().kubelet, memory_manager_policy="None"))
    small, large = facts.read(raw_pod(app("4/31Gi/1"))), facts.read(raw_pod(app("4/32Gi/1")))

    assert fit(small, unpinned, {"app": {GPU: 1}}).fits is Fits.YES
    answer = fit(large, unpinned, {"app": {GPU: 1}})
    assert (answer.fits, answer.cause) == (Fits.NO, Cause.SPREAD)
    assert answer.reason == "container app has more memory (32Gi) than NUMA node 0"
