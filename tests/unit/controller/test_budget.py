"""How often the same thing is written over what somebody else wrote."""

from webhook.controller.budget import ALL
from webhook.controller.budget import HOUR
from webhook.controller.budget import SAME
from webhook.controller.budget import Budget


def spent(*contents: str) -> Budget:
    budget = Budget()
    for content in contents:
        assert budget.allows(content, 0.0)
        budget.note(content, 0.0)
    return budget


def test_one_content_is_written_a_few_times_an_hour() -> None:
    budget = spent(*["a"] * SAME)

    assert [budget.allows("a", now) for now in (1.0, HOUR - 1, HOUR)] == [False, False, True]


def test_another_content_is_not_held_up_by_it() -> None:
    assert spent(*["a"] * SAME).allows("b", 1.0)


def test_all_contents_together_are_bounded_too() -> None:
    budget = spent(*map(str, range(ALL)))

    assert [budget.allows("new", now) for now in (1.0, HOUR)] == [False, True]
