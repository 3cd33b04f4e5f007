"""NUMA nodes, CPUs and memory that a machine does not have; test_node_profile has the messages."""

from webhook.config.document import read_stream
from webhook.config.node_profile import to_node_class
from webhook.domain.raw import get_object
from webhook.domain.topology import Device

SPEC = """\
spec:
  numa: [{id: 0, memory: 8Gi, cpus: "0-3", threadsPerCore: 1}]
  devices: {a: [{id: x, numa: [7]}]}
  kubelet:
    reservedSystemCPUs: "0,9"
    reservedMemory: [{numaNode: 0, limits: {memory: 9Gi}}, {numaNode: 7, limits: {memory: 1Gi}}]
"""


def test_strangers_are_let_through_where_the_simulation_is_to_say_what_comes_of_them() -> None:
    (document,) = read_stream(SPEC, "p.yaml")

    made = to_node_class(document, "odd", get_object(document.data, "spec"), strangers=True)

    assert made.devices["a"] == (Device("x", (7,)),)
    assert made.kubelet.reserved_system_cpus == 1 << 0 | 1 << 9
    assert made.kubelet.reserved_memory == {0: {"memory": 9 << 30}, 7: {"memory": 1 << 30}}
