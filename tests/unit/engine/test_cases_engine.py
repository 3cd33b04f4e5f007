"""Judges every case of the table with the engine alone, and passes its pods through both admission passes."""

from dataclasses import replace
from datetime import UTC
from datetime import datetime
from functools import cache
from typing import Any

import casetable
import pytest
import yaml
from caseobjects import GPU
from casetable import Case
from casetable import Expect
from casetable import Template

from webhook.domain import jsonpatch
from webhook.domain.demand import effective_requests
from webhook.domain.facts import read
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.pointer import field_path
from webhook.domain.quantity import Quantity
from webhook.domain.raw import JsonObject
from webhook.domain.resources import amount
from webhook.domain.topology import Free
from webhook.domain.topology import NodeClass
from webhook.engine.claim_survey import catalogued
from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.judge import CHECKS
from webhook.engine.judge import Judgement
from webhook.engine.judge import judge_pod
from webhook.engine.readiness import WARNING
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.engine.review import review
from webhook.engine.ruling import Ruling
from webhook.engine.ruling import rule
from webhook.engine.world import World
from webhook.sources.machines import load_machine
from webhook.sources.policy_file import load_profiles
from webhook.sources.policy_file import parse_stream

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
VERDICT = (
    *("decision", "qos", "gpus", "level", "level_after", "fits", "fits_after"),
    *("faults", "warns", "cells", "admitted"),
)
TEMPLATES = [
    pytest.param(case, template, id=f"{case.id}-{number}" if number else case.id)
    for case in casetable.for_runner("engine")
    for number, template in enumerate(case.templates)
]
ELSEWHERE = [
    pytest.param(case, template, machine, id=f"{case.id}-on-{machine}")
    for case in casetable.for_runner("engine")
    for template in case.templates
    for machine in template.expect.elsewhere
]
RESTRICTED = [
    pytest.param(case, template, id=f"{case.id}-{number}" if number else case.id)
    for case in casetable.for_runner("engine")
    for number, template in enumerate(case.templates)
    if template.expect.restricted
]
GATED = [
    pytest.param(case, template, id=case.id)
    for case in casetable.for_runner("engine")
    for template in case.templates
    if template.expect.gates is not None
]
RIGHT = [
    pytest.param(case, template, id=f"{case.id}-{number}" if number else case.id)
    for case in casetable.for_runner("engine")
    for number, template in enumerate(case.templates)
    if template.expect.decision in {"accept", "warn", "skip"}
]
REVIEWS = [
    pytest.param(case, Pass(word), id=f"{case.id}-{word}")
    for case in casetable.for_runner("engine", review=True)
    for word in ("mutate", "validate")
]


@cache
def node_class(name: str) -> NodeClass:
    if name in casetable.own_machines():
        return next(one for one in load_profiles(str(casetable.MACHINES)) if one.name == name)
    return load_machine(name, assumed=name == casetable.REFERENCE)


def world(case: Case, *machines: str) -> World:
    known = _world(yaml.safe_dump(case.policy_document), machines or case.machines)
    known = replace(known, claims=catalogued(((case.namespace, item) for item in case.beside), known.claims))
    if case.verified:
        known = replace(known, classes=tuple(replace(one, verified=one.name in case.verified) for one in known.classes))
    if case.free is None:
        return known
    cells = tuple({name: Quantity.from_json(amount) for name, amount in cell.items()} for cell in case.free)
    free = Free(seen="2026-11-29T11:59:00Z", cells=cells)
    return replace(known, classes=tuple(replace(one, nodes=1, free=free) for one in known.classes))


@cache
def _world(policy: str, machines: tuple[str, ...]) -> World:
    classes = tuple(map(node_class, machines))
    if len(classes) > 1:  # assumed is one class that stands in for all others
        classes = tuple(replace(one, assumed=False) for one in classes)
    loaded = parse_stream(policy, "the case's policy", profiles=classes)
    return World(policies=loaded.policies, classes=classes, own_namespace="numagate-system", instant=NOON)


def judge(case: Case, template: Template, *machines: str) -> Judgement:
    return judge_pod(template.pod, ruled(template.pod, case, world(case, *machines)))


def ruled(pod: Any, case: Case, surroundings: World) -> Ruling:
    found = rule(pod, case.namespace, surroundings)
    assert found is not None
    return found


