"""Runs what takes long on one worker thread, so that the event loop and the other requests go on."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from webhook.domain.errors import RequestError
from webhook.web.backlog import Backlog

T = TypeVar("T")


class Aside:
    """A worker that does one thing after the other, with a deadline for each."""

    def __init__(self) -> None:
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="aside")
        self._backlog = Backlog()

    async def run(self, work: Callable[[], T], deadline: float) -> T:
        """Answer what `work` answers; `deadline` is a time of the performance counter.

        Work that nobody waits for any more is not begun; one that was begun cannot be stopped.

        Raises:
            RequestError: 429, there is too much before it; 503, it was not done in time.
        """
        loop = asyncio.get_running_loop()

        def timed() -> T:
            began = time.perf_counter()
            try:
                return work()
            finally:
                loop.call_soon_threadsafe(self._backlog.note, time.perf_counter() - began)

        left = deadline - time.perf_counter()
        with self._backlog.place(left):
            try:
                return await asyncio.wait_for(loop.run_in_executor(self._worker, timed), left)
            except TimeoutError:
                msg = "numagate could not decide within the timeout: try again"
                raise RequestError(msg, status=503, reason="ServiceUnavailable") from None

    def close(self) -> None:
        """Begin nothing more."""
        self._worker.shutdown(wait=False, cancel_futures=True)
