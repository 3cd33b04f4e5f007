"""The worker for what takes long."""

import asyncio
import threading
import time
from collections.abc import Iterator

import pytest

from webhook.domain.errors import RequestError
from webhook.web.aside import Aside


@pytest.fixture
def aside() -> Iterator[Aside]:
    """Answer a worker, and end it."""
    made = Aside()
    yield made
    made.close()


def soon(seconds: float = 10.0) -> float:
    """Answer a deadline."""
    return time.perf_counter() + seconds


def test_work_is_done_on_another_thread(aside: Aside) -> None:
    assert asyncio.run(aside.run(threading.get_ident, soon())) != threading.get_ident()


def test_an_error_of_the_work_is_the_callers(aside: Aside) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        asyncio.run(aside.run(fail, soon()))


def test_after_the_deadline_nobody_waits_and_what_was_not_begun_never_is(aside: Aside) -> None:
    release, began = threading.Event(), list[str]()

    def work(name: str) -> None:
        began.append(name)
        release.wait(10)

    async def run() -> list[BaseException | None]:
        waiting = [aside.run(lambda name=name: work(name), soon(0.1)) for name in ("first", "second")]  # type: ignore[misc]
        return await asyncio.gather(*waiting, return_exceptions=True)

    try:
        found = asyncio.run(run())
    finally:
        release.set()
    assert [(type(error), getattr(error, "status", 0)) for error in found] == [(RequestError, 503)] * 2
    assert asyncio.run(aside.run(lambda: list(began), soon())) == ["first"]


def test_who_has_too_much_before_it_is_sent_away(aside: Aside) -> None:
    release = threading.Event()

    async def run() -> RequestError:
        # The average begins at nothing, and each has a twentieth of a say.
        for _ in range(20):
            await aside.run(lambda: release.wait(0.01), soon())
        first = asyncio.create_task(aside.run(lambda: release.wait(10), soon()))
        await asyncio.sleep(0)
        with pytest.raises(RequestError) as caught:
            await aside.run(lambda: None, soon(0.002))
        release.set()
        await first
        return caught.value

    assert asyncio.run(run()).status == 429
