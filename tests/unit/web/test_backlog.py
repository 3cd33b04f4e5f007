"""Who may wait, and who is sent away at once."""

from contextlib import ExitStack

import pytest

from webhook.domain.errors import RequestError
from webhook.web.backlog import MAX_WAITING
from webhook.web.backlog import Backlog


def busy(waiting: int, *, seconds: float, stack: ExitStack) -> Backlog:
    """Answer a backlog where so many wait and each takes so long."""
    backlog = Backlog()
    for _ in range(500):
        backlog.note(seconds)
    for _ in range(waiting):
        stack.enter_context(backlog.place(1e9))
    return backlog


@pytest.mark.parametrize(("seconds_left", "comes_in"), [(2.1, True), (1.9, False)])
def test_what_is_before_a_request_may_take_half_of_its_time(seconds_left: float, *, comes_in: bool) -> None:
    with ExitStack() as stack:
        backlog = busy(10, seconds=0.1, stack=stack)
        if comes_in:
            stack.enter_context(backlog.place(seconds_left))
            assert backlog.waiting == 11
        else:
            with pytest.raises(RequestError) as caught:
                stack.enter_context(backlog.place(seconds_left))
            assert (caught.value.status, caught.value.reason) == (429, "TooManyRequests")

    assert backlog.waiting == 0


def test_there_is_an_end_to_the_queue_however_quick_it_is() -> None:
    with ExitStack() as stack:
        backlog = busy(MAX_WAITING, seconds=0.0, stack=stack)
        with pytest.raises(RequestError):
            stack.enter_context(backlog.place(30.0))


def test_the_average_follows_what_is_seen() -> None:
    backlog = Backlog()

    for _ in range(200):
        backlog.note(1.0)
    assert backlog.seconds == pytest.approx(1.0, abs=0.01)
    for _ in range(200):
        backlog.note(0.1)
    assert backlog.seconds == pytest.approx(0.1, abs=0.01)
