"""Which CPUs are taken: packed, by cache, spread over cores, spread over NUMA nodes."""

from dataclasses import replace

import pytest
from kubelets import cells

from webhook.domain import cpuset
from webhook.domain.kubelet.cpu_assignment import NotEnoughCpusError
from webhook.domain.kubelet.cpu_assignment import take
from webhook.domain.kubelet.cpu_topology import CpuTopology
from webhook.domain.kubelet.cpu_topology import discover
from webhook.domain.kubelet.options import CpuOptions
from webhook.domain.kubelet.refusal import RefusedError
from webhook.domain.topology import Cell
from webhook.domain.topology import Core

TWO_SOCKETS = discover(cells(2, 4))
"""NUMA node 0: CPUs 0-3 and 8-11; node 1: 4-7 and 12-15."""

ONE_SOCKET = discover(
    tuple(Cell(c, 1, tuple(Core((c * 4 + n, 16 + c * 4 + n), socket=c // 2) for n in range(4))) for c in range(4))
)
"""Two sockets of two NUMA nodes each: CPUs 0-3 and 16-19, 4-7 and 20-23, …"""

CACHES = discover((Cell(0, 1, tuple(Core((n, n + 8), socket=0, uncore=n // 2) for n in range(8))),))
"""One NUMA node of four L3 caches with two cores each: CPUs 0,1,8,9 and 2,3,10,11 and …"""

HYBRID = discover((Cell(0, 1, (Core((0, 1), 0), Core((2, 3), 0), Core((4,), 0), Core((5,), 0), Core((6,), 0))),))
"""Cores of two and of one thread: with the average of one, a core with one free thread passes for free."""

PACKED = CpuOptions()
BY_CACHE = CpuOptions(uncore_cache=True)
OVER_CORES = CpuOptions(across_cores=True)
OVER_NUMA = CpuOptions(across_numa=True)
OVER_NUMA_IN_CORES = CpuOptions(across_numa=True, full_pcpus_only=True)
OVER_NUMA_IN_SOCKET = CpuOptions(across_numa=True, align_by_socket=True)


def taken(topology: CpuTopology, available: str, count: int, options: CpuOptions = PACKED) -> str:
    """Take CPUs and write them as a list."""
    return cpuset.format(take(topology, cpuset.parse(available), count, options))


@pytest.mark.parametrize(
    ("topology", "available", "count", "expected"),
    [
        (TWO_SOCKETS, "0-15", 0, ""),
        (TWO_SOCKETS, "0-15", 1, "0"),
        (TWO_SOCKETS, "0-15", 3, "0-1,8"),
        (TWO_SOCKETS, "0-15", 8, "0-3,8-11"),
        (TWO_SOCKETS, "0-15", 10, "0-4,8-12"),
        (TWO_SOCKETS, "1-7,9-15", 4, "1-2,9-10"),
        (TWO_SOCKETS, "1-7,9-15", 8, "4-7,12-15"),
        (TWO_SOCKETS, "0-7", 2, "0-1"),
        (TWO_SOCKETS, "1-3,5-7,9-15", 1, "1"),
        (TWO_SOCKETS, "0-15", 16, "0-15"),
        (ONE_SOCKET, "0-31", 16, "0-7,16-23"),
        (ONE_SOCKET, "0-31", 8, "0-3,16-19"),
        (ONE_SOCKET, "1-31", 10, "1,4-7,17,20-23"),
        (HYBRID, "0-6", 2, "4-5"),
        (HYBRID, "1-6", 3, "0-1,4"),
    ],
)
def test_packed_cpus_fill_whole_parts_first(topology: CpuTopology, available: str, count: int, expected: str) -> None:
    assert taken(topology, available, count) == expected


@pytest.mark.parametrize(
    ("available", "count", "expected"),
    [
        ("0-15", 4, "0-1,8-9"),
        ("1-15", 4, "2-3,10-11"),
        ("0-15", 6, "0-2,8-10"),
        ("1-15", 3, "1,8-9"),
        ("1-7,9-15", 1, "1"),
        ("1,3,5,7,9,11,13,15", 3, "1,3,9"),
    ],
)
def test_caches_are_filled_before_cores(available: str, count: int, expected: str) -> None:
    assert taken(CACHES, available, count, BY_CACHE) == expected


def test_spread_over_cores_takes_first_threads_first() -> None:
    assert taken(TWO_SOCKETS, "0-15", 4, OVER_CORES) == "0-3"
    assert taken(TWO_SOCKETS, "0-15", 6, OVER_CORES) == "0-3,8-9"


@pytest.mark.parametrize(
    ("available", "count", "options", "expected"),
    [
        ("0-31", 8, OVER_NUMA, "0-3,16-19"),
        ("0-31", 10, OVER_NUMA, "0-2,4-6,16-17,20-21"),
        ("0-31", 12, OVER_NUMA, "0-2,4-6,16-18,20-22"),
        ("0-31", 11, OVER_NUMA, "0-2,4-6,16-18,20-21"),
        ("0-31", 11, OVER_NUMA_IN_CORES, "0-5,16-20"),
        ("0-31", 18, OVER_NUMA_IN_CORES, "0-2,4-6,8-10,16-18,20-22,24-26"),
        ("0-31", 14, OVER_NUMA_IN_CORES, "0-3,4-6,16-19,20-22"),
        ("1-31", 31, OVER_NUMA, "1-31"),
        ("0,4-31", 29, OVER_NUMA, "0,4-31"),
        ("0-31", 0, OVER_NUMA, ""),
        ("0-1,4-5,8-15,24-31", 12, OVER_NUMA_IN_SOCKET, "8-10,12-14,24-26,28-30"),
    ],
)
def test_a_request_is_shared_evenly_by_numa_nodes(
    available: str, count: int, options: CpuOptions, expected: str
) -> None:
    assert taken(ONE_SOCKET, available, count, options) == cpuset.format(cpuset.parse(expected))


def test_too_few_cpus_are_an_error_in_the_kubelets_words() -> None:
    for options in (PACKED, OVER_NUMA):
        with pytest.raises(NotEnoughCpusError, match="requested=20, available=16"):
            take(TWO_SOCKETS, cpuset.parse("0-15"), 20, options)


def test_a_kubelet_that_would_search_for_ever_is_a_panic() -> None:
    busy = cpuset.parse("0-2,4,8,12")

    with pytest.raises(RefusedError, match="never ends"):
        take(ONE_SOCKET, ONE_SOCKET.cpus & ~busy, 22, OVER_NUMA_IN_CORES)


def test_older_versions_spread_without_a_view_to_sockets() -> None:
    available, older = "0-1,4-5,8-15,24-31", replace(OVER_NUMA_IN_SOCKET, spread_within_sockets=False)

    assert taken(ONE_SOCKET, available, 12, OVER_NUMA_IN_SOCKET) == "8-10,12-14,24-26,28-30"
    assert taken(ONE_SOCKET, available, 12, older) == taken(ONE_SOCKET, available, 12, OVER_NUMA)


def test_a_numa_node_with_too_little_is_an_accounting_error_in_older_versions_and_endless_in_newer_ones() -> None:
    """The best combination is 0, 1, 2, 3; the kubelet's own iteration then writes 4 over its end."""
    topology = discover(
        tuple(Cell(c, 1, tuple(Core((c * 5 + n,), socket=int(c > 3)) for n in range(5))) for c in range(24))
    )
    free = ",".join(["0-19", *(str(c * 5) for c in range(4, 24))])

    with pytest.raises(NotEnoughCpusError, match="accounting error, not enough CPUs allocated, remaining: 4"):
        taken(topology, free, 16, replace(OVER_NUMA, spread_within_sockets=False))
    with pytest.raises(RefusedError, match="never ends"):
        taken(topology, free, 16, OVER_NUMA)
