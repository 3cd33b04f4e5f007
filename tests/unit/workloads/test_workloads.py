"""Every workload kind finds its pod templates, and only those."""

from typing import Any

import pytest
from builders import pod

import webhook.workloads
from webhook import registry
from webhook.domain.pointer import field_path
from webhook.domain.workload import Workload

WORKLOADS = {workload.kind: workload for workload in registry.load(webhook.workloads, "WORKLOAD", Workload)}

SPEC: dict[str, Any] = pod()["spec"]
TEMPLATE = {"metadata": {"labels": {"app": "llm"}}, "spec": SPEC}
OBJECTS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "Pod": ("v1", "spec", {"spec": SPEC}),
    "PodTemplate": ("v1", "template.spec", {"template": TEMPLATE}),
    "ReplicationController": ("v1", "spec.template.spec", {"spec": {"template": TEMPLATE}}),
    "Deployment": ("apps/v1", "spec.template.spec", {"spec": {"template": TEMPLATE}}),
    "ReplicaSet": ("apps/v1", "spec.template.spec", {"spec": {"template": TEMPLATE}}),
    "StatefulSet": ("apps/v1", "spec.template.spec", {"spec": {"template": TEMPLATE}}),
    "DaemonSet": ("apps/v1", "spec.template.spec", {"spec": {"template": TEMPLATE}}),
    "Job": ("batch/v1", "spec.template.spec", {"spec": {"template": TEMPLATE}}),
    "CronJob": (
        "batch/v1",
        "spec.jobTemplate.spec.template.spec",
        {"spec": {"jobTemplate": {"spec": {"template": TEMPLATE}}}},
    ),
}


def test_every_kind_of_the_registry_is_in_this_table() -> None:
    assert sorted(OBJECTS) == sorted(WORKLOADS)


@pytest.mark.parametrize("kind", sorted(OBJECTS))
def test_a_kind_belongs_to_its_group_and_version(kind: str) -> None:
    group = WORKLOADS[kind].group
    assert OBJECTS[kind][0] in {f"{group}/{version}" if group else version for version in WORKLOADS[kind].versions}


@pytest.mark.parametrize("kind", sorted(OBJECTS))
def test_the_template_is_found_with_its_place(kind: str) -> None:
    _, path, content = OBJECTS[kind]
    (location,) = WORKLOADS[kind].locate(content)
    assert (field_path(location.spec_path), location.pod["spec"]) == (path, SPEC)


@pytest.mark.parametrize("kind", sorted(OBJECTS))
def test_paths_inside_the_pod_are_placed_in_the_object(kind: str) -> None:
    _, path, content = OBJECTS[kind]
    (location,) = WORKLOADS[kind].locate(content)
    metadata = path.removesuffix("spec") + "metadata.labels[app]"
    assert field_path(location.place(("spec", "containers", 0))) == f"{path}.containers[0]"
    assert field_path(location.place(("metadata", "labels", "app"))) == metadata


@pytest.mark.parametrize("kind", sorted(OBJECTS))
@pytest.mark.parametrize("content", [{}, {"spec": None}, {"spec": {}}, {"spec": {"template": []}}, {"template": "x"}])
def test_an_object_without_a_template_has_none(kind: str, content: dict[str, Any]) -> None:
    if kind == "Pod":
        assert [location.pod for location in WORKLOADS[kind].locate(content)] == [content] * ("spec" in content)
    else:
        assert list(WORKLOADS[kind].locate(content)) == []


@pytest.mark.parametrize("kind", sorted(WORKLOADS))
def test_the_resource_is_the_plural_of_the_kind(kind: str) -> None:
    assert f"{kind.lower()}s" == WORKLOADS[kind].resource
