"""The events about pods: their names follow from what they say."""

from datetime import UTC
from datetime import datetime

import pytest

from webhook.domain.raw import JsonObject
from webhook.node import events
from webhook.node.standing import Standing

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
POD = {"namespace": "team-a", "name": "llm", "uid": "uid-1"}
WRONG = Standing("False", "Misaligned", "cpu-quota: 3 of 4")


def made(standing: Standing = WRONG, pod: JsonObject = POD, instant: datetime = NOON) -> JsonObject:
    """Make an event."""
    return events.of_standing(standing, pod, node="gpu-1", instant=instant)


def test_an_event_says_who_reports_what_about_which_pod() -> None:
    event = made()

    assert event["eventTime"] == "2026-11-30T12:00:00.000000Z"
    assert (event["reportingController"], event["reportingInstance"]) == ("numagate.io/agent", "gpu-1")
    assert event["regarding"] == {"apiVersion": "v1", "kind": "Pod", **POD}
    assert (event["type"], event["reason"], event["note"]) == ("Warning", "Misaligned", "cpu-quota: 3 of 4")


@pytest.mark.parametrize(("status", "kind"), [("True", "Normal"), ("Unknown", "Normal"), ("False", "Warning")])
def test_only_what_is_wrong_is_a_warning(status: str, kind: str) -> None:
    assert made(Standing(status, "R", "m"))["type"] == kind


def test_who_has_the_same_to_say_finds_it_said() -> None:
    later = made(Standing("False", "Misaligned", "cpu-quota: 2 of 4"), instant=NOON.replace(hour=13))

    assert events.name_of(made()) == events.name_of(later)


@pytest.mark.parametrize(
    "other",
    [
        made(Standing("True", "Aligned", "cpu-quota: 3 of 4")),
        made(Standing("False", "Misaligned", "cpu-node: 3 of 4")),
        made(pod={**POD, "uid": "uid-2"}),
        events.of_forgery(POD, node="gpu-1", instant=NOON),
    ],
    ids=["status", "rule", "pod", "forgery"],
)
def test_what_is_something_else_has_another_name(other: JsonObject) -> None:
    assert events.name_of(made()) != events.name_of(other)


def test_names_are_short_enough_whatever_the_pod_and_the_node_are_called() -> None:
    event = events.of_forgery({**POD, "name": "p" * 253}, node="n" * 253, instant=NOON)

    assert (len(events.name_of(event)), len(str(event["reportingInstance"]))) == (217, 128)


@pytest.mark.parametrize("sign", ["-", "."])
def test_a_long_name_is_cut_where_a_part_of_a_name_may_end(sign: str) -> None:
    event = events.of_forgery({**POD, "name": f"{'p' * 198}{sign * 2}{'q' * 50}"}, node="gpu-1", instant=NOON)

    assert events.name_of(event).rpartition(".")[0] == "p" * 198
