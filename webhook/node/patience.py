"""Waits for a read that may not come back, for so long and no longer.

A read of /proc waits for locks of the process that it is about, and one line of numa_maps may be a walk through
terabytes. Nothing can call such a read back, so it happens in a thread of its own, which is left behind.
"""

import queue
import threading
import weakref
from collections.abc import Callable
from typing import Final
from typing import TypeVar

MOST_BEHIND: Final = 4
"""Reads that are left behind at the same time; when so many have not come back, no more are begun."""

_Task = Callable[[], None]
_T = TypeVar("_T")


class NotBegunError(TimeoutError):
    """The work was not begun, and never will be: what was made for it is the caller's to end."""


class Patience:
    """Keeps count of what was left behind; whoever looks again and again keeps one, in one thread.

    A thread that comes back in time does the next work too: a full node has hundreds of processes to read.
    """

    def __init__(self) -> None:
        self._behind: list[threading.Thread] = []
        self._reader: _Reader | None = None

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
        reader = self._reader = self._reader or _Reader()
        done: queue.SimpleQueue[Callable[[], _T]] = queue.SimpleQueue()
        reader.tasks.put(lambda: _run(work, done))
        try:
            answer = done.get(timeout=seconds)
        except queue.Empty:
            self._reader = None
            self._behind.append(reader.thread)
            reader.end()
            message = f"numa_maps was not read within {seconds:.1f} s: the process is huge, or stuck in the kernel"
            raise TimeoutError(message) from None
        return answer()


class _Reader:
    """A thread that does one task after the other until it is to end, or nobody knows it any more."""

    def __init__(self) -> None:
        self.tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self.thread = threading.Thread(target=_work, args=(self.tasks,), name="reader", daemon=True)
        try:
            self.thread.start()
        except RuntimeError as error:  # the limit of processes (pids.max) is reached
            message = f"no thread could be started to read numa_maps: {error}"
            raise NotBegunError(message) from None
        self.end = weakref.finalize(self, self.tasks.put, None)


def _work(tasks: "queue.SimpleQueue[_Task | None]") -> None:
    while (task := tasks.get()) is not None:
        task()


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
