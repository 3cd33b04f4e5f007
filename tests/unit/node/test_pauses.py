"""What could not be written is left alone, for longer each time."""

import pytest

from webhook.node.pauses import Pauses


class Clock:
    """A clock that a test moves."""

    now = 100.0

    def __call__(self) -> float:
        """Answer the time."""
        return self.now


@pytest.mark.parametrize(("times", "seconds"), [(0, 0), (1, 0), (2, 1), (3, 2), (10, 256), (11, 300), (99, 300)])
def test_each_pause_is_twice_as_long_from_the_second_failure_on(times: int, seconds: float) -> None:
    clock = Clock()
    pauses = Pauses(clock)
    for _ in range(times):
        pauses.failed("a")
    held = []
    for after in (0.0, max(seconds - 0.1, 0.0), seconds):
        clock.now = 100.0 + after
        held.append(pauses.holds("a"))

    assert held == [times > 1, times > 1, False]


def test_what_is_written_is_held_up_no_more_and_nothing_else_is() -> None:
    pauses = Pauses(Clock())
    for _ in range(2):
        pauses.failed("a")
        pauses.failed("b")
    other = pauses.holds("c")
    pauses.wrote("a")
    pauses.failed("a")

    assert (other, pauses.holds("a"), pauses.holds("b")) == (False, False, True)


def test_what_is_gone_is_forgotten() -> None:
    pauses = Pauses(Clock())
    for _ in range(2):
        pauses.failed("a")
    pauses.keep({"b"})

    assert not pauses.holds("a")
