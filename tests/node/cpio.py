"""Writes archives in the cpio format "newc", which a kernel unpacks as its first file system."""

import stat
from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass

END = "TRAILER!!!"


@dataclass(frozen=True, slots=True)
class Entry:
    """A file: its bytes and its permissions."""

    data: bytes
    mode: int = 0o644


def archive(files: Mapping[str, Entry], folders: Iterable[str] = ()) -> bytes:
    """Write files by their paths, after the folders above them and `folders`, which are empty.

    >>> archive({"a/b": Entry(b"text")})[:6], len(archive({})) % 4
    (b'070701', 0)
    """
    above = (path.split("/")[:depth] for path in files for depth in range(1, path.count("/") + 1))
    every = dict.fromkeys([*map("/".join, above), *folders])
    written = [_member(number, path, stat.S_IFDIR | 0o755, b"") for number, path in enumerate(every, 1)]
    for number, (path, entry) in enumerate(files.items(), len(every) + 1):
        written.append(_member(number, path, stat.S_IFREG | entry.mode, entry.data))
    return b"".join([*written, _member(0, END, 0, b"")])


def _member(number: int, path: str, mode: int, data: bytes) -> bytes:
    name = path.encode() + b"\0"
    links = 1
    # inode, mode, owner, group, links, time, size, four numbers of devices, length of the name, no checksum
    fields = (number, mode, 0, 0, links, 0, len(data), 0, 0, 0, 0, len(name), 0)
    header = b"070701" + b"".join(b"%08X" % field for field in fields)
    return _padded(header + name) + _padded(data)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
