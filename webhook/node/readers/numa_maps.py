"""Reads /proc/PID/numa_maps: how many bytes of each kind of memory lie on each NUMA node.

Every line is one mapping: address, policy, then words of which only a few count here. The kernel escapes blanks and
line ends in the names of files, so that no name can look like another word.
"""

import re
from collections.abc import Iterable
from itertools import islice
from types import MappingProxyType
from typing import Final

from webhook.domain.observation import Pages
from webhook.domain.observation import ProcessMemory
from webhook.node.budget import Budget
from webhook.node.readers.cells import MAX_CELL

_ONE: Final = re.compile(rb" N([0-9]{1,4})=([0-9]{1,15}) kernelpagesize_kB=([0-9]{1,9})\s*")
_MANY: Final = re.compile(rb"((?: N[0-9]{1,4}=[0-9]{1,15})+) kernelpagesize_kB=([0-9]{1,9})\s*")
"""How every line with pages ends: how many lie on which NUMA node, and how large each is. Most have one place."""
_PLACE: Final = re.compile(rb" N([0-9]+)=([0-9]+)")
_OWN: Final = re.compile(rb" anon=([0-9]{1,15})\b")
_PAGES: Final = b" N"
_FILE: Final = b" file="
_WRITTEN: Final = b" anon="
_KIND: Final = re.compile(rb" (huge|heap|stack)\b(?![^ ])")
_ANONYMOUS, _FILES = "anonymous", "files"
_KIB: Final = 1 << 10
_BATCH: Final = 32
"""Lines between two looks at the clock; one line alone may be the walk through terabytes."""


def parse(lines: Iterable[bytes], budget: Budget | None = None) -> ProcessMemory:
    """Add up the pages of all mappings, in the page size of each.

    A private mapping of a file has pages of the file and, where it was written to, pages of its own. The kernel gives
    only their number (anon=), not their places: they are spread over the NUMA nodes as all pages of the mapping are.

    Raises:
        ValueError: a line has pages and no page size, or a NUMA node that cannot be.
        TimeoutError: the budget is spent.
    """
    totals: dict[str, dict[int, int]] = {kind: {} for kind in ("huge", "heap", "stack", _ANONYMOUS, _FILES)}
    stream = iter(lines)
    while batch := list(islice(stream, _BATCH)):
        for line in batch:
            start = line.find(_PAGES)
            if start > 0:
                _add(totals, line, start)
        if budget and budget.spent:
            message = "there was no time left to read numa_maps to its end"
            raise TimeoutError(message)
    return ProcessMemory(**{kind: Pages(MappingProxyType(cells)) for kind, cells in totals.items()})


def _add(totals: dict[str, dict[int, int]], line: bytes, start: int) -> None:
    """Count the pages of a line, whose places begin at `start`."""
    one = _ONE.fullmatch(line, start)
    cell, pages, size = map(int, one.groups()) if one else (0, 0, 0)
    if size == 0 or cell > MAX_CELL:
        _add_several(totals, line, start)
        return
    size *= _KIB
    amount = pages * size
    kind = _kind(line, start)
    if kind == _FILES and line.find(_WRITTEN, 0, start) > 0:
        own = min(_own(line, start) * size, amount)
        _sum(totals[_ANONYMOUS], cell, own)
        amount -= own
    _sum(totals[kind], cell, amount)


def _add_several(totals: dict[str, dict[int, int]], line: bytes, start: int) -> None:
    many = _MANY.fullmatch(line, start)
    size = int(many[2]) * _KIB if many else 0
    cells = {int(cell): int(pages) * size for cell, pages in _PLACE.findall(many[1])} if many else {}
    if size == 0 or max(cells) > MAX_CELL:
        message = f"numa_maps: not understood: {line[start : start + 80].decode('ascii', 'backslashreplace').strip()}"
        raise ValueError(message)
    kind = _kind(line, start)
    private = _spread(_own(line, start), cells, size) if kind == _FILES else {}
    for cell, amount in cells.items():
        _sum(totals[_ANONYMOUS], cell, private.get(cell, 0))
        _sum(totals[kind], cell, amount - private.get(cell, 0))


def _kind(line: bytes, start: int) -> str:
    if line.find(b" h", 0, start) > 0 or line.find(b" s", 0, start) > 0:
        found = _KIND.search(line, 0, start)
        if found:
            return found[1].decode()
    return _FILES if line.find(_FILE, 0, start) > 0 else _ANONYMOUS


def _own(line: bytes, start: int) -> int:
    found = _OWN.search(line, 0, start)
    return int(found[1]) if found else 0


def _sum(total: dict[int, int], cell: int, amount: int) -> None:
    if amount:
        total[cell] = total.get(cell, 0) + amount


def _spread(pages: int, cells: dict[int, int], size: int) -> dict[int, int]:
    """Share out pages in proportion, whole ones; what rounding leaves goes where there is room."""
    everything = sum(cells.values())
    left = own = min(pages * size, everything)
    found: dict[int, int] = {}
    for cell, amount in cells.items():
        found[cell] = own * amount // (everything or 1) // size * size
        left -= found[cell]
    for cell, amount in cells.items():
        more = min(left, amount - found[cell])
        found[cell] += more
        left -= more
    return found
