"""Laws of the engine: it never raises, repairing twice is repairing once, and what it made it accepts."""

from typing import Any

import pytest
import strategies
from builders import mutating
from builders import request
from builders import world
from hypothesis import given
from hypothesis import settings

from webhook.domain.finding import Severity
from webhook.domain.jsonpatch import apply
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.pod import QOSClass
from webhook.engine import pods
from webhook.engine.decision import Outcome
from webhook.engine.essence import essence
from webhook.engine.judge import judge_pod
from webhook.engine.review import review
from webhook.engine.ruling import Ruling
from webhook.engine.ruling import rule
from webhook.engine.world import World

WORLDS = (world(), world(machine="two-socket-32c"), world(machine="generic-2x4-restricted"), world(machine=None))


def ruled(obj: dict[str, Any], known: World) -> Ruling:
    found = rule(obj, "team-a", known)
    assert found is not None
    return found


def each_world() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("known", WORLDS, ids=["whole-cores", "container-scope", "restricted", "unknown"])


@each_world()
@given(obj=strategies.any_objects())
@settings(max_examples=100)
def test_any_object_gives_a_decision(known: Any, obj: dict[str, Any]) -> None:
    for made in (mutating({**obj, "kind": "Pod"}), request({**obj, "kind": "Pod"})):
        decision = review(made, known)
        assert len(decision.message.encode()) <= 900
        assert all(len(text) <= 120 and text.isprintable() for text in decision.warnings)
        assert len(decision.warnings) <= 10


@each_world()
@given(obj=strategies.pods())
@settings(max_examples=100)
def test_mutating_twice_is_mutating_once(known: Any, obj: dict[str, Any]) -> None:
    once = apply(obj, review(mutating(obj), known).patch)
    assert isinstance(once, dict)

    assert review(mutating(once), known).patch == ()


@each_world()
@given(obj=strategies.pods())
@settings(max_examples=100)
def test_what_the_mutating_pass_repaired_the_validating_pass_accepts(known: Any, obj: dict[str, Any]) -> None:
    decision = review(mutating(obj), known)
    if decision.outcome not in {Outcome.REPAIR, Outcome.ACCEPT}:
        return
    repaired = apply(obj, decision.patch)
    assert isinstance(repaired, dict)

    assert review(request(repaired), known).allowed


@each_world()
@given(obj=strategies.pods())
@settings(max_examples=100)
def test_a_repair_changes_cpu_and_memory_only(known: Any, obj: dict[str, Any]) -> None:
    for edit in judge_pod(obj, ruled(obj, known), modes=Modes()).edits:
        assert edit.path[-1] in {"cpu", "memory"}


@each_world()
@given(obj=strategies.pods())
@settings(max_examples=100)
def test_a_pod_is_guaranteed_exactly_where_no_finding_says_otherwise(known: Any, obj: dict[str, Any]) -> None:
    verdict = judge_pod(obj, ruled(obj, known), modes=Modes())
    if verdict.outcome in {Outcome.INVALID, Outcome.SKIP, Outcome.WARN}:
        return
    faults = [
        finding
        for finding in verdict.findings
        if finding.severity is Severity.FAULT
        and finding.level is Level.GUARANTEED
        and finding.code != "malformed-numa-nodes"
    ]

    assert (verdict.qos is QOSClass.GUARANTEED) == (faults == [])


@each_world()
@given(obj=strategies.any_objects(), noise=strategies.json_values)
@settings(max_examples=100)
def test_what_is_left_out_of_the_essence_changes_no_decision(known: Any, obj: dict[str, Any], noise: Any) -> None:
    noisy = with_noise({**obj, "kind": "Pod"}, noise)
    kept = essence(noisy)

    ruling = ruled(noisy, known)
    assert pods.validate(noisy, ruling) == pods.validate(kept, ruling)
    decision = pods.mutate(kept, ruling)
    assert decision == pods.mutate(noisy, ruling)
    assert essence(apply(noisy, decision.patch)) == apply(kept, decision.patch)


def with_noise(obj: dict[str, Any], noise: Any) -> dict[str, Any]:
    """Write what no decision reads beside what the object has."""
    spec, metadata = obj.get("spec"), obj.get("metadata")
    if isinstance(metadata, dict):
        obj = {**obj, "metadata": {**metadata, "uid": noise, "generateName": noise}}
    if isinstance(spec, dict):
        obj = {
            **obj,
            "spec": {**spec, "serviceAccountName": noise, "schedulerName": noise, "volumes": [{"csi": noise}]},
        }
        containers = spec.get("containers")
        if isinstance(containers, list):
            noisy = [{**one, "env": noise} if isinstance(one, dict) else one for one in containers]
            obj["spec"] = {**obj["spec"], "containers": noisy}
    return {**obj, "extra": noise}
