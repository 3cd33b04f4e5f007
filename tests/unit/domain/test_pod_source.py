"""Each form in which an object may keep a pod."""

from typing import Any

import pytest

from webhook.domain.loose_container import LooseContainer
from webhook.domain.own_words import OwnWords
from webhook.domain.pod_location import PodLocation
from webhook.domain.pod_path import parse
from webhook.domain.pod_source import OF_THE_OBJECT
from webhook.domain.pod_source import PodSource
from webhook.domain.workload import fields_only
from webhook.domain.workload import pod_spec
from webhook.domain.workload import template

CPU = ("spec", "containers", 0, "resources", "limits", "cpu")
AMOUNTS = {"limits": {"cpu": "8"}}


def one(source: PodSource, obj: dict[str, Any]) -> PodLocation:
    (location,) = source.locate(obj)
    return location


def test_a_template_is_taken_as_it_is() -> None:
    whole = {"metadata": {"labels": {"app": "llm"}}, "spec": {"containers": []}}
    location = one(template(".spec.template"), {"spec": {"template": whole}})
    assert location.pod is whole
    assert (location.root, location.spec_path, location.metadata_path) == (
        ("spec", "template", "spec"),
        ("spec", "template", "spec"),
        ("spec", "template", "metadata"),
    )
    assert location.place(("metadata", "labels", "app")) == ("spec", "template", "metadata", "labels", "app")


def test_a_bare_spec_has_no_metadata() -> None:
    spec = {"containers": [{"name": "a"}]}
    location = one(pod_spec(".spec.podSpec"), {"spec": {"podSpec": spec}})
    assert location.pod == {"spec": spec}
    assert location.metadata_path is None
    assert location.place(CPU) == ("spec", "podSpec", *CPU[1:])


def test_what_an_operator_keeps_beside_the_fields_of_a_bare_spec_is_no_part_of_the_pod() -> None:
    spec = {"containers": [{"name": "a"}], "nodeSelector": {"pool": "gpu"}}
    location = one(pod_spec(".spec.decode"), {"spec": {"decode": {**spec, "replicas": 2, "autoScaling": {}}}})
    assert location.pod == {"spec": spec}


def test_a_bare_spec_without_containers_is_none() -> None:
    assert list(pod_spec(".spec").locate({"spec": {"replicas": 1}})) == []


def test_a_loose_container_comes_before_those_of_the_list_and_each_keeps_its_place() -> None:
    source = PodSource(base=("spec",), spec=(), metadata=None, containers=(LooseContainer("main", ("model",)),))
    location = one(source, {"spec": {"model": {"resources": AMOUNTS}, "containers": [{"name": "proxy"}]}})
    spec: Any = location.pod["spec"]
    assert [container["name"] for container in spec["containers"]] == ["main", "proxy"]
    assert location.place(CPU) == ("spec", "model", "resources", "limits", "cpu")
    assert location.place(("spec", "containers", 1, "image")) == ("spec", "containers", 0, "image")


def test_a_container_that_the_list_has_too_is_not_doubled() -> None:
    source = PodSource(base=("spec",), spec=(), metadata=None, containers=(LooseContainer("main", ("model",)),))
    listed = [{"name": "main", "resources": AMOUNTS}]
    location = one(source, {"spec": {"model": {"modelFormat": {}}, "containers": listed}})
    spec: Any = location.pod["spec"]
    assert (spec["containers"], location.place(CPU)) == (listed, CPU)


@pytest.mark.parametrize("name", [["main"], {"x": "main"}, None])
def test_a_listed_container_whose_name_is_no_text_is_another_one(name: object) -> None:
    source = PodSource(base=("spec",), spec=(), metadata=None, containers=(LooseContainer("main", ("model",)),))
    location = one(source, {"spec": {"model": {"resources": AMOUNTS}, "containers": [{"name": name}]}})
    spec: Any = location.pod["spec"]
    assert [container["name"] for container in spec["containers"]] == ["main", name]


