"""A KubeletConfiguration becomes settings: the kubelet's defaults, its sums, and errors that name the field."""

from typing import Any

import pytest
from hypothesis import given
from strategies import json_values

from webhook.config.document import from_object
from webhook.config.document import read_stream
from webhook.config.kubelet_configuration import KubeletConfiguration
from webhook.config.kubelet_configuration import read_kubelet_configuration
from webhook.domain.errors import PolicyError
from webhook.domain.quantity import Quantity
from webhook.domain.topology import KubeletSettings

GIB = 1 << 30

WRITTEN = """
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
cpuManagerPolicy: static
cpuManagerPolicyOptions: {full-pcpus-only: "true"}
memoryManagerPolicy: Static
topologyManagerPolicy: single-numa-node
topologyManagerScope: pod
topologyManagerPolicyOptions: {max-allowable-numa-nodes: "16"}
reservedSystemCPUs: "0,8"
kubeReserved: {cpu: 500m, memory: 200Mi, ephemeral-storage: 1Gi}
systemReserved: {cpu: "1", memory: 200Mi}
evictionHard: {memory.available: 100Mi}
reservedMemory:
- {numaNode: 0, limits: {memory: 300Mi}}
- {numaNode: 1, limits: {memory: 200Mi}}
- {numaNode: 1, limits: {hugepages-1Gi: 1Gi}}
featureGates: {PodLevelResourceManagers: true}
"""


def read(memory: int | None = None, **fields: Any) -> KubeletConfiguration:
    """Read a configuration of these fields."""
    return read_kubelet_configuration(from_object(fields, "kubelet.yaml"), memory=memory)


def reserved(memory: int | None = None, **fields: Any) -> dict[str, str]:
    """Answer what is reserved in sum, as text."""
    found = read(memory, **fields).settings.node_allocatable_reservation
    return {name: str(amount) for name, amount in found.items()}


def test_every_field_is_read() -> None:
    found = read_kubelet_configuration(read_stream(WRITTEN, "kubelet.yaml")[0], version=(1, 36))

    assert found.settings == KubeletSettings(
        cpu_manager_policy="static",
        cpu_manager_policy_options={"full-pcpus-only": "true"},
        memory_manager_policy="Static",
        topology_manager_policy="single-numa-node",
        topology_manager_scope="pod",
        topology_manager_policy_options={"max-allowable-numa-nodes": "16"},
        reserved_system_cpus=0b1_0000_0001,
        node_allocatable_reservation={
            "cpu": Quantity.of_count(2),
            "memory": Quantity.parse("500Mi"),
            "ephemeral-storage": Quantity.parse("1Gi"),
        },
        reserved_memory={0: {"memory": 300 << 20}, 1: {"memory": 200 << 20, "hugepages-1Gi": GIB}},
        feature_gates={"PodLevelResourceManagers": True},
        version=(1, 36),
    )
    assert found.kube_reserved["cpu"] == Quantity.parse("500m")
    assert found.system_reserved["cpu"] == Quantity.parse("1")
    assert found.eviction_hard == {"memory.available": "100Mi"}


def test_cpus_may_be_named_twice_and_are_rounded_to_thousandths_since_1_37() -> None:
    assert reserved(reservedSystemCPUs="0,0-1")["cpu"] == "2"
    assert "cpu" not in reserved(kubeReserved={"cpu": "1n"})
    assert reserved(kubeReserved={"cpu": "1499u"})["cpu"] == "1m"


def test_an_empty_configuration_has_the_defaults_of_the_kubelet() -> None:
    found = read()

    assert found.settings == KubeletSettings(node_allocatable_reservation={"memory": Quantity.parse("100Mi")})
    assert found.eviction_hard["nodefs.available"] == "10%"


