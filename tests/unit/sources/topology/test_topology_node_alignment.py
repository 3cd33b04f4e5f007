"""What the agent on a node says about it."""

from typing import Any

from inventories import view_of
from nodeobjects import GIB
from nodeobjects import agent_report
from nodeobjects import node
from observations import cell
from observations import gpus
from observations import machine

from webhook.domain.observation import Unread
from webhook.domain.topology import Cell
from webhook.sources.evidence import Evidence
from webhook.sources.topology.node_alignment import SOURCE

GPU = "devices.nvidia.com/gpu"


def evidence(*objects: Any) -> Evidence:
    """Read the source about one node."""
    found = SOURCE.read(view_of(*objects))
    assert found is not None
    return found


def test_without_an_agent_the_source_says_nothing() -> None:
    assert SOURCE.read(view_of(node())) is None


def test_what_the_agent_wrote_is_read_whole_and_nothing_is_guessed() -> None:
    found = evidence(agent_report())

    assert found.fields["numa"] == [
        {"id": 0, "memory": "1Ti", "cpus": "0-47,96-143", "threadsPerCore": 2, "distances": [10, 21]},
        {"id": 1, "memory": "1Ti", "cpus": "48-95,144-191", "threadsPerCore": 2, "distances": [21, 10]},
    ]
    assert found.fields[GPU] == {"0": 4, "1": 4}
    assert {name: value for name, value in found.fields.items() if name.startswith("kubelet.")} == {
        "kubelet.cpuManagerPolicy": "static",
        "kubelet.cpuManagerPolicyOptions": {"full-pcpus-only": "true"},
        "kubelet.memoryManagerPolicy": "Static",
        "kubelet.topologyManagerPolicy": "single-numa-node",
        "kubelet.topologyManagerScope": "pod",
        "kubelet.topologyManagerPolicyOptions": {},
        "kubelet.reservedSystemCPUs": "0,8",
        "kubelet.nodeAllocatableReservation": {"cpu": "2", "memory": "2Gi"},
        "kubelet.reservedMemory": [
            {"numaNode": 0, "limits": {"memory": "1Gi"}},
            {"numaNode": 1, "limits": {"memory": "1Gi"}},
        ],
        "kubelet.featureGates": {},
        "kubelet.version": "1.36",
    }
    assert (found.assumed, found.problems, found.doubts) == ({}, (), ())


def test_a_kubelet_that_could_not_be_read_is_left_to_other_sources() -> None:
    found = evidence(agent_report(kubelet=None, unread=(Unread("kubelet", "403 Forbidden"),)))

    assert not [name for name in found.fields if name.startswith("kubelet.")]


def test_numa_nodes_that_could_not_be_read_are_said_with_the_reason() -> None:
    blind = machine(cell(0))
    found = evidence(agent_report(machine=blind.__class__((), 0), unread=(Unread("machine", "no /sys"),)))

    assert "numa" not in found.fields
    assert found.problems == ("machine could not be read: no /sys",)


def test_names_of_devices_do_not_matter_only_where_they_are() -> None:
    one = evidence(agent_report(devices=gpus(1, 2, 2)))
    other = evidence(agent_report(devices=gpus(2, 2, 1)))

    assert one.fields[GPU] == other.fields[GPU] == {"0": 1, "1": 2}


def test_a_device_near_several_numa_nodes_is_listed_with_them() -> None:
    found = evidence(agent_report(devices=gpus(3, 2, None)))

    assert found.fields[GPU] == [{"id": "gpu-0", "numa": [0, 1]}, {"id": "gpu-1", "numa": [1]}, {"id": "gpu-2"}]


def test_devices_that_only_the_node_counts_are_somewhere() -> None:
    assert evidence(node(gpus=8), agent_report(devices=gpus(1, 1, 2))).fields[GPU] == {"0": 2, "1": 1, "-1": 5}
    assert evidence(node(gpus=2), agent_report(devices=gpus(1, 1, 2))).fields[GPU] == {"0": 2, "1": 1}
    assert evidence(node(gpus=8), agent_report(devices=gpus(3))).fields[GPU] == [{"id": "gpu-0", "numa": [0, 1]}]


def test_memory_without_cpus_is_a_numa_node_too() -> None:
    shown = machine(cell(0, of=1, memory=480 * GIB), Cell(1, 96 * GIB))

    assert evidence(agent_report(machine=shown)).fields["numa"] == [
        {"id": 0, "memory": "480Gi", "cpus": "0-7", "threadsPerCore": 2, "distances": [10]},
        {"id": 1, "memory": "96Gi"},
    ]
