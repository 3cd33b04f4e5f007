"""When the next snapshot is due, by a clock that the test turns."""

import pytest

from webhook.controller.schedule import Schedule
from webhook.controller.schedule import Urgency


def quiet(*, cost: float = 0.0) -> Schedule:
    """Answer a schedule whose snapshot was written at 100, after a survey that took `cost`."""
    schedule = Schedule()
    assert schedule.begin(100.0)
    schedule.surveyed(100.0, seconds=cost)
    schedule.wrote(100.0)
    return schedule


def test_the_first_snapshot_is_due_at_once_and_looks_at_the_nodes() -> None:
    schedule = Schedule()

    assert (schedule.due < 0, schedule.begin(0.0)) == (True, True)


@pytest.mark.parametrize(
    ("urgency", "due"), [(Urgency.OTHER, 100.2), (Urgency.NODES, 100.5), (Urgency.FREE, 115.0), (None, 160.0)]
)
def test_a_change_is_written_as_soon_as_its_kind_wants(urgency: Urgency | None, due: float) -> None:
    schedule = quiet()
    if urgency:
        schedule.note(urgency)

    assert schedule.due == due


def test_a_namespace_does_not_wait_for_an_expensive_survey_nor_cause_one() -> None:
    schedule = quiet(cost=3.0)
    schedule.note(Urgency.NODES)
    assert schedule.due == 112.0

    schedule.note(Urgency.OTHER)
    assert (schedule.due, schedule.begin(100.2)) == (100.2, False)
    assert schedule.due == 112.0


def test_a_namespace_goes_before_a_survey_that_is_due_too_but_not_twice() -> None:
    schedule = quiet()
    looks: list[bool] = []
    schedule.note(Urgency.NODES)
    for now in (101.0, 101.2, 101.4):
        schedule.note(Urgency.OTHER)
        assert schedule.due <= now
        looks.append(schedule.begin(now))

    assert looks == [False, True, False]


def test_free_capacity_is_taken_along_by_a_survey_for_another_reason() -> None:
    schedule = quiet()
    schedule.note(Urgency.FREE)
    schedule.note(Urgency.NODES)

    assert schedule.begin(101.0)
    schedule.wrote(101.0)
    assert schedule.due == 161.0


def test_a_change_while_a_snapshot_is_made_counts_for_the_next_one() -> None:
    schedule = quiet()
    schedule.note(Urgency.OTHER)
    schedule.begin(101.0)
    schedule.note(Urgency.OTHER)
    schedule.wrote(101.9)

    assert schedule.due == 101.2


def test_an_unchanged_content_is_not_looked_at_before_time() -> None:
    schedule = quiet()
    schedule.note(Urgency.OTHER)
    schedule.begin(101.0)

    assert (schedule.due, schedule.refresh_due(159.9), schedule.refresh_due(160.0)) == (160.0, False, True)


def test_what_could_not_be_written_is_tried_again_in_a_while() -> None:
    schedule = quiet()
    schedule.note(Urgency.OTHER)
    schedule.begin(101.0)
    schedule.failed(101.0)

    assert schedule.due == 103.0