def test_a_list_of_containers_of_another_shape_stays_to_be_reported() -> None:
    source = PodSource(base=("spec",), spec=(), metadata=None, containers=(LooseContainer("main", ("model",)),))
    location = one(source, {"spec": {"model": {}, "containers": "x"}})
    spec: Any = location.pod["spec"]
    assert spec["containers"] == "x"


def test_a_pod_of_fields_only_points_at_the_fields() -> None:
    source = fields_only(".spec", LooseContainer("nim", resources=("resources",)), completed_by="the operator")
    location = one(source, {"spec": {"resources": AMOUNTS}})
    assert location.pod == {"spec": {"containers": [{"name": "nim", "resources": AMOUNTS}]}}
    assert (location.place(CPU), location.root) == (("spec", "resources", "limits", "cpu"), ("spec",))
    assert (location.completed_by, location.unseen) == ("the operator", False)


def test_a_pod_of_fields_only_that_asks_for_nothing_is_not_to_be_seen() -> None:
    source = fields_only(".spec", LooseContainer("nim", resources=("resources",)), completed_by="the operator")
    assert one(source, {"spec": {"image": "x"}}).unseen
    assert one(source, {"spec": {"resources": {"limits": {}}}}).unseen


def test_claims_are_something_to_see() -> None:
    source = PodSource(
        base=("spec",),
        spec=None,
        metadata=None,
        fields=((("spec", "resourceClaims"), ("draResources",)),),
        containers=(LooseContainer("nim", resources=("resources",)),),
        presets=True,
    )
    location = one(source, {"spec": {"draResources": [{"resourceClaimTemplateName": "gpu"}]}})
    assert (location.unseen, location.place(("spec", "resourceClaims", 0))) == (False, ("spec", "draResources", 0))


def test_amounts_in_own_words_point_at_the_words() -> None:
    loose = LooseContainer("vllm", resources=("resources",), words=OwnWords(flat=True))
    location = one(fields_only(".spec", loose, completed_by="x"), {"spec": {"resources": {"cpu": "5", "gpu": "1"}}})
    gpu = ("spec", "containers", 0, "resources", "requests", "nvidia.com/gpu")
    assert (location.place(CPU), location.place(gpu)) == (("spec", "resources", "cpu"), ("spec", "resources", "gpu"))


def test_labels_of_the_object_lie_under_those_of_the_part_and_each_keeps_its_place() -> None:
    source = PodSource(
        base=parse(".spec.predictor"),
        spec=(),
        metadata=None,
        shared=OF_THE_OBJECT,
        fields=((("metadata", "labels"), ("labels",)),),
        labels=(("operator", "yes"),),
    )
    obj = {
        "metadata": {"labels": {"a": "1", "b": "1"}},
        "spec": {"predictor": {"labels": {"b": "2"}, "containers": []}},
    }
    location = one(source, obj)
    assert location.pod["metadata"] == {"labels": {"operator": "yes", "a": "1", "b": "2"}}
    assert location.place(("metadata", "labels", "a")) == ("metadata", "labels", "a")
    assert location.place(("metadata", "labels", "b")) == ("spec", "predictor", "labels", "b")


def test_the_name_of_a_runtime_is_told_with_the_root_of_its_pod() -> None:
    source = PodSource(base=("spec",), spec=(), metadata=None, lender=(parse(".spec.model.runtime"), ("spec",)))
    named = {"spec": {"containers": [], "model": {"runtime": "vllm"}}}
    assert (one(source, named).lender, one(source, {"spec": {"containers": []}}).lender) == (("vllm", ("spec",)), None)


def test_several_pods_are_found_in_the_order_of_the_object_and_counted() -> None:
    roles = [{"replicas": 2, "template": {"spec": {}}}, {"template": None}, {"template": {"spec": {}}}]
    source = template(".spec.roles[*].template")
    assert [one.root for one in source.locate({"spec": {"roles": roles}})] == [
        ("spec", "roles", 0, "template", "spec"),
        ("spec", "roles", 2, "template", "spec"),
    ]
