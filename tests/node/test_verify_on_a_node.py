"""`numagate verify` in the guest: what it sees is what is there, and each rule finds pods aligned and misaligned.

Nothing is written down for it: a real kubelet has pinned real processes, and what is wrong is made wrong with cgroups,
taskset, or a kubelet whose policy does not align.
"""

import re

import pytest
from builders import GPU
from node import hardware
from node import pods
from node import verifying
from node.container import Container
from node.guest import Guest
from node.kubelet import Kubelet
from node.machine import started
from node.shapes import Shape
from node.verifying import Report
from node.verifying import misaligned
from node.verifying import outcomes
from node.verifying import pod_of

from webhook.domain import cpuset
from webhook.domain.keys import NUMA_NODES

pytestmark = [
    pytest.mark.node,
    pytest.mark.parametrize("guest", [hardware.SMALL], indirect=True, ids=["2 NUMA nodes"], scope="session"),
]

ALIGNING = Shape("aligning", "single-numa-node/container", nics=(0, 1))
SPREADING = Shape("spreading", "restricted/container", options=("distribute-cpus-across-numa",), gpus=(1, 1))
WITHOUT_DEVICES = Shape("without devices", "single-numa-node/container", gpus=())

TWO_CPUS = {"cpu": "2", "memory": "256Mi"}
OF_BOTH_NODES = {"cpu": "6", "memory": "1400Mi", GPU: "2"}
"""No NUMA node has enough of anything."""

OF_ONE_NODE = {
    "device-count",
    "exclusive-cpus",
    "cpu-locality",
    "device-locality",
    "memory-nodes",
    "local-memory",
    "process-affinity",
    "cpu-quota",
}
OF_MORE_NODES = {"rank-locality", "even-spread"}


def test_a_pinned_pod_is_aligned_and_what_is_spoiled_is_found(kubelet: Kubelet, guest: Guest) -> None:
    verifying.start(guest)
    started(kubelet, ALIGNING)
    pod = pods.run(kubelet, "pinned", {**TWO_CPUS, GPU: "1"}, pods.filling())
    container = Container(guest, pod)

    report = verifying.look(kubelet)
    assert outcomes(report, "pinned") == dict.fromkeys(OF_ONE_NODE, "aligned")
    check_machine(guest, report)
    check_container(guest, container, report)

    (tail,) = [pid for pid, name in container.processes().items() if name == "tail"]
    with container.spoiled({"cpuset.cpus": "1-2,5-6"}):
        guest.run(f"taskset -cp 5 {tail}")
        assert misaligned(verifying.look(kubelet), "pinned") == {"exclusive-cpus", "cpu-locality", "process-affinity"}
    guest.run(f"taskset -cp 1-2 {tail}")
    with container.spoiled({"cpuset.mems": "1", "cpu.max": "150000 100000"}):
        assert misaligned(verifying.look(kubelet), "pinned") == {"memory-nodes", "local-memory", "cpu-quota"}

    assert verifying.look(kubelet)["summary"]["aligned"] == 1


def check_machine(guest: Guest, report: Report) -> None:
    """Compare what is said of the machine with what it was made of, and with what its kernel says."""
    cells, per_cell = guest.hardware.cells, guest.hardware.per_cell
    said = report["machine"]
    assert [(cell["id"], cell["cpus"]) for cell in said["cells"]] == [
        (number, f"{number * per_cell}-{(number + 1) * per_cell - 1}") for number in range(cells)
    ]
    assert sum(cell["bytes"] for cell in said["cells"]) == total_memory(guest)
    assert said["online"] == guest.run("cat /sys/devices/system/cpu/online").strip()
    found = {one["name"]: one for one in said["interfaces"]}
    # The one card is at a NUMA node and the other at none.
    assert (found["eth1"]["cell"], found["eth0"]["cell"]) == (cells - 1, None)
    assert cpuset.parse(found["eth0"]["irqCpus"]) == irq_cpus(guest, "eth0")
    assert report["kubelet"]["topologyManagerPolicy"] == "single-numa-node"
    assert report["faults"] == report["unread"] == []


def total_memory(guest: Guest) -> int:
    """Answer the bytes of the whole machine."""
    found = re.search(r"MemTotal: +(\d+) kB", guest.run("cat /proc/meminfo"))
    assert found is not None
    return int(found[1]) << 10


