"""Keeps what runs and has logs: their last lines go into the report of a failed test."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol
from typing import TypeVar


class _Logging(Protocol):
    def logs(self) -> str: ...


_T = TypeVar("_T", bound=_Logging)
_RUNNING: list[_Logging] = []


@contextmanager
def reported(running: _T) -> Iterator[_T]:
    """Let the logs of something belong to the reports of the tests that fail within a `with` block."""
    _RUNNING.append(running)
    try:
        yield running
    finally:
        _RUNNING.remove(running)


def last_lines() -> Iterator[str]:
    """Yield the last log lines of each."""
    for running in _RUNNING:
        yield running.logs()