def places(findings: tuple[Finding, ...], *, warnings: bool) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for finding in findings:
        if (finding.severity is Severity.WARNING) is warnings:
            found.setdefault(finding.code, []).append(place(finding))
    return {code: tuple(sorted(where)) for code, where in found.items()}


def place(finding: Finding) -> str:
    if finding.container is None:
        return field_path(finding.path)
    step = str(finding.path[-1])
    return f"{finding.container} {'gpu' if step == GPU else step}"


def verdict(judgement: Judgement, expect: Expect) -> dict[str, Any]:
    """What the engine says, in the words of the table, for everything that the case speaks of."""
    policy = judgement.subject.policy
    demand = effective_requests(judgement.subject.facts)
    said: dict[str, Any] = {
        "decision": judgement.outcome.value,
        "qos": judgement.qos.value,
        "gpus": sum(quantity.value for name, quantity in demand.items() if policy.accelerators.includes(name)),
        "level": str(judgement.level),
        "level_after": str(judgement.repaired_level),
        "fits": {one.name: one.fits for one in judgement.classes},
        "fits_after": {one.name: one.fits_after_repair for one in judgement.classes},
        "faults": places(judgement.findings, warnings=False),
        "warns": places(judgement.findings, warnings=True),
        "cells": judgement.subject.fits[0].cells if judgement.subject.fits else (),
        "admitted": judgement.subject.fits[0].admission.admitted if judgement.subject.fits else None,
    }
    return {key: value for key, value in said.items() if getattr(expect, key) is not None}


def wanted(expect: Expect) -> dict[str, Any]:
    said = {key: getattr(expect, key) for key in VERDICT}
    return {key: value for key, value in said.items() if value is not None}


def amounts(pod: JsonObject, name: str) -> tuple[Quantity, ...]:
    container = next(one for one in read(pod).containers if one.name == name)
    return tuple(
        amount(side, resource) for side in (container.requests, container.limits) for resource in ("cpu", "memory")
    )


def admission(case: Case, pod: JsonObject, which: Pass) -> Decision:
    kind = {"apiVersion": "v1", "kind": "Pod"}
    return review(request(case, {**kind, **pod}, which), world(case))


def request(case: Case, pod: JsonObject, which: Pass) -> Request:
    asked = case.review
    return Request(
        uid="c0ffee",
        review_pass=which,
        operation=asked.operation if asked else "CREATE",
        group="",
        version="v1",
        kind="Pod",
        resource="pods",
        subresource=asked.subresource if asked else "",
        namespace=case.namespace,
        name="",
        username=asked.username if asked else "system:serviceaccount:kube-system:replicaset-controller",
        groups=asked.groups if asked else ("system:authenticated",),
        dry_run=False,
        object=pod,
        old_object=asked.old if asked else None,
    )


@pytest.mark.parametrize(("case", "template"), TEMPLATES)
def test_the_engine_gives_the_stated_verdict(case: Case, template: Template) -> None:
    assert verdict(judge(case, template), template.expect) == wanted(template.expect)


@pytest.mark.parametrize(("case", "template", "machine"), ELSEWHERE)
def test_the_engine_gives_the_stated_verdict_on_other_machines(case: Case, template: Template, machine: str) -> None:
    expect = template.expect.elsewhere[machine]
    assert verdict(judge(case, template, machine), expect) == wanted(expect)


@pytest.mark.parametrize(("case", "template"), TEMPLATES)
def test_a_repair_leaves_the_stated_values(case: Case, template: Template) -> None:
    judgement = judge(case, template)
    for name, value in template.expect.after.items():
        before, after = amounts(template.pod, name), amounts(judgement.repaired, name)
        if value == "unchanged":
            assert (name, before) == (name, after)
            continue
        cpu, memory = after[2:]
        assert (name, cpu, memory) == (name, *after[:2])
        if value == "shared":
            assert not cpu.is_whole, f"{name} would be pinned"
            assert not memory.is_zero
        else:
            assert (name, *map(Quantity.parse, value.split("/"))) == (name, cpu, memory)


@pytest.mark.parametrize(("case", "template"), TEMPLATES)
def test_a_repair_leaves_no_helper_with_new_exclusive_cpus(case: Case, template: Template) -> None:
    judgement = judge(case, template)
    changed = {edit.container for edit in judgement.edits} - set(judgement.subject.accelerators)
    pinned = [name for name in changed if amounts(judgement.repaired, name)[0].is_whole]
    assert pinned == []


