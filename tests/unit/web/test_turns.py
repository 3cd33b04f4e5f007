"""Turns on the event loop: everybody gets one, and the loop goes round meanwhile."""

import asyncio
import time

import pytest

from webhook.domain.errors import RequestError
from webhook.web.turns import SLICE_SECONDS
from webhook.web.turns import Turns


def compute(seconds: float) -> None:
    """Hold the event loop for so long."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


async def decide(turns: Turns, done: list[str], name: str, *, seconds: float = SLICE_SECONDS) -> None:
    """Take a turn and compute."""
    await turns.take(time.perf_counter() + 30)
    compute(seconds)
    done.append(name)


def test_without_a_queue_nobody_waits() -> None:
    async def run() -> list[str]:
        turns, done = Turns(), list[str]()
        # A coroutine that never waits ends in its first step.
        with pytest.raises(StopIteration):
            decide(turns, done, "one", seconds=0.0).send(None)
        with pytest.raises(StopIteration):
            decide(turns, done, "two", seconds=0.0).send(None)
        return done

    assert asyncio.run(run()) == ["one", "two"]


def test_turns_are_given_in_the_order_of_arrival_and_others_run_between_them() -> None:
    async def run() -> list[str]:
        turns, done = Turns(), list[str]()
        work = [asyncio.create_task(decide(turns, done, f"{number}")) for number in range(5)]

        async def other() -> None:
            while len(done) < 2:  # noqa: ASYNC110  # a round of the loop is what is waited for
                await asyncio.sleep(0)
            done.append("other")

        await asyncio.gather(*work, other())
        return done

    done = asyncio.run(run())
    assert [name for name in done if name != "other"] == ["0", "1", "2", "3", "4"]
    assert done.index("other") < 5


def test_who_would_be_answered_too_late_is_sent_away_before_the_others_are_done() -> None:
    async def run() -> tuple[list[str], int]:
        turns, done = Turns(), list[str]()
        turns.backlog.seconds = 1.0
        work = [asyncio.create_task(decide(turns, done, f"{number}")) for number in range(3)]
        await asyncio.sleep(0)
        with pytest.raises(RequestError):
            await turns.take(time.perf_counter() + 1.0)
        before = len(done)
        await asyncio.gather(*work)
        return done, before

    done, before = asyncio.run(run())
    assert (len(done), before) == (3, 1)


def test_who_waited_until_it_was_too_late_gets_no_turn() -> None:
    async def run() -> None:
        turns = Turns()
        first = asyncio.create_task(decide(turns, [], "first", seconds=2 * SLICE_SECONDS))
        await asyncio.sleep(0)
        with pytest.raises(RequestError):
            await turns.take(time.perf_counter())
        await first

    asyncio.run(run())


def test_the_time_of_a_turn_is_known_after_a_queue() -> None:
    async def run() -> float:
        turns, done = Turns(), list[str]()
        await asyncio.gather(*(decide(turns, done, f"{number}") for number in range(10)))
        assert turns.backlog.waiting == 0
        return turns.backlog.seconds

    assert asyncio.run(run()) > 0
