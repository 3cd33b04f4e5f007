"""Reads /proc/PID/numa_maps: how many bytes of each kind of memory lie on each NUMA node.

Every line is one mapping: address, policy, then words of which only a few count here. The kernel escapes blanks and
line ends in the names of files, so that no name can look like another word.
"""

import re
from collections.abc import Iterable
from types import MappingProxyType
from typing import Final

from webhook.domain.observation import Pages
from webhook.domain.observation import ProcessMemory
from webhook.node.budget import Budget
from webhook.node.readers.cells import MAX_CELL

_END: Final = re.compile(rb"((?: N[0-9]{1,4}=[0-9]{1,15})+) kernelpagesize_kB=([0-9]{1,9})")
"""How every line with pages ends: how many lie on which NUMA node, and how large each is."""
_PLAIN: Final = re.compile(
    rb"[0-9a-f]+ [^ ]+(?:( file=)[^ ]+| anon=[0-9]+)(?: (?!anon)[a-z]+=[0-9]+)*"
    rb" N([0-9]+)=([0-9]+) (kernelpagesize_kB=[0-9]+)"
)
"""A whole line of anonymous pages, or of a file's that nobody has written to, that all lie on one NUMA node."""
_PLACE: Final = re.compile(rb" N([0-9]+)=([0-9]+)")
_OWN: Final = re.compile(rb" anon=([0-9]{1,15})\b")
_PAGES: Final = b" N"
_FILE: Final = b" file="
_KIND: Final = re.compile(rb" (huge|heap|stack)(?![^ ])")
_ANONYMOUS, _FILES = "anonymous", "files"
_KIB: Final = 1 << 10


def parse(chunks: Iterable[bytes], budget: Budget | None = None) -> ProcessMemory:
    """Add up the pages of all mappings, in the page size of each; a chunk may end anywhere.

    A private mapping of a file has pages of the file and, where it was written to, pages of its own. The kernel gives
    only their number (anon=), not their places: they are spread over the NUMA nodes as all pages of the mapping are.

    Raises:
        ValueError: a line has pages and no page size, or a NUMA node that cannot be.
        TimeoutError: the budget is spent.
    """
    totals: dict[str, dict[int, int]] = {kind: {} for kind in ("huge", "heap", "stack", _ANONYMOUS, _FILES)}
    plain: dict[tuple[bytes | None, bytes, bytes], int] = {}
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        _count(lines, plain, totals)
        # Looked at once a chunk, since one line alone may be the walk through terabytes.
        if budget and budget.spent:
            message = "there was no time left to read numa_maps to its end"
            raise TimeoutError(message)
    _count([rest], plain, totals)
    for (file, cell, size), pages in plain.items():
        for known, amount in _places(b" N%b=%d %b" % (cell, pages, size))[0].items():
            _sum(totals[_FILES if file else _ANONYMOUS], known, amount)
    return ProcessMemory(**{kind: Pages(MappingProxyType(cells)) for kind, cells in totals.items()})


def _count(
    lines: Iterable[bytes], plain: dict[tuple[bytes | None, bytes, bytes], int], totals: dict[str, dict[int, int]]
) -> None:
    """Count the pages of lines: in `plain` by NUMA node and page size as they are written, all others in `totals`.

    A full node has hundreds of thousands of lines, nearly all of them plain: these cost one look each.
    """
    match = _PLAIN.fullmatch
    for line in lines:
        found = match(line)
        if found:
            file, cell, pages, size = found.groups()
            key = file, cell, size
            plain[key] = plain.get(key, 0) + int(pages)
        elif (start := line.find(_PAGES)) > 0:
            _add(totals, line[:start], line[start:])


def _add(totals: dict[str, dict[int, int]], head: bytes, end: bytes) -> None:
    """Count the pages of one line of any kind."""
    cells, size = _places(end)
    kind = _kind(head)
    private = _spread(_own(head), cells, size) if kind == _FILES else {}
    for cell, amount in cells.items():
        _sum(totals[_ANONYMOUS], cell, private.get(cell, 0))
        _sum(totals[kind], cell, amount - private.get(cell, 0))


def _places(end: bytes) -> tuple[dict[int, int], int]:
    """Read the end of a line: bytes by NUMA node, and the size of a page.

    Raises:
        ValueError: it is none.
    """
    found = _END.fullmatch(end)
    size = int(found[2]) * _KIB if found else 0
    cells = {int(cell): int(pages) * size for cell, pages in _PLACE.findall(found[1])} if found else {}
    if size == 0 or max(cells) > MAX_CELL:
        message = f"numa_maps: not understood: {end[:80].decode('ascii', 'backslashreplace').strip()}"
        raise ValueError(message)
    return cells, size


def _kind(head: bytes) -> str:
    found = _KIND.search(head)
    if found:
        return found[1].decode()
    return _FILES if _FILE in head else _ANONYMOUS


def _own(head: bytes) -> int:
    found = _OWN.search(head)
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
