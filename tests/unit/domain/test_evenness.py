"""Whether a pod divides evenly over its NUMA nodes, as it is placed."""

from dataclasses import replace

import pytest
from kubelets import GIB
from kubelets import GPU
from kubelets import app
from kubelets import machine
from kubelets import raw_pod

from webhook.domain import facts
from webhook.domain.fit import fit
from webhook.domain.topology import Device

NIC = "example.com/nic"
LENIENT = replace(
    machine(policy="best-effort", reserved_cpus="0,4,8,12"),
    devices={**machine().devices, NIC: (Device("nic-0", (0,)), Device("nic-1", (1,)))},
)


@pytest.mark.parametrize(
    ("text", "uneven"),
    [
        ("12/40Gi/8", ""),
        ("12/40Gi/4", f"{GPU} per NUMA node are 4, 0"),
        ("2/40Gi/8", "CPUs per NUMA node are 2, 0"),
        ("10/40Gi/8", "CPUs per NUMA node are 6, 4"),
        ("12/40Gi/5", f"{GPU} per NUMA node are 4, 1"),
    ],
)
def test_a_numa_node_without_its_part_is_uneven(text: str, uneven: str) -> None:
    count = int(text.rpartition("/")[2])

    assert fit(facts.read(raw_pod(app(text))), LENIENT, {"app": {GPU: count}}, 2).uneven == uneven


def test_devices_that_are_no_accelerators_need_not_divide() -> None:
    pod = facts.read(raw_pod(app("12/40Gi/8", **{NIC: "1"})))

    assert fit(pod, LENIENT, {"app": {GPU: 8}}, 2).uneven == ""


def test_memory_divides_by_size() -> None:
    pod = facts.read(raw_pod(app(f"12/{40 * GIB + 1}/8")))

    assert fit(pod, LENIENT, {"app": {GPU: 8}}, 2).uneven == (
        "memory 42949672961 of container app does not divide by 2"
    )
