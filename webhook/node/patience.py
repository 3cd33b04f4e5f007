"""Waits for a read that may not come back, for so long and no longer.

A read of /proc waits for locks of the process that it is about, and one line of numa_maps may be a walk through
terabytes. Nothing can call such a read back, so it happens in a thread of its own, which is left behind.
"""

import queue
import threading
from collections.abc import Callable
from typing import Final
from typing import TypeVar

MOST_BEHIND: Final = 4
"""Reads that are left behind at the same time; when so many have not come back, no more are begun."""

_T = TypeVar("_T")


class NotBegunError(TimeoutError):
    """The work was not begun, and never will be: what was made for it is the caller's to end."""


class Patience:
    """Keeps count of what was left behind; whoever looks again and again keeps one."""

    def __init__(self) -> None:
        self._behind: list[threading.Thread] = []

    def call(self, work: Callable[[], _T], seconds: float) -> _T:
        """Do `work`, and answer or raise what it does.

        Raises:
            NotBegunError: too many others are still not back, or no thread can be started.
            TimeoutError: it took longer than `seconds`.
        """
        self._behind = [thread for thread in self._behind if thread.is_alive()]
        if len(self._behind) >= MOST_BEHIND:
            message = f"{len(self._behind)} earlier reads of numa_maps have not come back yet"
            raise NotBegunError(message)
        done: queue.SimpleQueue[Callable[[], _T]] = queue.SimpleQueue()
        thread = threading.Thread(target=_run, args=(work, done), name="reader", daemon=True)
        try:
            thread.start()
        except RuntimeError as error:  # the limit of processes (pids.max) is reached
            message = f"no thread could be started to read numa_maps: {error}"
            raise NotBegunError(message) from None
        try:
            answer = done.get(timeout=seconds)
        except queue.Empty:
            self._behind.append(thread)
            message = f"numa_maps was not read within {seconds:.1f} s: the process is huge, or stuck in the kernel"
            raise TimeoutError(message) from None
        return answer()


def _run(work: Callable[[], _T], done: queue.SimpleQueue[Callable[[], _T]]) -> None:
    try:
        found = work()
    except Exception as error:  # noqa: BLE001 - nothing is hidden: who waits raises it
        failure = error
        done.put(lambda: _raise(failure))
    else:
        done.put(lambda: found)


def _raise(error: Exception) -> _T:  # type: ignore[type-var] # stands for an answer of any type
    raise error
