"""Every kind that carries pods is judged at admission: accepted, warned of repairs, and refused."""

import json
from functools import reduce
from typing import Any

import kindtable
import pytest
from builders import request
from builders import world
from caseobjects import Object
from caseobjects import copied
from kindtable import Sample

from webhook.domain.policy import Governs
from webhook.engine import messages
from webhook.engine.completed import unseen
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.review import review
from webhook.engine.templates import MAX_TEMPLATES

BARE = {
    "inference-service": "spec.predictor.minReplicas",
    "model-service": "spec.decode.replicas",
    "ome-inference-service": "spec.engine.minReplicas",
    "ome-serving-runtime": "spec.engineConfig.minReplicas",
}
"""Kinds that keep a number of replicas among the fields of a pod spec, with its place."""
SERVES_MODELS = {
    "cluster-serving-runtime",
    "dynamo-graph-deployment",
    "inference-service",
    "kaito-inference-set",
    "kaito-workspace",
    "llm-inference-service",
    "llm-inference-service-config",
    "llmaz-playground",
    "llmaz-service",
    "model-booster",
    "model-service",
    "model-serving",
    "nim-pipeline",
    "nim-service",
    "ome-cluster-serving-runtime",
    "ome-inference-service",
    "ome-serving-runtime",
    "ray-service",
    "serving-runtime",
    "storm-service",
    "vllm-runtime",
}


def given(*outcomes: str) -> list[Any]:
    """Answer the samples of everything but pods, which are judged by entries of their own."""
    rows = kindtable.objects(*outcomes)
    return [pytest.param(sample, found, id=sample.id) for sample, found in rows if sample.kind != "Pod"]


def decide(sample: Sample, new: Object, old: Object | None = None, **policy: Any) -> Decision:
    group, _, version = sample.api_version.rpartition("/")
    named = {"group": group, "version": version, "kind": sample.kind, "resource": f"{sample.kind.lower()}s"}
    return review(request(new, operation="UPDATE" if old else "CREATE", old_object=old, **named), world(**policy))


@pytest.mark.parametrize(("sample", "found"), given("accepted"))
def test_an_aligned_object_passes_in_silence(sample: Sample, found: Object) -> None:
    decision = decide(sample, found)
    assert (decision.outcome, decision.allowed, decision.warnings) == (Outcome.ACCEPT, True, ())


@pytest.mark.parametrize(("sample", "found"), given("repaired"))
def test_what_the_pods_will_be_repaired_for_is_warned_of(sample: Sample, found: Object) -> None:
    decision = decide(sample, found)
    assert (decision.outcome, decision.allowed) == (Outcome.REPAIR, True)
    field = sample.cpu
    if len(sample.pods) == 1 and field.removesuffix(".resources.limits[cpu]").endswith(".containers[0]"):
        field = "limits.cpu"  # no other place can be meant
    _, _, told = decision.warnings[0].partition(": ")
    assert told.removesuffix("; its pods will be repaired so") == f"write {field}: 8 (is 7)"


@pytest.mark.parametrize(("sample", "found"), given("refused"))
def test_what_no_repair_cures_is_refused_at_the_place_where_it_is_written(sample: Sample, found: Object) -> None:
    decision = decide(sample, found)
    assert (decision.outcome, decision.allowed) == (Outcome.DENY, False)
    block = sample.cpu.removesuffix("[cpu]").removesuffix(".cpu")
    assert decision.causes[0][0].startswith(block)
    assert "misfit" in decision.message


@pytest.mark.parametrize(("sample", "found"), given("unseen"))
def test_an_object_that_leaves_all_to_the_operator_passes_with_a_warning(sample: Sample, found: Object) -> None:
    decision = decide(sample, found)
    assert (decision.outcome, decision.allowed) == (Outcome.WARN, True)
    assert decision.warnings == (f"{unseen().message} [unseen-resources]",)


