"""A read that does not come back is left behind, and only so many are."""

import threading

import pytest

from webhook.node import patience
from webhook.node.patience import NotBegunError
from webhook.node.patience import Patience


def test_work_is_done_and_its_answer_and_errors_come_through() -> None:
    waiting = Patience()

    def fail() -> int:
        raise PermissionError(13, "denied")

    assert waiting.call(lambda: 5, 60.0) == 5
    with pytest.raises(PermissionError, match="denied"):
        waiting.call(fail, 60.0)


def test_what_takes_too_long_is_left_behind_and_forgotten_when_it_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "MOST_BEHIND", 2)
    waiting, back = Patience(), threading.Event()
    before = threading.enumerate()

    for _ in range(2):
        with pytest.raises(TimeoutError, match=r"was not read within 0\.0 s"):
            waiting.call(back.wait, 0.01)
    with pytest.raises(NotBegunError, match="2 earlier reads of numa_maps have not come back yet"):
        waiting.call(lambda: 5, 60.0)

    back.set()
    for thread in set(threading.enumerate()) - set(before):
        thread.join(10)
    assert waiting.call(lambda: 5, 60.0) == 5


def test_one_thread_does_all_work_that_comes_back_and_ends_with_who_asked() -> None:
    waiting = Patience()

    first, second = (waiting.call(threading.current_thread, 60.0) for _ in range(2))
    assert first is second is not threading.current_thread()

    del waiting
    first.join(60)
    assert not first.is_alive()


def test_where_no_thread_can_be_started_the_work_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: threading.Thread) -> None:
        message = "can't start new thread"
        raise RuntimeError(message)

    monkeypatch.setattr(threading.Thread, "start", full)

    with pytest.raises(NotBegunError, match="no thread could be started to read numa_maps: can't start new thread"):
        Patience().call(lambda: 5, 60.0)
