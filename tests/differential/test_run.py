"""The command behind `make differential`, on a comparison that needs no Go."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from differential import run
from differential.comparison import Found


@dataclass(frozen=True)
class Numbers:
    """Compares numbers with themselves: those below `late` come too late, those in `wrong` differ."""

    wrong: frozenset[int] = frozenset()
    late: int = 0
    name: str = "numbers"
    batch: int = 3

    def compare(self, first: int, count: int) -> Found:
        """Count a batch."""
        asked = range(first, first + count)
        differences: list[Callable[[], str]] = [lambda n=n: f"{n} differs" for n in asked if n in self.wrong]
        odd = sum(number % 2 for number in asked)
        late = sum(1 for number in asked if number < self.late)
        return Found(count, late, Counter(odd=odd, even=count - odd), differences)


def test_every_question_is_asked_once_and_the_progress_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    found = run.compare(Numbers(), 10)

    assert (found.asked, found.outcomes, found.proves) == (10, Counter(odd=5, even=5), True)
    assert capsys.readouterr().out.splitlines()[-1].startswith("numbers: 10 of 10, ")


def test_some_differences_are_printed_and_all_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    found = run.compare(Numbers(frozenset(range(8))), 10)
    told = capsys.readouterr().out

    assert (len(found.differences), found.proves) == (8, False)
    assert told.count("differs") == run.SHOWN
    assert "# numbers, difference 1 of 8:" in told


def test_too_many_answers_that_come_too_late_prove_nothing() -> None:
    assert run.compare(Numbers(late=5), 100).proves
    assert not run.compare(Numbers(late=6), 100).proves


def test_the_figures_are_a_table_for_the_page() -> None:
    part = Numbers()

    assert run.table([(part, 10, run.compare(part, 10)), (part, 20, run.compare(part, 10))], seed=3).splitlines() == [
        "| compared | seed | number | differences | answers |",
        "|---|---|---|---|---|",
        "| numbers | 3 | 10 | 0 | 5 even, 5 odd |",
        "| numbers | 3 | 10 of 20 | 0 | 5 even, 5 odd |",
    ]


def test_figures_say_where_too_much_came_too_late() -> None:
    part = Numbers(late=6)

    assert "numbers: 6 answers came too late, more than 0.5%" in run.table([(part, 9, run.compare(part, 9))], seed=1)
