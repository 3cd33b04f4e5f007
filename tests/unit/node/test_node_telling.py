"""What is written, in which order, and what becomes of it when it cannot be: against a scripted API server."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import replace
from datetime import UTC
from datetime import datetime
from typing import Any

import pytest
from scripted import Reply
from scripted import ScriptedServer
from scripted import scripted

from webhook.domain.expectation import Expectation
from webhook.domain.observation import ObservedPod
from webhook.domain.verdict import Outcome
from webhook.domain.verdict import PodVerdict
from webhook.domain.verdict import RuleVerdict
from webhook.node.allowance import Allowance
from webhook.node.judging import Judged
from webhook.node.metrics import Metrics
from webhook.node.own_pods import OwnPods
from webhook.node.telling import Teller

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
EVENT = "POST /apis/events.k8s.io/v1/namespaces/team-a/events"
STATUS = "PATCH /api/v1/namespaces/team-a/pods/{}/status"
AWAY = Reply({"message": "etcd is away"}, 503)
EXISTS = Reply({"message": "already exists", "reason": "AlreadyExists"}, 409)
GONE = Reply({"message": "not found", "reason": "NotFound"}, 404)
PROMISE = Expectation("aligned", 1, {}, "default", "g")


def judged(name: str = "llm", outcome: Outcome = Outcome.MISALIGNED, **changes: Any) -> Judged:
    """Make a pod that was judged; `conditions` are those of its status."""
    conditions = changes.pop("conditions", [])
    metadata = {"namespace": "team-a", "name": name, "uid": f"uid-{name}", "resourceVersion": "1"}
    raw = {"metadata": metadata, "spec": {}, "status": {"phase": "Running", "conditions": conditions}}
    rule = RuleVerdict("cpu-quota", None, outcome, "a quota", "none", "one")
    verdict = PodVerdict("team-a", name, f"uid-{name}", outcome, (rule,), PROMISE, forged=changes.pop("forged", False))
    return Judged(ObservedPod("team-a", name, f"uid-{name}", raw, ()), verdict, **changes)


TRUE = {"type": "numagate.io/Aligned", "status": "True", "reason": "Aligned", "message": "m"}


@dataclass
class Bench:
    """A teller with a clock of its own."""

    server: ScriptedServer
    teller: Teller
    metrics: Metrics
    pods: OwnPods
    clock: list[float]

    @property
    def asked(self) -> list[str]:
        """What was asked of the API server so far."""
        return [one.key for one in self.server.asked]


@contextmanager
def bench(script: dict[str, list[Any]], *, burst: int = 9) -> Iterator[Bench]:
    """Make a teller of node gpu-1 whose API server plays a script."""
    clock = [0.0]
    with scripted(script) as (server, client):
        pods, metrics = OwnPods(lambda: None), Metrics("0")
        teller = Teller(
            client,
            node="gpu-1",
            pods=pods,
            metrics=metrics,
            allowance=Allowance(burst=burst, per_second=0, clock=lambda: 0.0),
            monotonic=lambda: clock[0],
        )
        yield Bench(server, teller, metrics, pods, clock)


def well(*names: str) -> dict[str, list[Any]]:
    """Make a script in which everything is written."""
    return {EVENT: [Reply()], **{STATUS.format(name): [Reply({"metadata": {}})] for name in names}}


def test_the_event_comes_before_the_condition_that_remembers_it() -> None:
    with bench(well("llm")) as made:
        made.teller.tell([judged()], NOON)
        status = made.server.asked[1].body

    assert made.asked == [EVENT, STATUS.format("llm")]
    assert status["metadata"] == {"uid": "uid-llm"}
    assert [one["status"] for one in status["status"]["conditions"]] == ["False"]
    assert made.server.asked[1].query == {"fieldManager": "numagate-agent"}


def test_an_api_server_that_is_away_is_asked_for_one_pod_in_a_look() -> None:
    status = STATUS.format("a")
    with bench({EVENT: [AWAY], status: [AWAY]}) as made:
        made.teller.tell([judged("a"), judged("b"), judged("c")], NOON)
        once = list(made.asked)
        made.teller.tell([judged("a")], NOON)

    assert (once, made.asked) == ([EVENT, status], [EVENT, status] * 2)


def test_also_where_there_is_an_event_and_no_condition_to_write() -> None:
    forged = [judged(name, Outcome.ALIGNED, forged=True, conditions=[TRUE]) for name in "abc"]
    with bench({EVENT: [AWAY]}) as made:
        made.teller.tell(forged, NOON)

    assert made.asked == [EVENT]


@pytest.mark.parametrize("status", [429, 503])
def test_an_event_that_finds_no_room_keeps_no_condition_from_being_written(status: int) -> None:
    with bench({**well("a", "b"), EVENT: [Reply({"message": "too many"}, status)]}) as made:
        made.teller.tell([judged("a"), judged("b")], NOON)

    assert made.asked == [EVENT, STATUS.format("a"), EVENT, STATUS.format("b")]


def test_a_broken_webhook_of_one_namespace_silences_no_other() -> None:
    broken = Reply({"message": "failed calling webhook", "reason": "InternalError"}, 500)
    with bench({**well("b"), EVENT: [broken], STATUS.format("a"): [broken]}) as made:
        made.teller.tell([judged("a"), judged("b")], NOON)

    assert made.asked == [EVENT, STATUS.format("a"), EVENT, STATUS.format("b")]


def test_a_look_that_ended_early_goes_on_where_it_was() -> None:
    """Two pods that are answered as if the API server were away, however often, keep no third from being told."""
    script = {**well("c"), STATUS.format("a"): [AWAY], STATUS.format("b"): [AWAY]}
    with bench(script, burst=0) as made:
        for _ in range(4):
            made.teller.tell([judged("a"), judged("b"), judged("c")], NOON)

    assert [key.split("/")[-2] for key in made.asked] == ["a", "b", "c", "a", "b"]


def test_an_api_server_that_is_away_is_one_line_of_the_log(caplog: pytest.LogCaptureFixture) -> None:
    script = {EVENT: [AWAY], **{STATUS.format(name): [AWAY] for name in "abc"}}
    with bench(script) as made:
        for _ in range(4):
            made.teller.tell([judged("a"), judged("b"), judged("c")], NOON)

    assert len(caplog.records) == 1


def test_what_lasts_is_measured_whether_or_not_it_can_be_told() -> None:
    was_true = judged("b", conditions=[TRUE])
    with bench({**well("b"), STATUS.format("a"): [AWAY]}, burst=0) as made:
        made.teller.tell([was_true], NOON)
        made.clock[0] = 30.0
        made.teller.tell([judged("a"), judged("b", Outcome.ALIGNED, conditions=[TRUE])], NOON)
        made.clock[0] = 60.0
        made.teller.tell([was_true], NOON)

    assert made.asked == [STATUS.format("a")]


def test_an_event_that_is_refused_keeps_no_condition_from_being_written() -> None:
    script = {**well("a", "b"), EVENT: [Reply({"message": "forbidden"}, 403)]}
    with bench(script) as made:
        made.teller.tell([judged("a"), judged("b")], NOON)

    assert made.asked == [EVENT, STATUS.format("a"), EVENT, STATUS.format("b")]


def test_what_is_refused_again_and_again_is_left_alone_for_longer_each_time() -> None:
    refused = Reply({"message": "the token names no node", "reason": "Forbidden"}, 403)
    with bench({**well("b"), STATUS.format("a"): [refused]}, burst=0) as made:
        for look in range(40):
            made.clock[0] = 30.0 * look
            made.teller.tell([judged("a"), judged("b", Outcome.ALIGNED, conditions=[TRUE])], NOON)
        asked = len(made.asked)
        made.teller.tell([], NOON)
        made.teller.tell([judged("a")], NOON)

    # Seven looks one after the other, then after 60, 90, 150, 270 and 300 seconds; and of a pod that was away, at once.
    assert (asked, len(made.asked)) == (12, 13)


def test_a_pod_that_has_gone_is_nobodys_trouble() -> None:
    script = {**well("b"), STATUS.format("a"): [GONE]}
    with bench(script) as made:
        made.teller.tell([judged("a"), judged("b")], NOON)

    assert made.asked[-1] == STATUS.format("b")
    assert b'numagate_agent_write_failures_total{what="condition"} 0.0' in made.metrics.render()


def test_what_was_said_before_is_said_to_have_come_again() -> None:
    with bench({**well("llm"), EVENT: [EXISTS]}) as made:
        made.teller.tell([judged()], NOON)
        (again,) = [one for one in made.server.asked if one.path.startswith("/apis/events") and one.method == "PATCH"]

    assert again.body == {"series": {"count": 2, "lastObservedTime": "2026-11-30T12:00:00.000000Z"}}


def test_a_forged_promise_is_told_once_also_where_it_was_told_before() -> None:
    aligned = judged(outcome=Outcome.ALIGNED, forged=True, conditions=[{**TRUE, "message": "the pod has what"}])
    with bench({EVENT: [EXISTS]}) as made:
        for _ in range(3):
            made.teller.tell([aligned], NOON)

    assert made.asked == [EVENT]
    assert made.server.asked[0].body["reason"] == "PromiseForged"


def test_one_event_too_many_is_left_out_and_counted_and_the_condition_is_not() -> None:
    with bench(well("a", "b"), burst=1) as made:
        made.teller.tell([judged("a"), judged("b")], NOON)

    assert made.asked == [EVENT, STATUS.format("a"), STATUS.format("b")]
    assert b"numagate_agent_events_left_out_total 1.0" in made.metrics.render()


def test_only_what_lasts_ends_what_was_true() -> None:
    was_true = judged(conditions=[TRUE])
    with bench(well("llm")) as made:
        made.teller.tell([was_true], NOON)
        left = made.teller.seconds_left()
        made.clock[0] = 59.0
        made.teller.tell([was_true], NOON)
        early = list(made.asked)
        made.clock[0] = 60.0
        made.teller.tell([was_true], NOON)

    assert (left, early, made.asked) == (60, [], [EVENT, STATUS.format("llm")])


def gated(one: Judged) -> Judged:
    """Let the readiness of a pod wait for what is told of it."""
    raw = {**one.pod.raw, "spec": {"readinessGates": [{"conditionType": "numagate.io/Aligned"}]}}
    return replace(one, pod=replace(one.pod, raw=raw))


def test_a_kubelet_that_is_away_for_a_moment_opens_no_gate() -> None:
    with bench(well("llm")) as made:
        for seconds, outcome in ((0.0, Outcome.UNKNOWN), (30.0, Outcome.UNKNOWN), (60.0, Outcome.MISALIGNED)):
            made.clock[0] = seconds
            made.teller.tell([gated(judged(outcome=outcome))], NOON)
        (_, written) = made.server.asked

    assert written.body["status"]["conditions"][0]["status"] == "False"


def test_what_cannot_be_told_for_long_opens_it() -> None:
    with bench(well("llm")) as made:
        made.teller.tell([gated(judged(outcome=Outcome.UNKNOWN))], NOON)
        left = made.teller.seconds_left()
        made.clock[0] = 60.0
        made.teller.tell([gated(judged(outcome=Outcome.UNKNOWN))], NOON)
        (_, written) = made.server.asked

    assert left == 60
    assert written.body["status"]["conditions"][0]["reason"] == "UnknownCountsAsReady"


def test_what_is_over_begins_anew() -> None:
    was_true = judged(conditions=[TRUE])
    with bench(well("llm")) as made:
        made.teller.tell([was_true], NOON)
        made.clock[0] = 50.0
        made.teller.tell([judged(outcome=Outcome.ALIGNED, conditions=[TRUE])], NOON)
        over = made.teller.seconds_left()
        made.teller.tell([was_true], NOON)
        made.clock[0] = 70.0
        made.teller.tell([was_true], NOON)

    assert (over, made.asked) == (None, [])


def test_the_pod_as_written_is_the_pod_that_is_known() -> None:
    answer = {"metadata": {"namespace": "team-a", "name": "llm", "resourceVersion": "7"}, "status": {}}
    with bench({**well(), STATUS.format("llm"): [Reply(answer)]}) as made:
        made.pods.put("team-a/llm", judged().pod.raw)
        made.teller.tell([judged()], NOON)
        (known,) = made.pods.running()

    assert known["metadata"]["resourceVersion"] == "7"  # type: ignore[index]
