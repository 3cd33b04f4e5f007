"""Reads small files of the kernel in one go, and keeps why one could not be read."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final
from typing import TypeVar

from webhook.domain import cpuset
from webhook.domain.observation import Unread
from webhook.domain.visible import visible

MOST: Final = 1 << 16
"""Bytes of a file; no text of the kernel that is read here whole is longer."""
_LONGEST_REASON: Final = 512

_T = TypeVar("_T")


def read(path: str | Path, *, folder: int | None = None, most: int = MOST) -> bytes:
    """Read a file, whose path may start at an open folder.

    Raises:
        OSError: it cannot be read.
        ValueError: it is longer than `most`.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC, dir_fd=folder)
    try:
        data = os.read(descriptor, most + 1)
        # A file of /proc may give less at once than there is.
        while data and (more := os.read(descriptor, most + 1)):
            data += more
            if len(data) > most:
                break
    except OSError as error:
        error.filename = str(path)  # a descriptor has no name
        raise
    finally:
        os.close(descriptor)
    if len(data) > most:
        message = f"{path} is longer than {most} bytes"
        raise ValueError(message)
    return data


def text(path: str | Path, *, folder: int | None = None) -> str:
    """Read a file as text without the blanks around it; what is no UTF-8 is written as an escape.

    Raises:
        OSError: it cannot be read.
        ValueError: it is too long.
    """
    return read(path, folder=folder).decode("utf-8", "backslashreplace").strip()


def number(path: str | Path, *, folder: int | None = None) -> int:
    """Read a file that is one whole number.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no number of a sane length.
    """
    found = text(path, folder=folder)
    if not found.removeprefix("-").isdecimal() or len(found) > 20:  # noqa: PLR2004 - digits of 64 bits
        message = f"{path} is no number: {found[:32]!a}"
        raise ValueError(message)
    return int(found)


def id_set(path: str | Path) -> int:
    """Read a list of CPUs or NUMA nodes as a bit set.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no such list.
    """
    found = text(path)
    try:
        return cpuset.parse(found)
    except ValueError as error:
        message = f"{path}: {error}"
        raise ValueError(message) from None


def names(folder: str | Path | int) -> list[str]:
    """Answer the names in a folder, or in an open one.

    Raises:
        OSError: it cannot be listed.
    """
    return os.listdir(folder)  # noqa: PTH208 - an open folder has no path


def why(error: Exception) -> str:
    """Answer in one line why something could not be read; whatever comes from there is shown escaped."""
    if isinstance(error, OSError) and error.strerror:
        found = f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    else:
        found = str(error)
    return visible(found)[:_LONGEST_REASON]


class Gaps:
    """Reads one thing after the other; what cannot be read is noted, and the rest goes on."""

    def __init__(self) -> None:
        self._unread: dict[str, str] = {}

    def take(self, field: str, reader: Callable[[], _T]) -> _T | None:
        """Answer what `reader` does, or None, with the reason noted for `field`."""
        try:
            return reader()
        except (OSError, ValueError) as error:
            self.note(field, why(error))
            return None

    def note(self, field: str, reason: str) -> None:
        """Note why a field is unread; its first reason is kept."""
        self._unread.setdefault(field, reason)

    def reason(self, field: str) -> str:
        """Answer why a field is unread, or ""."""
        return self._unread.get(field, "")

    @property
    def unread(self) -> tuple[Unread, ...]:
        """Everything that was noted."""
        return tuple(Unread(field, reason) for field, reason in self._unread.items())
