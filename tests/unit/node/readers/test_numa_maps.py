"""numa_maps: each kind of memory by NUMA node, in the page size of each mapping."""

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webhook.domain.observation import Pages
from webhook.domain.observation import ProcessMemory
from webhook.node.budget import Budget
from webhook.node.readers import numa_maps

KIB = 1 << 10
MIB = 1 << 20
GIB = 1 << 30
NAMES = ("anonymous", "heap", "stack", "huge", "files")


def sums(text: str) -> dict[str, dict[int, int]]:
    """Read the text and answer what is not empty."""
    found = numa_maps.parse(line.encode() + b"\n" for line in text.splitlines())
    return {name: dict(getattr(found, name).by_cell) for name in NAMES if getattr(found, name).by_cell}


def test_every_kind_is_counted_apart() -> None:
    text = """\
00400000 default file=/usr/bin/python3 mapped=10 active=0 N0=4 N1=6 kernelpagesize_kB=4
01800000 default heap anon=100 dirty=100 active=0 N0=90 N1=10 kernelpagesize_kB=4
7f0000000000 default
7f1000000000 bind:0 anon=1000 dirty=1000 active=0 N0=1000 kernelpagesize_kB=4
7f2000000000 prefer (many):0-1 anon=3 N1=3 kernelpagesize_kB=4
7ffc00000000 default stack anon=5 dirty=5 N0=5 kernelpagesize_kB=4
7ffd00000000 default
"""
    assert sums(text) == {
        "anonymous": {0: 4000 * KIB, 1: 12 * KIB},
        "heap": {0: 360 * KIB, 1: 40 * KIB},
        "stack": {0: 20 * KIB},
        "files": {0: 16 * KIB, 1: 24 * KIB},
    }


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("7f00 default file=/dev/hugepages/a huge dirty=3 N1=3 kernelpagesize_kB=2048", {"huge": {1: 6 * MIB}}),
        (r"7f00 default file=/anon_hugepage\040(deleted) huge anon=2 dirty=2 N0=2 kernelpagesize_kB=1048576",
         {"huge": {0: 2 * GIB}}),
        ("7f00 default anon=8 dirty=8 N0=8 kernelpagesize_kB=64", {"anonymous": {0: 512 * KIB}}),
        ("7f00 default file=/h huge dirty=1 N0=1 kernelpagesize_kB=524288", {"huge": {0: 512 * MIB}}),
        # A transparent huge page counts as 512 pages of 4 KiB.
        ("7f00 default anon=512 dirty=512 N1=512 kernelpagesize_kB=4", {"anonymous": {1: 2 * MIB}}),
        ("7f00 default heap anon=1 N12=1 kernelpagesize_kB=4", {"heap": {12: 4 * KIB}}),
    ],
)  # fmt: skip
def test_pages_have_the_size_of_their_mapping(line: str, expected: dict[str, dict[int, int]]) -> None:
    assert sums(line) == expected


def test_pages_of_a_mapped_file_that_were_written_to_are_anonymous() -> None:
    assert sums("7f00 default file=/lib/a.so anon=2 dirty=2 mapped=10 N0=12 kernelpagesize_kB=4") == {
        "anonymous": {0: 8 * KIB},
        "files": {0: 40 * KIB},
    }


def test_they_are_spread_as_all_pages_of_the_mapping_are() -> None:
    assert sums("7f00 default file=/lib/a.so anon=5 mapped=10 N0=7 N1=3 kernelpagesize_kB=4") == {
        "anonymous": {0: 16 * KIB, 1: 4 * KIB},
        "files": {0: 12 * KIB, 1: 8 * KIB},
    }


@pytest.mark.parametrize(
    "name",
    [
        r"/srv/x\040N1=999\040kernelpagesize_kB=4",
        r"/srv/x\040heap\040anon=7",
        r"/srv/\012N1=5",
        "/srv/N1=5",
        "/srv/huge",
        r"/srv/a\040huge",
        "huge",
    ],
)
def test_a_file_may_have_any_name(name: str) -> None:
    assert sums(f"7f00 default file={name} mapped=1 N0=1 kernelpagesize_kB=4") == {"files": {0: 4 * KIB}}


@pytest.mark.parametrize("line", ["7f00 default anon=1 N0=1", "7f00 default anon=1 N5000=1 kernelpagesize_kB=4"])
def test_a_line_that_cannot_be_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="numa_maps: not understood: N"):
        sums(line)


def test_an_empty_text_is_a_process_without_memory() -> None:
    empty = Pages({})

    assert numa_maps.parse([]) == ProcessMemory(empty, empty, empty, empty, empty)


def test_reading_ends_when_the_time_is_spent() -> None:
    clock = itertools.count()
    lines = itertools.repeat(b"7f00 default anon=1 N0=1 kernelpagesize_kB=4\n")

    with pytest.raises(TimeoutError, match="no time left"):
        numa_maps.parse(lines, Budget(100, lambda: next(clock)))


WORDS = st.sampled_from(
    ["default", "bind:0-1", "heap", "stack", "huge", "file=/a", "anon=3", "N0=4", "N1=9", "N0=0", "N1=",
     "kernelpagesize_kB=4", "kernelpagesize_kB=2048", "mapped=1", "N99999999=1", "anon=99999999999999999999"]
)  # fmt: skip


@given(st.lists(st.lists(WORDS, max_size=8).map(" ".join), max_size=6) | st.lists(st.text(max_size=40), max_size=3))
def test_any_text_is_read_or_refused(lines: list[str]) -> None:
    try:
        found = numa_maps.parse(f"{line}\n".encode("utf-8", "replace") for line in lines)
    except ValueError:
        return
    assert all(size > 0 for name in NAMES for size in getattr(found, name).by_cell.values())


@given(st.integers(0, 50), st.dictionaries(st.integers(0, 8), st.integers(0, 40), min_size=1))
def test_no_page_is_lost_or_made_when_they_are_spread(own: int, cells: dict[int, int]) -> None:
    line = f"7f00 default file=/a anon={own} {' '.join(f'N{cell}={pages}' for cell, pages in cells.items())}"
    found = numa_maps.parse([f"{line} kernelpagesize_kB=4".encode()])

    assert found.anonymous.total == min(own, sum(cells.values())) * 4 * KIB
    for cell, pages in cells.items():
        both = found.anonymous.by_cell.get(cell, 0) + found.files.by_cell.get(cell, 0)
        assert both == pages * 4 * KIB


def test_the_maps_of_this_process_are_read_as_its_status_counts_them() -> None:
    path = Path("/proc/self/numa_maps")
    status = Path("/proc/self/status").read_text("utf-8")

    with path.open("rb") as lines:
        found = numa_maps.parse(lines)

    resident = int(status.split("RssAnon:")[1].split()[0]) * KIB
    anonymous = found.anonymous.total + found.heap.total + found.stack.total
    assert abs(anonymous - resident) < resident // 4 + MIB
