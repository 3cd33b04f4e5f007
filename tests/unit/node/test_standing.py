"""What the condition of a pod says next: every case of what was told, what was found, and the circumstances."""

from dataclasses import replace
from typing import Any

import pytest

from webhook.domain.expectation import ContainerPromise
from webhook.domain.expectation import Expectation
from webhook.domain.raw import JsonObject
from webhook.domain.verdict import Outcome
from webhook.domain.verdict import PodVerdict
from webhook.domain.verdict import RuleVerdict
from webhook.node import standing
from webhook.node.standing import Circumstances
from webhook.node.standing import Standing
from webhook.node.standing import due

PROMISE = Expectation("aligned", 1, {}, "default", "g")
ALIGNED, MISALIGNED, UNKNOWN = Outcome.ALIGNED, Outcome.MISALIGNED, Outcome.UNKNOWN
BROKEN = "exclusive-cpus (container server): 3 exclusive CPUs instead of 4"
TOLD = {
    "True": Standing("True", "Aligned", "the pod has what it was promised", "then"),
    "False": Standing("False", "Misaligned", BROKEN, "then"),
    "Unknown": Standing("Unknown", "NotKnown", BROKEN, "then"),
    "": None,
}


def verdict(outcome: Outcome, *, reason: str = "3 exclusive CPUs instead of 4") -> PodVerdict:
    """Make a verdict with one rule."""
    rule = RuleVerdict("exclusive-cpus", "server", outcome, reason, "4", "3")
    return PodVerdict("team-a", "llm", "uid", outcome, (rule,), PROMISE)


def around(**changes: bool) -> Circumstances:
    """Make circumstances: settled, with a policy that counts unknown as ready."""
    known: dict[str, Any] = {"gated": False, "settled": True, "unknown_is_ready": True, "lasting": False, **changes}
    return Circumstances(**known)


def test_an_aligned_pod_whose_cpus_were_never_promised_says_so() -> None:
    containers = {"server": ContainerPromise(0, 0, {"nvidia.com/gpu": 1}), "proxy": ContainerPromise(2, 1, {})}
    loose = replace(verdict(ALIGNED), promise=replace(PROMISE, containers=containers))

    said = due(None, loose, around())

    assert said is not None
    assert said.message == "the pod has what it was promised, and server was promised no CPUs of its own"


@pytest.mark.parametrize(
    ("told", "outcome", "changes", "status"),
    [
        ("", ALIGNED, {}, "True"),
        ("", MISALIGNED, {}, "False"),
        ("", MISALIGNED, {"gated": True}, "False"),
        ("", UNKNOWN, {}, None),
        ("", UNKNOWN, {"gated": True}, None),
        ("", UNKNOWN, {"gated": True, "unknown_is_ready": False}, None),
        ("", UNKNOWN, {"lasting": True}, "Unknown"),
        ("", UNKNOWN, {"lasting": True, "gated": True}, "True"),
        ("", UNKNOWN, {"lasting": True, "gated": True, "unknown_is_ready": False}, "Unknown"),
        ("", ALIGNED, {"settled": False}, None),
        ("", UNKNOWN, {"settled": False, "gated": True}, None),
        ("True", ALIGNED, {}, None),
        ("True", MISALIGNED, {}, None),
        ("True", MISALIGNED, {"lasting": True}, "False"),
        ("True", MISALIGNED, {"lasting": True, "gated": True}, "False"),
        ("True", UNKNOWN, {}, None),
        ("True", UNKNOWN, {"lasting": True}, "Unknown"),
        ("True", UNKNOWN, {"lasting": True, "gated": True}, None),
        ("True", UNKNOWN, {"lasting": True, "gated": True, "unknown_is_ready": False}, None),
        ("False", ALIGNED, {}, "True"),
        ("False", MISALIGNED, {}, None),
        ("False", UNKNOWN, {"lasting": True}, None),
        ("False", UNKNOWN, {"gated": True, "lasting": True}, None),
        ("False", ALIGNED, {"settled": False}, None),
        ("Unknown", ALIGNED, {}, "True"),
        ("Unknown", MISALIGNED, {}, "False"),
        ("Unknown", UNKNOWN, {}, None),
        ("Unknown", UNKNOWN, {"gated": True}, None),
        ("Unknown", UNKNOWN, {"lasting": True, "gated": True}, "True"),
    ],
)
def test_what_is_written_next(told: str, outcome: Outcome, changes: dict[str, bool], status: str | None) -> None:
    found = due(TOLD[told], verdict(outcome), around(**changes))

    assert (found.status if found is not None else None) == status


