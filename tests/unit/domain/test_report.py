"""Counts and exit codes of a report."""

from dataclasses import replace

import pytest
from reports import READ_ERROR
from reports import report
from reports import result

from webhook.domain.report import DECISIONS
from webhook.engine.decision import Outcome


def test_every_outcome_of_the_engine_is_a_decision_of_the_report() -> None:
    assert sorted(outcome.value for outcome in Outcome) == sorted(DECISIONS)


def test_decisions_are_counted_and_absent_ones_are_zero() -> None:
    counts = report(result(decision="deny"), result(decision="deny"), result(decision="skip")).counts
    assert counts == {**dict.fromkeys(DECISIONS, 0), "deny": 2, "skip": 1}


@pytest.mark.parametrize(
    ("decision", "code", "strict"),
    [
        ("accept", 0, 0),
        ("skip", 0, 0),
        ("warn", 0, 1),
        ("repair", 1, 1),
        ("deny", 1, 1),
        ("invalid", 1, 1),
        ("unknown", 1, 1),
    ],
)
def test_the_exit_code_follows_from_the_decision(decision: str, code: int, strict: int) -> None:
    judged = report(result(decision="accept"), result(decision=decision))
    assert (judged.exit_code(), judged.exit_code(strict=True)) == (code, strict)


def test_what_could_not_be_read_outweighs_every_decision() -> None:
    assert replace(report(result(decision="deny")), errors=(READ_ERROR,)).exit_code() == 2


def test_nothing_to_judge_is_fine() -> None:
    assert report().exit_code(strict=True) == 0
