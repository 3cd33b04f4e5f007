"""Reads one process of /proc: what its threads may use, and where its memory lies.

Everything is read below one open folder of /proc, which stays that of this process: when it has ended, reading fails,
even where its number is another's by then.
"""

import os
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final

from webhook.domain.observation import ObservedProcess
from webhook.domain.observation import ProcessMemory
from webhook.node.budget import Budget
from webhook.node.patience import NotBegunError
from webhook.node.patience import Patience
from webhook.node.readers import files
from webhook.node.readers import numa_maps
from webhook.node.readers import status
from webhook.node.readers.files import Gaps
from webhook.node.readers.status import Allowed

MAX_THREADS: Final = 4096
"""Threads of one process whose affinities are read."""

_NO_TIME: Final = "there was no time left to read all threads"
_NO_RIGHT: Final = (
    "numa_maps of another user's process may not be read: give the container the capability SYS_PTRACE, and look into "
    "the host's processes (hostPID)"
)
_NO_NUMA: Final = "this kernel has no numa_maps: it is built without NUMA"
_GONE: Final = (ProcessLookupError, FileNotFoundError)
_LOOKS: Final = 64
"""Threads between two looks at the clock."""


@dataclass(frozen=True, slots=True)
class Depth:
    """How far to look into a process: `budget` bounds all of it, `memory_seconds` the reading of its numa_maps.

    Of one that nobody judges it is told that it is there, so that its threads take no time from others.
    """

    budget: Budget
    patience: Patience
    judged: bool = True
    memory_seconds: float = 2.0


def read_process(folder: int, pid: int, depth: Depth) -> ObservedProcess | None:
    """Read the process behind an open folder of /proc; None where it has ended, or is a zombie without memory.

    The CPUs are those that any of its threads may use, since each may have an affinity of its own.
    """
    gaps = Gaps()
    try:
        main = files.read("status", folder=folder)
    except _GONE:
        return None
    except (OSError, ValueError) as error:
        gaps.note("cpus", files.why(error))
        gaps.note("cells", files.why(error))
        return ObservedProcess(pid, "", None, None, None, gaps.unread)
    if status.is_zombie(main):
        return None
    if not depth.judged:
        return ObservedProcess(pid, status.name(main), None, None, None)
    allowed = gaps.take("cpus", partial(_all_threads, folder, pid, main, depth.budget)) or Allowed(None, None)
    for field in ("cpus", "cells"):
        if getattr(allowed, field) is None:
            gaps.note(field, "its status does not say so")
    memory = _memory(folder, depth, gaps)
    if _has_ended(folder):
        return None
    return ObservedProcess(pid, status.name(main), allowed.cpus, allowed.cells, memory, gaps.unread)


def _all_threads(folder: int, pid: int, main: bytes, budget: Budget) -> Allowed:
    """Answer what any thread may use.

    Raises:
        OSError: a thread cannot be read, or the time is spent (TimeoutError).
        ValueError: there are too many, or one has no list where a list should be.
    """
    different = {status.lists(main)}
    if b"\nThreads:\t1\n" not in main:
        different.update(_other_threads(folder, pid, budget))
    found = [status.allowed(text) for text in different]
    return Allowed(_union(one.cpus for one in found), _union(one.cells for one in found))


def _other_threads(folder: int, pid: int, budget: Budget) -> Iterator[bytes]:
    try:
        tasks = os.open("task", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=folder)
    except _GONE:
        return
    try:
        threads = [name for name in files.names(tasks) if name.isdecimal() and name != str(pid)]
        if len(threads) > MAX_THREADS:
            message = f"it has {len(threads)} threads, more than the {MAX_THREADS} that are read"
            raise ValueError(message)
        for number, thread in enumerate(threads):
            if number % _LOOKS == 0 and budget.spent:
                raise TimeoutError(_NO_TIME)
            with suppress(*_GONE):
                yield status.lists(files.read(f"{thread}/status", folder=tasks))
    except ProcessLookupError:  # the process ended before its threads were listed
        return
    finally:
        os.close(tasks)


def _union(sets: Iterable[int | None]) -> int | None:
    """Join sets; one that is not known leaves all unknown."""
    bits = 0
    for one in sets:
        if one is None:
            return None
        bits |= one
    return bits


def _memory(folder: int, depth: Depth, gaps: Gaps) -> ProcessMemory | None:
    if depth.budget.spent:
        gaps.note("memory", "there was no time left to read numa_maps")
        return None
    try:
        return _patiently(folder, depth)
    except PermissionError:
        gaps.note("memory", _NO_RIGHT)
    except FileNotFoundError:
        gaps.note("memory", _NO_NUMA)
    except (OSError, ValueError) as error:
        gaps.note("memory", files.why(error))
    return None


def _has_ended(folder: int) -> bool:
    """Tell whether a process has ended by now: what its numa_maps said then, or did not say, is nobody's memory."""
    try:
        return status.is_zombie(files.read("status", folder=folder))
    except _GONE:
        return True
    except (OSError, ValueError):
        return False


def _patiently(folder: int, depth: Depth) -> ProcessMemory:
    # The folder stays open for whoever is left behind.
    own = os.dup(folder)
    seconds = depth.memory_seconds
    try:
        return depth.patience.call(partial(_numa_maps, own, depth.budget.part(seconds)), seconds)
    except NotBegunError:
        os.close(own)
        raise


def _numa_maps(folder: int, budget: Budget) -> ProcessMemory:
    try:
        descriptor = os.open("numa_maps", os.O_RDONLY | os.O_CLOEXEC, dir_fd=folder)
    finally:
        os.close(folder)
    try:
        return numa_maps.parse(iter(partial(os.read, descriptor, files.MOST), b""), budget)
    finally:
        os.close(descriptor)
