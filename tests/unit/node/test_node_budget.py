"""The time that a pass may take."""

from webhook.node.budget import Budget


def test_a_budget_is_spent_when_its_end_has_come() -> None:
    now = [10.0]
    budget = Budget.of(5.0, lambda: now[0])

    assert not budget.spent
    now[0] = 15.0
    assert budget.spent


def test_a_part_ends_with_the_whole_at_the_latest() -> None:
    budget = Budget.of(5.0, lambda: 10.0)

    assert (budget.part(2.0).end, budget.part(60.0).end) == (12.0, 15.0)


def test_a_real_budget_has_time_left() -> None:
    assert not Budget.of(3600.0).spent
