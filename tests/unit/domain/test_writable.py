"""A NodeAlignment says what it can, whatever a kubelet's file and device plug-ins hold."""

from dataclasses import replace
from typing import Any

import pytest
from builders import GPU
from observations import GIB
from observations import SETTINGS
from observations import gpus
from observations import observed

from webhook.config.alignment_schema import NodeAlignment
from webhook.config.document import from_object
from webhook.config.schema import model_errors
from webhook.domain.node_alignment import document
from webhook.domain.observation import ObservedDevice
from webhook.domain.observation import Unread
from webhook.domain.quantity import Quantity
from webhook.domain.writable import writable

ONE = Quantity.parse("1")
GOOD = {"full-pcpus-only": "true"}
LONG = "x" * 513
EVERY_OTHER = sum(1 << cpu for cpu in range(0, 4000, 2))


def written(**fields: Any) -> dict[str, Any]:
    """Write the NodeAlignment of a node with these settings, as the API server takes it."""
    made = document(observed(kubelet=replace(SETTINGS, **fields)), (), version="1")
    assert model_errors(from_object(made, "node-a"), NodeAlignment) == ()
    spec: Any = made["spec"]
    return dict(spec)


@pytest.mark.parametrize(
    ("field", "name", "value", "kept"),
    [
        ("cpu_manager_policy_options", "cpuManagerPolicyOptions", {**GOOD, "": "true"}, GOOD),
        ("cpu_manager_policy_options", "cpuManagerPolicyOptions", {**GOOD, LONG: "true"}, GOOD),
        ("cpu_manager_policy_options", "cpuManagerPolicyOptions", {**GOOD, "x": LONG}, GOOD),
        ("cpu_manager_policy_options", "cpuManagerPolicyOptions", {**GOOD, "x": "\ud800"}, GOOD),
        ("cpu_manager_policy_options", "cpuManagerPolicyOptions", {str(n): "a" for n in range(513)}, None),
        ("topology_manager_policy_options", "topologyManagerPolicyOptions", {"max-allowable-numa-nodes": ""}, None),
        ("reserved_system_cpus", "reservedSystemCPUs", EVERY_OTHER, None),
        ("node_allocatable_reservation", "nodeAllocatableReservation", {"cpu": ONE, "bad one!": ONE}, {"cpu": "1"}),
        ("node_allocatable_reservation", "nodeAllocatableReservation", {"cpu": ONE, "cpu\n": ONE}, {"cpu": "1"}),
        (
            "reserved_memory",
            "reservedMemory",
            {0: {"foo": GIB, "memory": GIB, "hugepages-": GIB}, 1: {"foo": GIB}},
            [{"numaNode": 0, "limits": {"memory": "1Gi"}}],
        ),
        ("reserved_memory", "reservedMemory", {0: {f"hugepages-{n}Mi": GIB for n in range(17)}}, None),
        ("reserved_memory", "reservedMemory", {n: {"memory": GIB} for n in range(1025)}, None),
        ("feature_gates", "featureGates", {"": True, "A": True}, {"A": True}),
        ("feature_gates", "featureGates", {f"G{n}": True for n in range(513)}, None),
    ],
)
def test_what_a_faulty_file_brings_is_left_out_and_said(field: str, name: str, value: object, kept: object) -> None:
    spec = written(**{field: value})

    assert spec["kubelet"].get(name) == kept
    assert spec["kubelet"]["cpuManagerPolicy"] == "static"
    assert [one["field"] for one in spec["unread"]] == [f"kubelet.{name}"]


@pytest.mark.parametrize(
    "odd",
    [
        ObservedDevice(GPU, "", 0b1),
        ObservedDevice(GPU, LONG, 0b1),
        ObservedDevice(GPU, "\x1b[2J", 0b1),
    ],
    ids=["empty", "long", "escape"],
)
def test_a_resource_with_a_device_that_has_no_name_is_left_out_whole(odd: ObservedDevice) -> None:
    made: Any = document(observed(devices=(*gpus(1, 2, resource="a.b/nic"), *gpus(1, 2), odd)), (), version="1")

    assert model_errors(from_object(made, "node-a"), NodeAlignment) == ()
    assert list(made["spec"]["devices"]) == ["a.b/nic"]
    assert [one["field"] for one in made["spec"]["unread"]] == ["devices"]


def test_a_resource_of_which_nobody_can_ask_is_left_out() -> None:
    made: Any = document(observed(devices=(ObservedDevice("bad resource", "x", 0b1),)), (), version="1")

    assert model_errors(from_object(made, "node-a"), NodeAlignment) == ()
    assert "devices" not in made["spec"]


def test_what_can_be_written_is_left_as_it_is() -> None:
    shown = observed(unread=(Unread("irq", "no access"),))

    assert writable(shown) == shown
    assert writable(observed(kubelet=None, devices=None)) == observed(kubelet=None, devices=None)
