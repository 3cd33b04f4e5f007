"""The readiness gate: when pods are made to wait for the agent on their node, and who is told."""

from dataclasses import replace
from typing import Any

import pytest
from builders import container
from builders import deployment
from builders import equal
from builders import mutating
from builders import pod
from builders import request
from builders import ruling
from builders import world

from webhook.domain import jsonpatch
from webhook.domain.levels import Level
from webhook.domain.levels import Modes
from webhook.domain.policy import Verification
from webhook.domain.raw import JsonObject
from webhook.domain.topology import NodeClass
from webhook.engine.judge import judge_pod
from webhook.engine.messages import WARNING_CHARACTERS
from webhook.engine.readiness import TEMPLATE_WARNING
from webhook.engine.readiness import UNANSWERED
from webhook.engine.readiness import WARNING
from webhook.engine.readiness import Gate
from webhook.engine.readiness import gated
from webhook.engine.readiness import state
from webhook.engine.readiness import unverified
from webhook.engine.review import review
from webhook.sources.policy_file import load_profile

GATE = {"conditionType": "numagate.io/Aligned"}
WANTED = Verification(readiness_gate=True)


def machine(name: str = "generic-2x4", *, verified: bool = True) -> NodeClass:
    return replace(load_profile(name), verified=verified)


def found(obj: JsonObject, *classes: NodeClass, **changes: Any) -> Gate | None:
    judged = ruling(*classes, **{"verification": WANTED, **changes})
    return state(judge_pod(obj, judged), judged.policy)


def test_a_pod_waits_where_agents_verify_it_wherever_it_may_go() -> None:
    assert found(pod(), machine()) is Gate.ADDED
    assert found(pod(), machine(), machine("dgx-h100")) is Gate.ADDED
    assert found(pod(), machine(), machine("dgx-h100", verified=False)) is Gate.UNVERIFIED


def test_a_class_that_the_pod_may_not_go_to_needs_no_agent() -> None:
    other = replace(machine("dgx-h100", verified=False), labels={"pool": "other"})

    assert found(pod(nodeSelector={"pool": "ours"}), machine(), other) is Gate.ADDED
    assert found(pod(nodeSelector={"pool": "other"}), machine(), other) is Gate.UNVERIFIED


def test_where_no_class_is_known_nobody_is_known_to_answer() -> None:
    assert found(pod(), machine=None) is Gate.UNVERIFIED


def test_the_classes_without_agents_are_named() -> None:
    judged = ruling(machine(), machine("dgx-h100", verified=False), verification=WANTED)

    assert unverified(judge_pod(pod(), judged)) == ("dgx-h100",)


@pytest.mark.parametrize(
    ("obj", "changes"),
    [
        (pod(), {"verification": Verification()}),
        (pod(container(**equal(gpus=8))), {}),
        (pod(container(**equal(gpus=None))), {}),
    ],
    ids=["the policy wants none", "the pod will be refused", "nothing is promised"],
)
def test_a_pod_that_earns_no_gate_has_none(obj: dict[str, Any], changes: dict[str, Any]) -> None:
    assert found(obj, machine(), **changes) is None


def test_a_gate_that_is_there_is_present_wherever_it_came_from() -> None:
    assert found(pod(readinessGates=[GATE]), machine(verified=False)) is Gate.PRESENT


@pytest.mark.parametrize(("gates", "after"), [(None, [GATE]), ([], [GATE]), ([{"conditionType": "a"}], 2), ("x", "x")])
def test_the_gate_is_put_behind_those_that_are_there(gates: Any, after: Any) -> None:
    written: Any = gated(pod(readinessGates=gates))["spec"]

    assert after in (written["readinessGates"], len(written["readinessGates"]))


def test_the_mutating_pass_adds_it_once_with_a_warning() -> None:
    known = world(machine(), verification=WANTED)
    first = review(mutating(pod()), known)
    after: Any = jsonpatch.apply(pod(), first.patch)
    again = review(mutating(after), known)

    assert after["spec"]["readinessGates"] == [GATE]
    assert first.warnings == (WARNING,)
    assert (again.patch, again.warnings) == ((), ())


def test_a_gate_that_nobody_would_answer_is_told_and_stays() -> None:
    written = pod(readinessGates=[GATE])
    told = [
        review(mutating(written), known).warnings
        for known in (world(machine()), world(machine(verified=False)), world(machine=None))
    ]
    plain = review(mutating(pod(container(**equal(gpus=None)), readinessGates=[GATE])), world(machine(verified=False)))

    assert told == [(), (UNANSWERED,), (UNANSWERED,)]
    assert plain.warnings == ()


def test_the_validating_pass_has_no_opinion_of_it() -> None:
    known = world(machine(), verification=WANTED)
    with_gate: Any = jsonpatch.apply(pod(), review(mutating(pod()), known).patch)
    without = {**with_gate, "spec": {**with_gate["spec"], "readinessGates": []}}

    assert [review(request(one), known).allowed for one in (with_gate, without)] == [True, True]


def test_whoever_applies_a_template_is_told_of_it() -> None:
    known = world(machine(), verification=WANTED)

    assert review(request(deployment(pod())), known).warnings == (TEMPLATE_WARNING,)
    assert review(request(deployment(pod(readinessGates=[GATE]))), known).warnings == ()
    assert review(request(deployment(pod())), world(machine(verified=False), verification=WANTED)).warnings == ()


@pytest.mark.parametrize("mode", ["repair", "warn"])
def test_nobody_is_told_where_nothing_is_repaired_or_warned_of(mode: str) -> None:
    modes = replace(Modes(Level.ALIGNED, Level.ALIGNED, Level.ALIGNED, Level.ALIGNED), **{mode: Level.NONE})
    known = world(machine(), verification=WANTED, modes=modes)

    assert review(request(deployment(pod())), known).warnings == ()


def test_a_warning_is_no_longer_than_a_client_shows() -> None:
    assert max(map(len, (WARNING, TEMPLATE_WARNING, UNANSWERED))) <= WARNING_CHARACTERS