def test_the_answer_of_configz_is_read() -> None:
    assert read(kubeletconfig={"cpuManagerPolicy": "static"}).settings.cpu_manager_policy == "static"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"evictionHard": {}}, {}),
        ({"evictionHard": {"nodefs.available": "10%"}}, {}),
        ({"evictionHard": {"memory.available": "0%"}}, {}),
        ({"evictionHard": {"nodefs.available": "10%"}, "mergeDefaultEvictionSettings": True}, {"memory": "100Mi"}),
        ({"evictionHard": {"memory.available": "1Gi"}, "kubeReserved": {"memory": "1Gi"}}, {"memory": "2Gi"}),
        ({"evictionHard": {}, "systemReserved": {"cpu": "500m"}, "kubeReserved": {"cpu": "500m"}}, {"cpu": "1"}),
    ],
)
def test_reservations_are_summed_as_the_kubelet_does(fields: dict[str, Any], expected: dict[str, str]) -> None:
    assert reserved(**fields) == expected


def test_a_threshold_in_percent_is_of_the_memory_of_the_node_in_single_precision() -> None:
    assert reserved(64 * GIB, evictionHard={"memory.available": "5%"}) == {"memory": "3435973888"}


def test_a_threshold_in_percent_of_unknown_memory_is_said_to_be_missing() -> None:
    found = read(evictionHard={"memory.available": "5%"})

    assert found.unsure == "evictionHard memory.available is 5%, of a memory that is not known"
    assert found.settings.node_allocatable_reservation == {}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"cpuManagerPolicy": 1}, "cpuManagerPolicy: 1 is no text"),
        (
            {"cpuManagerPolicyOptions": {"full-pcpus-only": True}},
            "cpuManagerPolicyOptions[full-pcpus-only]: true is no",
        ),
        ({"kubeReserved": {"cpu": "many"}}, "kubeReserved.cpu: 'many' is not a quantity"),
        ({"systemReserved": {"memory": "-1Gi"}}, 'systemReserved.memory: "-1Gi" is negative'),
        ({"systemReserved": ["1"]}, "systemReserved: a list is no map"),
        ({"reservedSystemCPUs": "3-1"}, "reservedSystemCPUs: the range 3-1 runs backwards: write 1-3"),
        ({"reservedSystemCPUs": "0, 1"}, "reservedSystemCPUs: ' 1' is no CPU or range of CPUs"),
        ({"evictionHard": {"memory.available": "0"}}, 'evictionHard[memory.available]: "0" is no threshold'),
        ({"evictionHard": {"memory.available": "101%"}}, 'evictionHard[memory.available]: "101%" is no percentage'),
        ({"evictionHard": {"memory.available": "x"}}, "evictionHard[memory.available]: 'x' is not a quantity"),
        ({"reservedMemory": {"0": "1Gi"}}, "reservedMemory: a map is no list"),
        ({"reservedMemory": ["0"]}, "reservedMemory[0]: is no reservation"),
        ({"reservedMemory": [{"numaNode": 4096}]}, "reservedMemory[0].numaNode: 4096 is no NUMA node"),
        ({"reservedMemory": [{"limits": {"memory": "x"}}]}, "reservedMemory[0].limits.memory: 'x' is not a quantity"),
        (
            {"reservedMemory": [{"limits": {"memory": "1Gi"}}, {"limits": {"memory": "1Gi"}}]},
            "reservedMemory[1].limits.memory: NUMA node 0 has it twice",
        ),
        ({"featureGates": {"DRA": "true"}}, 'featureGates.DRA: "true" is neither true nor false'),
        ({"kubeletconfig": []}, "kubeletconfig: a list is no KubeletConfiguration"),
    ],
)
def test_what_cannot_be_read_is_named(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        read(**fields)

    assert str(caught.value).startswith(f"kubelet.yaml: {message}")


def test_the_line_is_told_where_there_is_one() -> None:
    document = read_stream("kind: KubeletConfiguration\nkubeReserved:\n  cpu: lots\n", "kubelet.yaml")[0]

    with pytest.raises(PolicyError, match=r"^kubelet.yaml:3: kubeReserved.cpu: "):
        read_kubelet_configuration(document)


FIELDS = ("evictionHard", "featureGates", "kubeReserved", "reservedMemory", "reservedSystemCPUs", "cpuManagerPolicy")


@given(json_values)
def test_no_content_raises_anything_else(value: Any) -> None:
    for field in FIELDS:
        for written in (value, {"memory.available": value}, [{"numaNode": value, "limits": value}]):
            try:
                read(1 << 40, **{field: written})
            except PolicyError as error:
                assert field in str(error)  # noqa: PT017 - either answer is right, but no other error
