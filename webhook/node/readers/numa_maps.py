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

_WORDS: Final = re.compile(rb" (?:N([0-9]{1,4})=([0-9]{1,18})|anon=([0-9]{1,18})|kernelpagesize_kB=([0-9]{1,9}))\b")
_KINDS: Final = ("huge", "heap", "stack")
_KIND: Final = re.compile(rb" (huge|heap|stack)(?= |$)")
_FILE: Final = b" file="
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
    totals: dict[str, dict[int, int]] = {kind: {} for kind in (*_KINDS, _ANONYMOUS, _FILES)}
    stream = iter(lines)
    while batch := list(islice(stream, _BATCH)):
        for line in batch:
            if b" N" in line:
                _add(totals, line)
        if budget and budget.spent:
            message = "there was no time left to read numa_maps to its end"
            raise TimeoutError(message)
    return ProcessMemory(**{kind: Pages(MappingProxyType(cells)) for kind, cells in totals.items()})


def _add(totals: dict[str, dict[int, int]], line: bytes) -> None:
    cells: dict[int, int] = {}
    size = own = 0
    for cell, pages, anonymous, page in _WORDS.findall(line):
        if cell:
            cells[int(cell)] = cells.get(int(cell), 0) + int(pages)
        elif page:
            size = int(page) * _KIB
        else:
            own = int(anonymous)
    if not cells:
        return
    if not size or max(cells) > MAX_CELL:
        message = f"numa_maps: not understood: {line[:80].decode('ascii', 'backslashreplace').strip()}"
        raise ValueError(message)
    kind = _KIND.search(line)
    if kind:
        _sum(totals[kind[1].decode()], cells, size)
    elif _FILE in line:
        private = _spread(own, cells)
        _sum(totals[_ANONYMOUS], private, size)
        _sum(totals[_FILES], {cell: pages - private[cell] for cell, pages in cells.items()}, size)
    else:
        _sum(totals[_ANONYMOUS], cells, size)


def _sum(total: dict[int, int], cells: dict[int, int], size: int) -> None:
    for cell, pages in cells.items():
        if pages:
            total[cell] = total.get(cell, 0) + pages * size


def _spread(own: int, cells: dict[int, int]) -> dict[int, int]:
    """Share out pages in proportion, whole ones; what rounding leaves goes where most are."""
    everything = sum(cells.values())
    own = min(own, everything)
    found = {cell: own * pages // everything if everything else 0 for cell, pages in cells.items()}
    left = own - sum(found.values())
    for cell in sorted(cells, key=lambda cell: found[cell] - cells[cell]):
        more = min(left, cells[cell] - found[cell])
        found[cell] += more
        left -= more
    return found
