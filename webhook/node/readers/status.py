"""Reads /proc/PID/status: what a thread is called, and which CPUs and memory nodes it may use."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from webhook.domain import cpuset
from webhook.domain.visible import visible

_NAME: Final = re.compile(rb"^Name:\t(.*)$", re.MULTILINE)
_CPUS: Final = re.compile(rb"^Cpus_allowed_list:\t([0-9,-]*)$", re.MULTILINE)
_CELLS: Final = re.compile(rb"^Mems_allowed_list:\t([0-9,-]*)$", re.MULTILINE)
_STATE: Final = re.compile(rb"^State:\t(\w)", re.MULTILINE)
_LONGEST_NAME: Final = 64


@dataclass(frozen=True, slots=True)
class Allowed:
    """What one thread may use, as bit sets; None where its kernel does not say."""

    cpus: int | None
    cells: int | None


def allowed(status: bytes) -> Allowed:
    """Read the two lists.

    Raises:
        ValueError: one of them is no list.
    """
    return Allowed(_last(_CPUS, status), _last(_CELLS, status))


def lists(status: bytes) -> bytes:
    """Cut out the lines from which `allowed` reads; most threads of a process have the same."""
    start = status.rfind(b"\nCpus_allowed:")
    end = status.find(b"\nvoluntary_ctxt_switches", start)
    return status[start + 1 : end] if 0 <= start < end else status


def name(status: bytes) -> str:
    """Answer the name of the thread, which it may choose freely, without anything that a terminal would obey."""
    found = _NAME.search(status)
    return visible(found[1].decode("utf-8", "backslashreplace"))[:_LONGEST_NAME] if found else ""


def is_zombie(status: bytes) -> bool:
    """Tell whether it has ended and only its parent has not asked yet."""
    return _STATE.findall(status)[-1:] == [b"Z"]


def _last(pattern: re.Pattern[bytes], status: bytes) -> int | None:
    """Read the last such line: the name, which comes first, cannot pass for it, however it is written."""
    found = pattern.findall(status)
    return _parse(found[-1]) if found else None


@lru_cache(maxsize=1024)
def _parse(text: bytes) -> int:
    return cpuset.parse(text.decode("ascii"))
