"""An object is held against all that a file must keep, and every fault is named."""

from typing import Any

import pytest
import yaml

from webhook.config.document import from_object
from webhook.domain.policy import Policy
from webhook.sources.policy_file import read_policy
from webhook.sources.policy_object import faults
from webhook.sources.policy_object import order_warnings


def an_object(kind: str, spec: str, **more: Any) -> dict[str, Any]:
    metadata = {"name": "x", "uid": "1", "resourceVersion": "7", "managedFields": []}
    made = {"apiVersion": "numagate.io/v1alpha1", "kind": kind, "metadata": metadata, "spec": yaml.safe_load(spec)}
    return made | more


def found(kind: str, spec: str, **more: Any) -> list[str]:
    errors = faults(an_object(kind, spec, **more), own_namespace="numagate-system")
    return [f"{error.field}: {error.reason}" for error in errors]


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("AlignmentPolicy", "{}"),
        ("AlignmentPolicy", "{modes: {enforce: none}, repair: {helperDefault: {cpu: 50m, memory: 1Gi}}}"),
        ("NodeProfile", "{machine: dgx-h100}"),
        ("NodeProfile", "{selector: {matchLabels: {a: b}}, kubelet: {topologyManagerPolicy: restricted}}"),
        (
            "NodeProfile",
            "{numa: [{id: 0, memory: 1Gi, coreCount: 4, threadsPerCore: 1}], devices: {example.com/npu: {'0': 2}}}",
        ),
    ],
)
def test_what_the_api_server_adds_is_no_fault(kind: str, spec: str) -> None:
    assert found(kind, spec, status={"conditions": []}) == []


def test_every_fault_is_named_with_its_field() -> None:
    spec = "{modes: {enforce: off}, repair: {helpers: [{name: a, images: [b], cpu: 1, memory: 0}]}}"

    assert found("AlignmentPolicy", spec) == [
        "spec.modes.enforce: false is not known: write one of aligned, exclusive, guaranteed, none",
        "spec.repair.helpers[0].cpu: 1 is a whole number of CPUs and would pin cores for the helper: write 990m",
        "spec.repair.helpers[0].memory: 0 is no memory at all: write at least 1Mi",
    ]


def test_what_no_schema_can_hold_is_found() -> None:
    assert found("AlignmentPolicy", "{repair: {helperDefault: {cpu: 5, memory: 1Gi}}}") == [
        "spec.repair.helperDefault.cpu: 5 is a whole number of CPUs and would pin cores for the helper: write 4990m"
    ]
    assert found("NodeProfile", "{machine: dgx-h100, devices: {a.b/c: [{numa: [0]}]}}") == [
        "spec.devices[a.b/c][0].id: required, but not written"
    ]


def test_a_machine_that_cannot_be_is_a_fault() -> None:
    spec = (
        "{numa: [{id: 0, memory: 1Gi, cpus: '0-3', threadsPerCore: 2}, {id: 1, memory: 1Gi}], devices: {a/b: {'7': 1}}}"
    )

    assert found("NodeProfile", spec) == ["spec.devices[a/b][7]: NUMA node 7 is not on this machine: it has 0, 1"]


def test_a_policy_that_reaches_for_our_own_namespace_is_a_fault() -> None:
    made = an_object("AlignmentPolicy", "{namespaces: [{match: [ours], modes: {}}]}")

    (error,) = faults(made, own_namespace="ours")

    assert error.field == "spec.namespaces[0].match[0]"


def test_another_version_is_a_fault() -> None:
    assert found("AlignmentPolicy", "{}", apiVersion="numagate.io/v9") == [
        'apiVersion: "numagate.io/v9" is not known: write numagate.io/v1alpha1'
    ]


def policy(name: str, spec: str) -> Policy:
    made = an_object("AlignmentPolicy", spec)
    return read_policy(from_object({**made, "metadata": {"name": name}}, ""))


def warnings(spec: str, *others: Policy) -> tuple[str, ...]:
    return order_warnings(an_object("AlignmentPolicy", spec), others)


def test_policies_that_only_names_put_in_order_are_warned_about() -> None:
    others = [policy("a", "{priority: 5}"), policy("b", "{}"), policy("x", "{}")]

    assert warnings("{priority: 5}", *others) == (
        "order: a may match the same pods, with priority 5 too; a is asked first, by name",
    )


@pytest.mark.parametrize(
    ("spec", "other"),
    [
        ("{priority: 1}", "{}"),
        ("{match: {namespaces: [a]}}", "{}"),
        ("{match: {namespaces: [a-*]}}", "{match: {namespaces: [b-*]}}"),
    ],
)
def test_policies_that_stand_in_an_order_are_not(spec: str, other: str) -> None:
    assert warnings(spec, policy("other", other)) == ()


def test_profiles_have_no_order() -> None:
    assert order_warnings(an_object("NodeProfile", "{machine: dgx-h100}"), [policy("a", "{}")]) == ()
