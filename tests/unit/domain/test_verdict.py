"""The verdict as a value: what several outcomes add up to, and its reason."""

import pytest
from builders import INSTANT

from webhook.domain.verdict import NodeVerdict
from webhook.domain.verdict import Outcome
from webhook.domain.verdict import PodVerdict
from webhook.domain.verdict import RuleVerdict
from webhook.domain.verdict import overall
from webhook.domain.verdict import weight

GOOD, BAD, OPEN = Outcome.ALIGNED, Outcome.MISALIGNED, Outcome.UNKNOWN


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [((GOOD, GOOD), GOOD), ((GOOD, OPEN), OPEN), ((OPEN, BAD, GOOD), BAD), ((), OPEN)],
    ids=["all good", "one unknown", "one bad", "no evidence"],
)
def test_the_worst_outcome_counts(outcomes: tuple[Outcome, ...], expected: Outcome) -> None:
    assert overall(outcomes) is expected


def test_the_reason_is_that_of_the_first_rule_with_the_outcome() -> None:
    rules = (
        RuleVerdict("a", "server", OPEN, "nobody knows", "x", "y"),
        RuleVerdict("b", "server", BAD, "it is wrong", "x", "y"),
        RuleVerdict("c", None, BAD, "it is wrong as well", "x", "y"),
    )

    assert PodVerdict("n", "p", "u", BAD, rules, None).reason == "container server: it is wrong"
    assert PodVerdict("n", "p", "u", BAD, rules[2:], None).reason == "it is wrong as well"
    assert PodVerdict("n", "p", "u", OPEN, (), None).reason == "nothing was promised"


def test_a_node_counts_its_pods_by_outcome() -> None:
    pods = tuple(PodVerdict("n", "p", "u", outcome, (), None) for outcome in (GOOD, GOOD, BAD))

    assert [NodeVerdict("a", INSTANT, pods).count(outcome) for outcome in Outcome] == [2, 1, 0]


@pytest.mark.parametrize(
    ("busy", "expected"),
    [
        (None, ""),
        (0.29, "CPU use 29 %: alignment matters little below 30 %"),
        (0.3, "CPU use 30 %: alignment begins to matter"),
        (0.6, "CPU use 60 %: alignment matters clearly above 60 %"),
        (1.5, "CPU use 150 %: alignment matters clearly above 60 %"),
    ],
    ids=str,
)
def test_how_much_it_matters_depends_on_the_use_of_cpus(busy: float | None, expected: str) -> None:
    assert weight(busy) == expected
