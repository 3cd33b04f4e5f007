"""Objects of unknown kinds are searched for what may become a pod."""

from typing import Any

import pytest
from builders import GPU
from builders import policy

from webhook.domain.pointer import field_path
from webhook.engine.pod_shapes import Shape
from webhook.engine.pod_shapes import find

SPEC = {"containers": [{"name": "a", "resources": {"limits": {GPU: "1"}}}]}


def shapes(content: dict[str, Any]) -> list[Shape]:
    return list(find(content, policy().accelerators))


def roots(content: dict[str, Any]) -> list[str]:
    return [field_path(shape.root) for shape in shapes(content)]


@pytest.mark.parametrize(
    ("content", "root"),
    [
        ({"spec": SPEC}, "spec"),
        ({"spec": {"template": {"spec": SPEC}}}, "spec.template.spec"),
        ({"spec": {"predictor": SPEC}}, "spec.predictor"),
        ({"spec": {"roles": [{"pod": SPEC}]}}, "spec.roles[0].pod"),
        ({"spec": {"runner": SPEC["containers"][0]}}, "spec.runner"),
        ({"spec": {"resources": {"requests": {GPU: 1}}}}, "spec"),
        ({"spec": {"workerResources": {"limits": {GPU: "1"}}}}, "spec.workerResources"),
        ({"spec": {"decode": {"resources": {"limits": {"gpu": "1"}}}}}, "spec.decode"),
        ({"spec": {"draResources": [{"resourceClaimTemplateName": "gpu"}]}}, "spec.draResources[0]"),
        ({"spec": {"runtime": {"resources": {"cpu": "5", "gpu": "1"}}}}, "spec.runtime"),
    ],
)
def test_pod_specs_and_containers_with_accelerators_are_found(content: dict[str, Any], root: str) -> None:
    assert roots(content) == [root]


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"spec": None},
        {"data": {"containers": "a, b"}},
        {"spec": {"containers": []}},
        {"spec": {"containers": ["a"]}},
        {"spec": {"containers": [{"port": 80}]}},
        {"spec": {"resources": {"limits": {"cpu": "1"}}}},
        {"spec": {"resources": {"limits": {GPU: "0", "gpu": 0}}}},
        {"spec": {"resources": ["limits"]}},
        {"spec": {"nodeSelector": {"gpu": "a100"}, "resources": {"gpu": 0}}},
        {"spec": {"versions": [{"schema": {"properties": {"containers": {"type": "array"}}}}]}},
        {"status": {"capacity": {GPU: "8"}}},
    ],
)
def test_nothing_else_is_found(content: dict[str, Any]) -> None:
    assert roots(content) == []


def test_several_shapes_come_in_the_order_of_the_object() -> None:
    assert roots({"spec": {"b": {"spec": SPEC}, "a": [SPEC, SPEC]}}) == ["spec.b.spec", "spec.a[0]", "spec.a[1]"]


def test_a_container_may_have_pods_beside_its_resources() -> None:
    resources = {"resources": {"limits": {GPU: "1"}}}
    assert roots({"spec": {"model": {**resources, "worker": SPEC}}}) == ["spec.model", "spec.model.worker"]


def test_a_pod_spec_is_not_searched_again() -> None:
    assert roots({"spec": {"containers": [{"name": "a", "x": {"spec": SPEC}}]}}) == ["spec"]


def test_the_metadata_beside_a_template_spec_is_that_of_the_pod() -> None:
    (shape,) = shapes({"spec": {"template": {"metadata": {"labels": {"a": "b"}}, "spec": SPEC}}})
    assert shape.pod == {"metadata": {"labels": {"a": "b"}}, "spec": SPEC}
    assert field_path(shape.place(("metadata", "labels", "a"))) == "spec.template.metadata.labels[a]"
    assert field_path(shape.place(("spec", "containers", 0))) == "spec.template.spec.containers[0]"


def test_the_metadata_of_the_object_itself_is_not_that_of_the_pod() -> None:
    (shape,) = shapes({"metadata": {"name": "x"}, "spec": SPEC})
    assert (shape.pod, shape.place(("metadata", "annotations"))) == ({"spec": SPEC}, ("spec", "annotations"))


def test_a_lone_container_becomes_a_pod_whose_paths_lead_back() -> None:
    (shape,) = shapes({"spec": {"runner": {"image": "vllm", "resources": {"limits": {GPU: "1"}}}}})
    (only,) = shape.pod["spec"]["containers"]  # type: ignore[index]  # an object
    assert (only["name"], only["image"]) == ("runner", "vllm")
    path = ("spec", "containers", 0, "resources", "limits", "cpu")
    assert field_path(shape.place(path)) == "spec.runner.resources.limits[cpu]"
    assert field_path(shape.place(("spec", "resourceClaims"))) == "spec.runner"


def test_a_bare_map_of_resources_becomes_a_pod_whose_paths_lead_back() -> None:
    (shape,) = shapes({"spec": {"workerResources": {"limits": {GPU: "1"}}}})
    path = ("spec", "containers", 0, "resources", "limits", "cpu")
    assert field_path(shape.place(path)) == "spec.workerResources.limits[cpu]"


def test_amounts_in_words_of_an_operator_are_no_pod() -> None:
    assert [shape.pod for shape in shapes({"spec": {"resources": {"limits": {"gpu": "1"}}}})] == [None]