@pytest.mark.parametrize(("sample", "found"), given("refused"))
def test_an_update_that_leaves_the_pods_unchanged_passes(sample: Sample, found: Object) -> None:
    changed = {**found, "metadata": {**found["metadata"], "labels": {"team": "a"}, "finalizers": ["x/y"]}}
    decision = decide(sample, changed, found)
    assert (decision.outcome, decision.allowed, decision.audit["reason"]) == (
        Outcome.SKIP,
        True,
        "template unchanged",
    )


@pytest.mark.parametrize(("sample", "found"), given("refused"))
def test_an_update_of_the_pods_is_judged(sample: Sample, found: Object) -> None:
    assert not decide(sample, found, copied(sample.objects["accepted"])).allowed


@pytest.mark.parametrize(("sample", "found"), given("refused"))
def test_an_object_that_a_controller_owns_is_never_refused(sample: Sample, found: Object) -> None:
    owner = {"apiVersion": "example.com/v1", "kind": "Owner", "name": "o", "uid": "u", "controller": True}
    owned = {**found, "metadata": {**found["metadata"], "ownerReferences": [owner]}}
    decision = decide(sample, owned)
    assert (decision.outcome, decision.allowed, decision.warnings) == (Outcome.DENY, True, ())


def test_an_object_whose_pods_come_from_another_one_is_none_of_our_business() -> None:
    for sample in kindtable.load():
        if sample.elsewhere is not None:
            assert decide(sample, sample.elsewhere).outcome is Outcome.SKIP


@pytest.mark.parametrize(("sample", "found"), [one for one in given("refused") if one.values[0].name in BARE])
def test_more_replicas_are_no_other_pods(sample: Sample, found: Object) -> None:
    scaled = copied(found)
    *place, field = BARE[sample.name].split(".")
    reduce(lambda part, step: part[step], place, scaled)[field] = 9
    decision = decide(sample, scaled, found)
    assert (decision.outcome, decision.allowed) == (Outcome.SKIP, True)


@pytest.mark.parametrize(("sample", "found"), given("refused"))
def test_what_only_serves_models_is_governed_whatever_its_image_is_called(sample: Sample, found: Object) -> None:
    unnamed = json.loads(json.dumps(found).replace("registry.example/vllm:1", "registry.example/app:1"))
    decision = decide(sample, unnamed, governs=Governs.INFERENCE)
    assert decision.allowed == (sample.name not in SERVES_MODELS)


def test_each_of_several_pods_is_named_in_its_warnings() -> None:
    (sample,) = [one for one in kindtable.load() if one.id == "ray-cluster-fleet-v1alpha1"]
    head, workers = (f"server: write {place}.containers[0].resources" for place in sample.pods)
    assert decide(sample, sample.objects["repaired"]).warnings == (
        f"{head}.limits[cpu]: 8 (is 7)",
        f"{head}.requests[cpu]: 8 (is 7)",
        f"{workers}.limits[cpu]: 8 (is 7)",
        f"{workers}.requests[cpu]: 8 (is 7)",
    )


def test_of_a_flood_of_pods_in_one_object_the_first_ones_are_judged() -> None:
    (sample,) = [one for one in kindtable.load() if one.id == "role-based-group-v1alpha2"]
    (role, *_) = sample.objects["refused"]["spec"]["roles"]
    many = {**sample.objects["refused"], "spec": {"roles": [role] * (2 * MAX_TEMPLATES)}}
    decision = decide(sample, many)
    assert {finding.code for finding in decision.findings} == {"misfit"}
    assert len(decision.findings) == MAX_TEMPLATES
    assert len(decision.causes) == messages.MAX_CAUSES


def test_what_several_pods_are_refused_for_is_said_once_with_every_place() -> None:
    (sample,) = [one for one in kindtable.load() if one.id == "role-based-group-v1alpha2"]
    decision = decide(sample, sample.objects["refused"])
    places = [f"{place}.containers[0].resources.limits[nvidia.com/gpu]" for place in sample.pods]
    assert decision.message.startswith("container server: 8 nvidia.com/gpu never fit one NUMA node of generic-2x4")
    assert decision.message.endswith(f" [{', '.join(places)}: 8, want at most 4; misfit]")
    assert [field for field, _ in decision.causes] == places
