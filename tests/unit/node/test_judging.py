"""Which pods something is told of, and when they have settled."""

from datetime import timedelta
from typing import Any

from builders import container
from builders import equal
from builders import pod
from builders import world
from scriptednode import ALIGNED
from scriptednode import FAR
from scriptednode import NOT_STARTED
from scriptednode import SETTLING
from scriptednode import ScriptedNode

from webhook.domain.observation import ObservedPod
from webhook.domain.policy import Verification
from webhook.domain.raw import JsonObject
from webhook.engine.verify import judge
from webhook.engine.world import World
from webhook.node.judging import Judged
from webhook.node.judging import tellable

GATE = [{"conditionType": "numagate.io/Aligned"}]
SERVER = container(**equal(cpu="8", memory="64Gi"))
PLAIN = container(requests={"cpu": "100m"})


def told(raw: JsonObject, shows: str = ALIGNED, **changes: Any) -> list[Judged]:
    """Judge a node with one pod, and answer what is to be told."""
    node = ScriptedNode("gpu-1")
    node.show("llm", shows)
    known: World = world(**changes)
    observation = node.observe([raw], lambda _pod: False)
    return list(tellable(observation, judge(observation, known), known))


def test_a_pod_that_was_promised_something_is_told_of_and_others_are_not() -> None:
    assert [one.pod.name for one in told(pod(SERVER))] == ["llm"]
    assert told(pod(PLAIN)) == []


def test_a_pod_that_waits_is_told_of_though_nothing_was_promised() -> None:
    (one,) = told(pod(PLAIN, readinessGates=GATE))

    assert (one.verdict.rules, one.settled) == ((), True)


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
