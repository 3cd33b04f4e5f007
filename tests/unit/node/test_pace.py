"""When to look again; times are numbers, nobody waits."""

import math

import pytest

from webhook.node.pace import Pace


def pace(chance: float = 0.5) -> Pace:
    """Make a pace of 30 seconds and 1 second, whose chance is this number."""
    return Pace(look_seconds=30, soon_seconds=1, chance=lambda: chance)


def test_the_first_look_is_due_at_once() -> None:
    assert pace().due == -math.inf


@pytest.mark.parametrize(("chance", "due"), [(0.0, 124), (0.5, 130), (1.0, 136)])
def test_looks_are_not_in_step(chance: float, due: float) -> None:
    made = pace(chance)
    made.began(100)

    assert made.due == pytest.approx(due)


def test_a_change_is_looked_at_soon_and_many_are_one() -> None:
    made = pace()
    made.began(100)
    made.changed(110)
    made.changed(110.5)

    assert made.due == 111


def test_what_changes_during_a_look_is_for_the_next_one() -> None:
    made = pace()
    made.changed(99)
    made.began(100)
    made.changed(100.2)
    made.ended(101, seconds=0.1)

    assert made.due == 101.4


def test_after_a_long_look_comes_a_long_rest() -> None:
    made = pace()
    made.began(100)
    made.ended(110, seconds=10)
    made.changed(110)

    assert made.due == 150


def test_what_can_be_seen_in_a_while_is_waited_for() -> None:
    made = pace()
    made.began(100)
    made.ended(100, seconds=0, wait=12)

    assert made.due == 112