def test_a_gate_is_opened_by_what_is_not_known_with_a_reason_of_its_own() -> None:
    found = due(None, verdict(UNKNOWN), around(gated=True, lasting=True))

    assert found == Standing("True", "UnknownCountsAsReady", BROKEN)


def test_who_was_promised_nothing_is_told_nothing_unless_it_waits() -> None:
    nothing = PodVerdict("team-a", "llm", "uid", UNKNOWN, (), None)
    found = [due(None, nothing, around(gated=gated)) for gated in (False, True)]

    assert [one.reason if one else None for one in found] == [None, "NothingPromised"]


def test_the_gate_of_a_pod_that_may_yet_be_promised_something_stays_as_it_is() -> None:
    nothing = PodVerdict("team-a", "llm", "uid", UNKNOWN, (), None)

    assert due(None, nothing, around(gated=True, settled=False)) is None


def test_numbers_that_change_are_no_news_but_another_rule_is() -> None:
    told = Standing("False", "Misaligned", BROKEN, "then")
    other = PodVerdict(
        "team-a", "llm", "uid", MISALIGNED, (RuleVerdict("cpu-quota", None, MISALIGNED, "a quota", "", ""),), PROMISE
    )

    assert due(told, verdict(MISALIGNED, reason="2 exclusive CPUs instead of 4"), around()) is None
    found = due(told, other, around())
    assert found is not None
    assert found.message == "cpu-quota: a quota"


def test_another_wording_of_the_same_is_no_news() -> None:
    told = Standing("True", "Aligned", "as an older version said it", "then")

    assert due(told, verdict(ALIGNED), around()) is None


def test_what_a_user_wrote_is_shown_escaped_and_cut() -> None:
    found = due(None, verdict(MISALIGNED, reason="\x1b[2J\n" + "x" * 2000), around())

    assert found is not None
    assert found.message.startswith(r"exclusive-cpus (container server): \x1b[2J\nxxx")
    assert (len(found.message.encode()), found.message[-1]) == (1024, "…")


@pytest.mark.parametrize("before", ["", "a", "ab"])
def test_a_text_is_cut_between_characters_by_what_they_take(before: str) -> None:
    found = due(None, verdict(MISALIGNED, reason=before + "漢" * 2000), around())

    assert found is not None
    assert 1022 <= len(found.message.encode()) <= 1024
    assert found.message.endswith("漢…")


def test_a_text_that_fits_is_whole() -> None:
    head = "exclusive-cpus (container server): "
    found = due(None, verdict(MISALIGNED, reason="x" * (1024 - len(head))), around())

    assert found is not None
    assert found.message == head + "x" * (1024 - len(head))


def test_the_time_of_a_condition_moves_with_its_status_only() -> None:
    told = Standing("False", "Misaligned", BROKEN, "then")
    same = standing.condition(Standing("False", "Misaligned", "cpu-quota: a"), told, instant="now")
    other = standing.condition(Standing("True", "Aligned", "m"), told, instant="now")

    assert [one["lastTransitionTime"] for one in (same, other)] == ["then", "now"]
    assert other == {
        "type": "numagate.io/Aligned",
        "status": "True",
        "reason": "Aligned",
        "message": "m",
        "lastTransitionTime": "now",
    }


def test_a_condition_is_read_as_it_was_written() -> None:
    made = standing.condition(Standing("True", "Aligned", "m"), None, instant="now")
    pod: JsonObject = {"status": {"conditions": [{"type": "Ready", "status": "False"}, dict(made)]}}

    assert standing.read(pod) == Standing("True", "Aligned", "m", "now")
    assert standing.read({"status": {"conditions": None}}) is None


@pytest.mark.parametrize(
    ("gates", "gated"),
    [([{"conditionType": "numagate.io/Aligned"}], True), ([{"conditionType": "other"}], False), (None, False)],
)
def test_a_gate_is_known_by_its_condition(gates: object, gated: bool) -> None:
    assert standing.is_gated({"spec": {"readinessGates": gates}}) is gated
