"""Which pods something is told of, and when they have settled."""

from datetime import timedelta
from typing import Any

import pytest
from builders import container
from builders import equal
from builders import pod
from builders import world
from scriptednode import ALIGNED
from scriptednode import FAR
from scriptednode import NOT_STARTED
from scriptednode import SETTLING
from scriptednode import ScriptedNode

from webhook.domain.expectation import Expectation
from webhook.domain.observation import ObservedPod
from webhook.domain.policy import Verification
from webhook.domain.raw import JsonObject
from webhook.engine.verify import judge
from webhook.engine.world import World
from webhook.node.judging import Judged
from webhook.node.judging import tellable
from webhook.node.judging import unexplained

GATE = [{"conditionType": "numagate.io/Aligned"}]
SERVER = container(**equal(cpu="8", memory="64Gi"))
PLAIN = container(requests={"cpu": "100m"})


PROMISED = {"numagate.io/alignment": Expectation("aligned", 1, {}, "newer", "g").encode()}


def told(raw: JsonObject, shows: str = ALIGNED, *, young: bool = False, **changes: Any) -> list[Judged]:
    """Judge a node with one pod, which may be newer than the policies, and answer what is to be told."""
    node = ScriptedNode("gpu-1")
    node.show("llm", shows)
    known: World = world(**changes)
    observation = node.observe([raw], lambda _pod: False)
    verdict = judge(observation, known)
    return list(tellable(observation, verdict, known, frozenset(unexplained(observation, verdict) if young else ())))


def test_a_pod_that_was_promised_something_is_told_of_and_others_are_not() -> None:
    assert [one.pod.name for one in told(pod(SERVER))] == ["llm"]
    assert told(pod(PLAIN)) == []


def test_a_pod_that_waits_is_told_of_though_nothing_was_promised() -> None:
    (one,) = told(pod(PLAIN, readinessGates=GATE))

    assert (one.verdict.rules, one.settled) == ((), True)


def test_a_pod_that_is_newer_than_the_policies_waits_for_newer_ones() -> None:
    raw = pod(PLAIN, readinessGates=GATE, annotations=PROMISED)

    assert [(one.verdict.rules, one.settled) for one in told(raw, young=True)] == [((), False)]
    assert [one.settled for one in told(raw)] == [True]


def test_also_where_nothing_that_these_policies_know_was_promised_to_it() -> None:
    """A policy that counts more resources gave the promise, which the older one takes for a forgery."""
    raw = pod(container(**equal(cpu="8", memory="64Gi", gpus=None)), readinessGates=GATE, annotations=PROMISED)
    found = [told(raw, young=young)[0] for young in (True, False)]

    assert [(one.settled, one.verdict.forged) for one in found] == [(False, False), (True, True)]


@pytest.mark.parametrize(
    "raw",
    [
        pod(SERVER, readinessGates=GATE, annotations=PROMISED),
        pod(PLAIN, readinessGates=GATE),
        pod(PLAIN, readinessGates=GATE, annotations={"numagate.io/alignment": "{}"}),
        pod(PLAIN, annotations=PROMISED),
    ],
    ids=["judged", "without a promise", "no promise of ours", "without a gate"],
)
def test_no_other_pod_waits_for_policies(raw: JsonObject) -> None:
    assert all(one.settled for one in told(raw, young=True))


def test_of_a_pod_that_is_about_to_end_nothing_is_told() -> None:
    ending = pod(SERVER)
    ending["metadata"]["deletionTimestamp"] = "2026-11-30T12:00:00Z"

    assert told(ending) == []


def test_what_has_settled_can_be_told() -> None:
    (one,) = told(pod(SERVER))

    assert (one.settled, one.settles) == (True, None)


def test_a_young_container_settles_when_the_policy_says() -> None:
    (one,) = told(pod(SERVER), SETTLING, verification=Verification(settle_seconds=90))

    started = one.pod.containers[0].started
    assert started is not None
    assert (one.settled, one.settles) == (False, started + timedelta(seconds=90))


def test_when_a_container_that_has_not_started_settles_is_not_known() -> None:
    (one,) = told(pod(SERVER), NOT_STARTED)

    assert (one.settled, one.settles) == (False, None)


def test_what_is_wrong_already_waits_for_nobody() -> None:
    other = container("other", **equal(cpu="2", memory="1Gi", gpus=None))
    (one,) = told(pod(SERVER, other), FAR)

    assert (one.settled, one.settles) == (True, None)


def test_what_counts_where_nothing_is_known_is_the_policys_to_say() -> None:
    for answer in (True, False):
        (one,) = told(pod(SERVER), verification=Verification(unknown_is_ready=answer))
        assert one.unknown_is_ready is answer


def test_a_pod_of_the_scripted_node_is_the_one_that_was_given() -> None:
    (one,) = told(pod(SERVER))

    assert isinstance(one.pod, ObservedPod)
    assert one.pod.raw["kind"] == "Pod"
