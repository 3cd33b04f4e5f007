"""Who is exempt, why, and until when."""

from dataclasses import replace
from datetime import UTC
from datetime import datetime
from typing import Any

import pytest
from builders import INSTANT
from builders import container
from builders import deployment
from builders import equal
from builders import mutating
from builders import pod
from builders import request
from builders import ruling
from builders import world

from webhook.domain import keys
from webhook.domain.policy import ExemptionRule
from webhook.domain.policy import Exemptions
from webhook.engine.decision import Outcome
from webhook.engine.exempt import Requester
from webhook.engine.exempt import ineffective
from webhook.engine.exempt import why_exempt
from webhook.engine.review import review

MISFIT = pod(container(**equal("8", "8Gi", 8)))
LATER = datetime(2027, 1, 31, tzinfo=UTC)
BEFORE = datetime(2026, 1, 31, tzinfo=UTC)


def exempting(*rules: ExemptionRule, pods: bool = False) -> Exemptions:
    return Exemptions(rules=rules, pods=pods)


@pytest.mark.parametrize(
    ("names", "by"),
    [
        ({"namespaces": ("team-*",)}, "namespace"),
        ({"users": ("alice",)}, "user"),
        ({"groups": ("admins",)}, "group"),
        ({"runtime_classes": ("kata-*",)}, "runtime class"),
        ({"namespaces": ("prod",), "users": ("bob",), "groups": ("ops",), "runtime_classes": ("runc",)}, None),
    ],
)
def test_a_rule_holds_for_whatever_one_of_its_lists_names(names: dict[str, Any], by: str | None) -> None:
    governed = ruling(exemptions=exempting(ExemptionRule("trial", until=LATER, **names)))
    found = why_exempt(pod(runtimeClassName="kata-qemu"), governed, Requester("alice", ("admins",)))
    assert (found and (found.by, found.reason, found.until)) == (by and (by, "trial", LATER))


def test_a_pod_without_a_runtime_class_is_not_named_by_a_pattern_of_them() -> None:
    governed = ruling(exemptions=exempting(ExemptionRule("trial", runtime_classes=("*a*", "*"))))
    assert why_exempt(pod(), governed) is None


def test_a_rule_that_is_over_does_not_hold_and_the_next_one_may() -> None:
    over = ExemptionRule("old", until=INSTANT, namespaces=("team-a",))
    still = ExemptionRule("new", namespaces=("team-*",))
    found = why_exempt(pod(), ruling(exemptions=exempting(over, still)))
    assert (found and found.reason) == "new"


@pytest.mark.parametrize("obj", [MISFIT, deployment(MISFIT)], ids=["pod", "template"])
def test_who_was_exempt_is_told_that_it_is_over(obj: dict[str, Any]) -> None:
    over = ExemptionRule("old", until=BEFORE, namespaces=("team-a",))
    decision = review(request(obj), world(exemptions=exempting(over)))
    ended = "the exemption by namespace in policy default ended at 2026-01-31T00:00:00Z: ask for a new one"
    assert decision.outcome is Outcome.DENY
    assert ended in decision.message


def test_a_pod_that_needs_no_exemption_is_warned_that_it_has_none() -> None:
    over = ExemptionRule("old", until=BEFORE, namespaces=("team-a",))
    decision = review(request(pod()), world(exemptions=exempting(over)))
    ended = "the exemption by namespace in policy default ended at 2026-01-31T00:00:00Z: ask for a new one"
    assert decision.allowed
    assert f"{ended} [expired-exemption]" in decision.warnings
    assert "expired-exemption" in decision.audit["findings"]


@pytest.mark.parametrize(("until", "word"), [("2026-01-31T00:00:00Z", "is over"), ("soon", "is no instant")])
def test_an_exemption_of_a_pod_that_does_not_hold_is_told(until: str, word: str) -> None:
    asking = pod(annotations={"numagate.io/exempt": "x", "numagate.io/exempt-until": until})
    (finding,) = ineffective(asking, ruling(exemptions=exempting(pods=True)))
    assert word in finding.message
    assert [one.code for one in ineffective(asking, ruling())] == ["ignored-exemption"]


def test_each_use_is_in_the_audit_annotations_and_counted() -> None:
    known = world(exemptions=exempting(ExemptionRule("moves\nto p5", until=LATER, users=("alice",))))
    decision = review(request(MISFIT), known)
    assert decision.audit == {
        "decision": "skip",
        "reason": "exempt user",
        "policy": "default",
        "exempt-by": "user",
        "exempt-reason": r"moves\nto p5",
        "exempt-until": "2027-01-31T00:00:00+00:00",
    }
    assert (decision.allowed, decision.exempt_by) == (True, "user")


def test_each_use_of_the_annotation_of_a_pod_is_in_the_audit_annotations_and_counted() -> None:
    wish = {keys.EXEMPT: "load test", keys.EXEMPT_UNTIL: "2027-01-31T00:00:00Z"}
    asking = pod(container(**equal("8", "8Gi", 8)), annotations=wish)
    known = world(exemptions=exempting(pods=True))
    decision = review(request(asking), known)

    assert (decision.allowed, decision.exempt_by) == (True, "pod")
    assert {key: text for key, text in decision.audit.items() if key.startswith(("exempt", "reason"))} == {
        "reason": "exempt pod",
        "exempt-by": "pod",
        "exempt-reason": "load test",
        "exempt-until": "2027-01-31T00:00:00+00:00",
    }
    assert review(mutating(asking), known).exempt_by == "pod"


def test_a_template_whose_pods_are_all_exempt_is_exempt() -> None:
    known = world(exemptions=exempting(ExemptionRule("trial", namespaces=("team-a",))))
    decision = review(request(deployment(MISFIT)), known)
    assert (decision.allowed, decision.exempt_by) == (True, "namespace")


def test_our_own_namespace_is_exempt_by_no_policy() -> None:
    known = replace(world(exemptions=exempting()), own_namespace="gate")
    decision = review(request(MISFIT, namespace="gate"), known)
    assert (decision.exempt_by, "policy" in decision.audit) == ("always", False)


def test_an_exemption_that_the_policy_does_not_honour_is_told() -> None:
    asking = pod(annotations={"numagate.io/exempt": "because"})
    (finding,) = ineffective(asking, ruling(exemptions=exempting()))
    assert (finding.code, finding.message) == (
        "ignored-exemption",
        "numagate.io/exempt has no effect: policy default does not honour it on pods",
    )
    assert list(ineffective(asking, ruling(exemptions=exempting(pods=True)))) == []


def test_an_object_with_an_exempt_and_a_judged_pod_notes_both() -> None:
    job = {"name": "a", "template": {"spec": {"template": {"spec": {**pod()["spec"], "runtimeClassName": "kata"}}}}}
    other = {"name": "b", "template": {"spec": {"template": {"spec": pod()["spec"]}}}}
    job_set = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": "llm", "namespace": "team-a"},
        "spec": {"replicatedJobs": [job, other]},
    }
    known = world(exemptions=exempting(ExemptionRule("trial", runtime_classes=("kata",))))
    decision = review(request(job_set, group="jobset.x-k8s.io", version="v1alpha2"), known)
    assert (decision.allowed, decision.exempt_by, decision.audit["decision"]) == (True, "runtime class", "accept")
    assert decision.audit["exempt-reason"] == "trial"
