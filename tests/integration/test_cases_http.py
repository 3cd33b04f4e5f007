"""Judges every case of the table over TLS: the real service is asked as the API server asks, pass after pass."""

import base64
import json
from typing import Any

import casetable
import pytest
from caseanswers import codes_of_refusal
from caseanswers import codes_of_warnings
from caseanswers import refusal_codes
from caseanswers import refused_at_apply
from caseanswers import repairs_in
from caseanswers import unlike
from caseanswers import warned_codes
from caseobjects import Object
from casetable import Case
from casetable import Expect
from casetable import Template
from caseworlds import world_of
from caseworlds import worlds
from controlplane.case_service import CaseService
from serving import review_body

from webhook.domain import jsonpatch

MESSAGE_BYTES = 900


def rows(*, elsewhere: bool = False) -> list[Any]:
    """Answer case, template, expectation and world, worlds that are alike one after another."""
    found = []
    for case in casetable.for_runner("http"):
        for template in case.templates:
            machines = template.expect.elsewhere if elsewhere else {}
            found += [(case, template, expect, world_of(case, name)) for name, expect in machines.items()]
            if not elsewhere:
                found.append((case, template, template.expect, world_of(case)))
    found.sort(key=lambda row: worlds().index(row[-1]))
    return [pytest.param(*row, id=f"{row[0].id}-{row[-1].name}") for row in found]


JUDGED = pytest.mark.parametrize(
    ("case", "template", "expect", "case_service"),
    [*rows(), *rows(elsewhere=True)],
    indirect=["case_service"],
    scope="session",
)
OBJECTS = pytest.mark.parametrize(
    ("case", "case_service"),
    [pytest.param(case, world_of(case), id=case.id) for case in casetable.for_runner("http") if case.kind != "Pod"],
    indirect=["case_service"],
    scope="session",
)
REVIEWS = pytest.mark.parametrize(
    ("case", "case_service"),
    [pytest.param(case, world_of(case), id=case.id) for case in casetable.for_runner("http", review=True)],
    indirect=["case_service"],
    scope="session",
)


def asked_about(case: Case, obj: Object) -> bytes:
    """Write the review of an object as the API server would, of a review case with all that it states."""
    group, _, version = obj["apiVersion"].rpartition("/")
    changes: dict[str, Any] = {
        "obj": obj,
        "kind": {"group": group, "version": version, "kind": obj["kind"]},
        "resource": {"group": group, "version": version, "resource": obj["kind"].lower() + "s"},
        "namespace": case.namespace,
    }
    if case.review is not None:
        changes["operation"] = case.review.operation
        changes["subResource"] = case.review.subresource
        changes["oldObject"] = case.review.old
        changes["userInfo"] = {"username": case.review.username, "groups": list(case.review.groups)}
    return review_body(**changes)


def patched(obj: Object, response: dict[str, Any]) -> Any:
    """Apply the patch of a response."""
    if "patch" not in response:
        return obj
    assert response["patchType"] == "JSONPatch"
    steps = json.loads(base64.b64decode(response["patch"]))
    return jsonpatch.apply(obj, tuple(jsonpatch.Operation(**step) for step in steps))


def as_pod(template: Template) -> Object:
    """Answer what a controller makes of a template."""
    return {"apiVersion": "v1", "kind": "Pod", **template.pod}


def assert_refused(response: dict[str, Any], allowed_codes: set[str]) -> set[str]:
    """Check the form of a refusal, and answer the codes of its causes."""
    status = response["status"]
    assert (status["code"], status["reason"], response["allowed"]) == (403, "Forbidden", False)
    assert status["message"].isprintable()
    assert len(status["message"].encode()) <= MESSAGE_BYTES
    causes = status["details"]["causes"]
    codes = {code for cause in causes for code in codes_of_refusal(cause["message"])}
    assert all(cause["field"].startswith(("spec", "metadata", "template")) for cause in causes)
    assert codes_of_refusal(status["message"]) <= codes <= allowed_codes
    assert codes
    return codes


@JUDGED
def test_a_pod_passes_both_passes_or_is_refused_with_the_stated_codes(
    case: Case, template: Template, expect: Expect, case_service: CaseService
) -> None:
    pod = as_pod(template)

    mutation = case_service.ask("mutate", asked_about(case, pod))
    after = patched(pod, mutation)
    validation = case_service.ask("validate", asked_about(case, after))

    assert mutation["allowed"]
    if expect.decision in {"deny", "invalid"}:
        assert "patch" not in mutation
        assert assert_refused(validation, refusal_codes(expect)) >= set(expect.faults)
        return
    assert (validation["allowed"], validation.get("status")) == (True, None)
    assert unlike(expect.after, pod, after) == []
    assert bool(repairs_in(mutation.get("warnings", ()))) == (expect.decision == "repair")
    found = codes_of_warnings(validation.get("warnings", ()))
    assert found <= warned_codes(expect)
    if expect.decision != "repair":
        assert found == warned_codes(expect)


@JUDGED
def test_an_admitted_pod_carries_the_stated_level(
    case: Case, template: Template, expect: Expect, case_service: CaseService
) -> None:
    pod = as_pod(template)

    metadata = patched(pod, case_service.ask("mutate", asked_about(case, pod))).get("metadata", {})

    promised = metadata.get("annotations", {}).get("numagate.io/alignment")
    level = metadata.get("labels", {}).get("numagate.io/level")
    if expect.decision in {"accept", "repair"} and case.governs == "accelerators":
        assert (level, json.loads(promised)["level"]) == (expect.level_after, expect.level_after)
    elif expect.decision in {"deny", "invalid", "skip"}:
        assert (level, promised) == (None, None)


@OBJECTS
def test_an_object_with_a_template_is_never_patched_and_refused_for_what_lasts(
    case: Case, case_service: CaseService
) -> None:
    expect = case.templates[0].expect

    mutation = case_service.ask("mutate", asked_about(case, case.manifest))
    validation = case_service.ask("validate", asked_about(case, case.manifest))

    assert (mutation["allowed"], "patch" in mutation, mutation.get("warnings")) == (True, False, None)
    assert validation["allowed"] is not refused_at_apply(case, expect)
    if not validation["allowed"]:
        assert_refused(validation, refusal_codes(expect))
        return
    warnings = validation.get("warnings", ())
    assert bool(repairs_in(warnings)) == (expect.decision == "repair")
    assert codes_of_warnings(warnings) <= warned_codes(expect) | set(expect.faults)


@REVIEWS
def test_a_review_is_answered_as_stated(case: Case, case_service: CaseService) -> None:
    review = case.review
    assert review is not None

    mutation = case_service.ask("mutate", asked_about(case, review.new))
    validation = case_service.ask("validate", asked_about(case, review.new))

    assert (mutation["allowed"], "patch" in mutation) == (True, review.patched)
    assert validation["allowed"] is (review.decisions["validate"] != "deny")
    if not validation["allowed"]:
        assert assert_refused(validation, set(review.codes)) == set(review.codes)


@REVIEWS
def test_after_the_mutating_pass_a_review_is_answered_as_stated(case: Case, case_service: CaseService) -> None:
    review = case.review
    assert review is not None

    after = patched(review.new, case_service.ask("mutate", asked_about(case, review.new)))
    validation = case_service.ask("validate", asked_about(case, after))

    codes = set() if validation["allowed"] else assert_refused(validation, set(review.codes))
    assert (validation["allowed"], codes) == (review.chained != "deny", set(review.chained_codes))