@pytest.mark.parametrize(("case", "template"), RESTRICTED)
def test_restricted_kubelets_answer_as_stated_after_the_repair(case: Case, template: Template) -> None:
    """Repaired from the pod's own values only, and with the opt-in to two NUMA nodes."""
    values_of_its_own = replace(case, policy={"repair": {"fairShare": False}})
    surroundings = world(values_of_its_own, casetable.RESTRICTED)
    metadata = {**template.pod.get("metadata", {}), "annotations": {"numagate.io/numa-nodes": "2"}}
    asking = {**template.pod, "metadata": metadata}
    judgement = judge_pod(asking, ruled(asking, case, surroundings), modes=Modes(enforce=Level.EXCLUSIVE))
    admitted = [one.fits_after_repair == "yes" for one in judgement.classes]
    assert [template.expect.restricted == "admit"] == admitted


@pytest.mark.parametrize(("case", "template"), TEMPLATES)
def test_both_passes_agree_with_the_verdict(case: Case, template: Template) -> None:
    mutation = admission(case, template.pod, Pass.MUTATE)
    assert mutation.allowed
    pod: Any = jsonpatch.apply({"apiVersion": "v1", "kind": "Pod", **template.pod}, mutation.patch)
    validation = admission(case, pod, Pass.VALIDATE)
    refused = template.expect.decision in {"deny", "invalid"}
    assert (validation.allowed, validation.message) == (not refused, validation.message if refused else "")
    if refused:
        assert mutation.patch == ()
        assert set(template.expect.faults) & {one.code for one in validation.findings}


@pytest.mark.parametrize(("case", "template"), TEMPLATES)
def test_a_pod_is_changed_once(case: Case, template: Template) -> None:
    mutation = admission(case, template.pod, Pass.MUTATE)
    pod: Any = jsonpatch.apply({"apiVersion": "v1", "kind": "Pod", **template.pod}, mutation.patch)
    assert admission(case, pod, Pass.MUTATE).patch == ()


@pytest.mark.parametrize(("case", "template"), TEMPLATES)
def test_annotations_and_labels_of_others_stay(case: Case, template: Template) -> None:
    mutation = admission(case, template.pod, Pass.MUTATE)
    pod: Any = jsonpatch.apply({"apiVersion": "v1", "kind": "Pod", **template.pod}, mutation.patch)
    before, after = template.pod.get("metadata", {}), pod.get("metadata", {})
    for section in ("annotations", "labels"):
        assert before.get(section, {}).items() <= after.get(section, {}).items()


@pytest.mark.parametrize(("case", "template"), RIGHT)
def test_a_pod_that_is_right_gets_annotation_and_label_only(case: Case, template: Template) -> None:
    patch = admission(case, template.pod, Pass.MUTATE).patch
    changed = [operation.path for operation in patch if not operation.path.startswith("/metadata")]
    assert [path for path in changed if not (template.expect.gates and path.startswith("/spec/readinessGates"))] == []


@pytest.mark.parametrize(("case", "template"), GATED)
def test_a_pod_waits_with_its_readiness_where_stated(case: Case, template: Template) -> None:
    mutation = admission(case, template.pod, Pass.MUTATE)
    pod: Any = jsonpatch.apply({"apiVersion": "v1", "kind": "Pod", **template.pod}, mutation.patch)
    after = tuple(gate["conditionType"] for gate in pod["spec"].get("readinessGates", ()))
    before = tuple(gate["conditionType"] for gate in template.pod["spec"].get("readinessGates", ()))

    assert after == template.expect.gates
    assert (WARNING in mutation.warnings) is (before != after)


@pytest.mark.parametrize(("case", "which"), REVIEWS)
def test_a_review_is_answered_as_stated(case: Case, which: Pass) -> None:
    assert case.review is not None
    decision = review(request(case, case.review.new, which), world(case))
    expected = case.review.decisions[which.value]
    assert decision.outcome.value == expected
    assert decision.allowed is (which is Pass.MUTATE or expected != Outcome.DENY.value)
    assert bool(decision.patch) is (which is Pass.MUTATE and case.review.patched)
    if not decision.allowed:
        assert sorted({finding.code for finding in decision.findings}) == sorted(case.review.codes)


def test_every_check_has_a_case_that_it_finds_and_one_that_it_leaves_alone() -> None:
    ids = {case.id for case in casetable.load()}
    missing = [f"{check.code}/{word}" for check in CHECKS if not check.crowded for word in ("found", "clean")]
    assert [name for name in missing if name not in ids] == []