def irq_cpus(guest: Guest, interface: str) -> int:
    """Answer the CPUs that serve the interrupts of a network card, as a bit set."""
    said = guest.run(
        f"for irq in $(ls $(readlink -f /sys/class/net/{interface}/device)/../msi_irqs); do\n"
        "cat /proc/irq/$irq/effective_affinity_list; done"
    )
    found = 0
    for line in said.split():
        found |= cpuset.parse(line)
    return found


def check_container(guest: Guest, container: Container, report: Report) -> None:
    """Compare what is said of the pinned container with its cgroup, its processes, and their memory."""
    (said,) = pod_of(report, "pinned")["containers"]
    names = ("cpuset.cpus", "cpuset.cpus.effective", "cpuset.mems", "cpuset.mems.effective", "cpu.max")
    cpus, effective, mems, effective_mems, quota = container.read(*names)
    assert (cpus, mems, quota) == ("1-2", "0", "max 100000")
    assert said["id"] == container.id
    assert said["exclusiveCpus"] == said["cgroup"]["cpus"] == cpus
    assert said["cgroup"]["effectiveCpus"] == effective
    assert (said["cgroup"]["cells"], said["cgroup"]["effectiveCells"]) == (mems, effective_mems)
    assert said["cgroup"]["quota"] is None
    assert said["pinnedMemory"] == {"memory": {"bytes": 256 << 20, "cells": "0"}}
    assert [(one["resource"], one["cells"]) for one in said["devices"]] == [(GPU, "0")]

    processes = {one["pid"]: one for one in said["processes"]}
    assert {pid: one["command"] for pid, one in processes.items()} == container.processes()
    for pid, one in processes.items():
        affinity = guest.run(f"taskset -cp {pid}").rpartition(":")[2].strip()
        assert cpuset.parse(one["cpus"]) == cpuset.parse(affinity)
        assert resident(one) == pytest.approx(anonymous(guest, pid), abs=64 << 10)
    (tail,) = [one for one in processes.values() if one["command"] == "tail"]
    assert pods.MEGABYTES << 20 <= resident(tail) < (pods.MEGABYTES + 2) << 20


def resident(process: Report) -> int:
    """Answer the bytes of a process's own memory in a report."""
    return sum(sum(process["memory"][kind].values()) for kind in ("anonymous", "heap", "stack", "huge"))


def anonymous(guest: Guest, pid: int) -> int:
    """Answer the same by the kernel's own sum."""
    found = re.search(r"Anonymous:\s+(\d+) kB", guest.run(f"cat /proc/{pid}/smaps_rollup"))
    assert found is not None
    return int(found[1]) << 10


@pytest.mark.long
def test_a_pod_over_two_nodes_is_aligned_and_what_is_spoiled_is_found(kubelet: Kubelet, guest: Guest) -> None:
    verifying.start(guest)
    started(kubelet, SPREADING)
    ranks = f"{pods.filling('taskset 0x02 ')} & {pods.filling('taskset 0x10 ')} & wait"
    pod = pods.run(kubelet, "spread", OF_BOTH_NODES, ranks, annotations={NUMA_NODES: "2"})
    container = Container(guest, pod)
    tails = [pid for pid, name in container.processes().items() if name == "tail"]

    assert container.read("cpuset.cpus", "cpuset.mems") == ["1-6", "0-1"]
    assert outcomes(verifying.look(kubelet), "spread") == dict.fromkeys({*OF_ONE_NODE, *OF_MORE_NODES}, "aligned")

    guest.run(f"taskset -cp 4 {tails[0]}")
    assert misaligned(verifying.look(kubelet), "spread") == {"rank-locality"}
    with container.spoiled({"cpuset.cpus": "2-7"}):
        assert misaligned(verifying.look(kubelet), "spread") >= {"even-spread", "exclusive-cpus"}

    # Without the annotation it was promised one NUMA node, which this kubelet did not keep to.
    pods.annotate(kubelet.cluster, "spread", {NUMA_NODES: None})
    assert misaligned(verifying.look(kubelet), "spread") == {"device-locality", "cpu-locality"}


@pytest.mark.long
def test_devices_that_nobody_has_are_missed(kubelet: Kubelet, guest: Guest) -> None:
    verifying.start(guest)
    started(kubelet, WITHOUT_DEVICES)
    pods.run(kubelet, "bare", {**TWO_CPUS, GPU: "1"}, pods.filling())

    assert "device-count" in misaligned(verifying.look(kubelet), "bare")
