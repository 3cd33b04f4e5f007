"""The domain's node class, as profiles make it."""

import pytest

from webhook.config.document import read_stream
from webhook.config.node_profile import on_machine
from webhook.config.node_profile import to_node_class
from webhook.domain.errors import PolicyError
from webhook.domain.quantity import Quantity
from webhook.domain.raw import get_object
from webhook.domain.topology import Device
from webhook.domain.topology import KubeletSettings
from webhook.domain.topology import NodeClass
from webhook.domain.topology import Taint

NUMA = '[{id: 0, memory: 8Gi, cpus: "0-3", threadsPerCore: 2}, {id: 2, memory: 8Gi, cpus: "4-7", threadsPerCore: 2}]'


def node_class(rest: str = "", numa: str = NUMA) -> NodeClass:
    """Read a small machine with the given rest of the spec."""
    (document,) = read_stream(f"spec:\n  numa: {numa}\n{rest}", "p.yaml")
    return to_node_class(document, "small", get_object(document.data, "spec"))


def test_a_bare_machine_has_the_kubelet_s_own_defaults() -> None:
    made = node_class()
    assert (made.name, made.kubelet) == ("small", KubeletSettings())
    assert (made.devices, made.labels, made.taints, made.assumed) == ({}, {}, (), False)


def test_labels_and_taints_are_kept() -> None:
    made = node_class("  selector: {matchLabels: {a/b: c}}\n  taints: [{key: gpu, value: x, effect: NoExecute}]\n")
    assert made.labels == {"a/b": "c"}
    assert made.taints == (Taint(key="gpu", effect="NoExecute", value="x"),)


def test_counted_devices_are_numbered_through_in_the_order_written() -> None:
    made = node_class('  devices: {nvidia.com/gpu: {"2": 2, "0": 1}}\n')
    expected = (Device("gpu-0", (2,)), Device("gpu-1", (2,)), Device("gpu-2", (0,)))
    assert made.devices["nvidia.com/gpu"] == expected


def test_devices_may_be_counted_without_a_numa_node() -> None:
    made = node_class('  devices: {a/gpu: {"-1": 1, "2": 1}}\n')
    assert made.devices["a/gpu"] == (Device("gpu-0"), Device("gpu-1", (2,)))


def test_listed_devices_may_have_no_or_several_numa_nodes() -> None:
    made = node_class("  devices: {a: [{id: x}, {id: y, numa: [0, 2], healthy: false}, {id: z, numa: []}]}\n")
    assert made.devices["a"] == (Device("x"), Device("y", (0, 2), healthy=False), Device("z", ()))


def test_kubelet_settings_are_read() -> None:
    made = node_class(
        """\
  kubelet:
    cpuManagerPolicy: static
    cpuManagerPolicyOptions: {full-pcpus-only: "true"}
    memoryManagerPolicy: Static
    topologyManagerPolicy: restricted
    topologyManagerScope: pod
    topologyManagerPolicyOptions: {prefer-closest-numa-nodes: "true"}
    reservedSystemCPUs: "0,2"
    nodeAllocatableReservation: {cpu: "2", memory: 1Gi}
    reservedMemory: [{numaNode: 2, limits: {memory: 1Gi}}]
    featureGates: {Gate: false}
    version: "1.36"
"""
    )
    expected = KubeletSettings(
        cpu_manager_policy="static",
        cpu_manager_policy_options={"full-pcpus-only": "true"},
        memory_manager_policy="Static",
        topology_manager_policy="restricted",
        topology_manager_scope="pod",
        topology_manager_policy_options={"prefer-closest-numa-nodes": "true"},
        reserved_system_cpus=0b101,
        node_allocatable_reservation={"cpu": Quantity.parse("2"), "memory": Quantity.parse("1Gi")},
        reserved_memory={2: {"memory": 1 << 30}},
        feature_gates={"Gate": False},
        version=(1, 36),
    )
    assert made.kubelet == expected


def test_no_reserved_cpus_means_reserved_by_size() -> None:
    assert node_class('  kubelet: {reservedSystemCPUs: ""}\n').kubelet.reserved_system_cpus is None


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        (
            '  devices: {a/gpu: {"1": 2}}\n',
            "p.yaml:3: spec.devices[a/gpu][1]: NUMA node 1 is not on this machine: it has 0, 2",
        ),
        ("  devices:\n    a:\n    - {id: x, numa: [0, 5]}\n", "p.yaml:5: spec.devices.a[0].numa: NUMA node 5 is not"),
        ("  devices: {a: [{id: x}, {id: x}]}\n", 'spec.devices.a: device id "x" is written twice'),
        (
            '  kubelet:\n    reservedSystemCPUs: "0-9"\n',
            'p.yaml:4: spec.kubelet.reservedSystemCPUs: CPU 8 of "0-9" is not on this machine',
        ),
        ("  kubelet: {reservedMemory: [{numaNode: 1, limits: {}}]}\n", "[0].numaNode: NUMA node 1 is not on this"),
        (
            "  kubelet: {reservedMemory: [{numaNode: 0, limits: {}}, {numaNode: 0, limits: {}}]}\n",
            "spec.kubelet.reservedMemory[1].numaNode: NUMA node 0 is written twice: join both entries",
        ),
        (
            "  kubelet: {reservedMemory: [{numaNode: 0, limits: {memory: 9Gi}}]}\n",
            "limits: 9663676416 bytes are more than NUMA node 0 has (8589934592)",
        ),
    ],
)
def test_parts_that_contradict_each_other_are_refused(rest: str, message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        node_class(rest)
    assert message in str(caught.value)


def test_a_profile_replaces_fields_of_its_machine_and_merges_kubelet_settings() -> None:
    machine = {
        "numa": [1],
        "devices": {"a": {"0": 1}, "b": {"0": 1}},
        "kubelet": {"topologyManagerScope": "pod", "cpuManagerPolicyOptions": {"x": "1"}},
    }
    spec = {
        "machine": "m",
        "devices": {"a": {"0": 2}},
        "kubelet": {"topologyManagerPolicy": "restricted", "cpuManagerPolicyOptions": {"y": "2"}},
    }
    expected = {
        "numa": [1],
        "devices": {"a": {"0": 2}},
        "kubelet": {
            "topologyManagerScope": "pod",
            "topologyManagerPolicy": "restricted",
            "cpuManagerPolicyOptions": {"x": "1", "y": "2"},
        },
    }
    assert on_machine(machine, spec) == expected
