"""numagate's own objects are judged where they are applied."""

from dataclasses import replace
from datetime import UTC
from datetime import datetime
from typing import Any

import pytest

from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.messages import MAX_CAUSES
from webhook.engine.request import Pass
from webhook.engine.request import Request
from webhook.engine.world import World
from webhook.server.own_objects import with_own_objects
from webhook.sources.policy_file import load_policy

WORLD = World(
    policies=load_policy().policies, classes=(), own_namespace="ours", instant=datetime(2026, 1, 1, tzinfo=UTC)
)
ELSEWHERE = Decision(Outcome.UNKNOWN, allowed=True)
BAD = {"modes": {"enforce": "off"}, "classes": "some"}


def request(spec: object, old: object = None, **changes: Any) -> Request:
    head = {"apiVersion": "numagate.io/v1alpha1", "kind": "AlignmentPolicy", "metadata": {"name": "x"}}
    made = Request(
        uid="1",
        review_pass=Pass.VALIDATE,
        operation="CREATE" if old is None else "UPDATE",
        group="numagate.io",
        version="v1alpha1",
        kind="AlignmentPolicy",
        resource="alignmentpolicies",
        subresource="",
        namespace="",
        name="x",
        username="someone",
        groups=(),
        dry_run=False,
        object={**head, "spec": spec},
        old_object=None if old is None else {**head, "spec": old},
    )
    return replace(made, **changes)


def answer(asked: Request) -> Decision:
    return with_own_objects(lambda _request, _world: ELSEWHERE)(asked, WORLD)


def test_a_good_object_passes() -> None:
    assert (answer(request({})).outcome, answer(request({})).allowed) == (Outcome.ACCEPT, True)


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_bad_one_is_refused_with_a_cause_for_each_field(*, dry_run: bool) -> None:
    decision = answer(request(BAD, dry_run=dry_run))

    assert (decision.outcome, decision.allowed) == (Outcome.INVALID, False)
    assert decision.causes == (
        (
            "spec.modes.enforce",
            'spec.modes.enforce: "off" is not known: write one of aligned, exclusive, guaranteed, none',
        ),
        ("spec.classes", 'spec.classes: "some" is not known: write one of all, any'),
    )
    assert decision.message == "; ".join(line for _, line in decision.causes)


def test_one_that_is_nested_too_deep_is_refused() -> None:
    spec: dict[str, Any] = {}
    for _ in range(100):
        spec = {"modes": spec}

    decision = answer(request(spec))

    assert (decision.allowed, decision.message) == (
        False,
        "spec.modes.modes.modes.modes.modes.modes.modes: nested too deep: numagate's documents need few levels",
    )


def test_a_flood_of_faults_is_counted() -> None:
    decision = answer(request({"namespaces": [{"enforce": 1}] * 120}))

    assert len(decision.causes) == MAX_CAUSES
    assert decision.causes[-1][1] == "21 more findings; numagate lint shows them all"


def test_an_update_is_judged_by_what_it_becomes() -> None:
    assert (answer(request(BAD, old={})).allowed, answer(request({}, old=BAD)).allowed) == (False, True)


def test_a_bad_object_whose_spec_stays_may_change_otherwise() -> None:
    assert answer(request(BAD, old=BAD)).allowed


@pytest.mark.parametrize("changes", [{"subresource": "status"}, {"operation": "DELETE", "object": None}])
def test_status_and_deletion_are_never_refused(changes: dict[str, Any]) -> None:
    assert answer(request(BAD, **changes)).allowed


def test_our_own_namespace_is_the_one_of_the_world() -> None:
    spec = {"namespaces": [{"match": ["ours"], "modes": {}}]}

    assert [field for field, _ in answer(request(spec)).causes] == ["spec.namespaces[0].match[0]"]


@pytest.mark.parametrize("changes", [{"group": ""}, {"group": "apps"}, {"review_pass": Pass.MUTATE}])
def test_everything_else_is_left_to_the_review(changes: dict[str, Any]) -> None:
    assert answer(request(BAD, **changes)) is ELSEWHERE


def test_a_policy_that_only_its_name_puts_in_order_is_warned_about() -> None:
    decision = answer(request({}))

    assert decision.warnings == (
        "order: default may match the same pods, with priority 0 too; default is asked first, by name",
    )
