"""The order in which parts of a machine are looked at."""

from kubelets import cells

from webhook.domain import cpuset
from webhook.domain.kubelet.cpu_accumulator import Accumulator
from webhook.domain.kubelet.cpu_topology import discover
from webhook.domain.topology import Cell
from webhook.domain.topology import Core

TWO_SOCKETS = discover(cells(2, 4))


def start(free: str, needed: int) -> Accumulator:
    """Start on two sockets with some free CPUs."""
    return Accumulator(TWO_SOCKETS, cpuset.parse(free), needed, spread=False)


def test_the_numa_node_with_the_fewest_free_cpus_comes_first() -> None:
    assert start("0-15", 1).sorted_cells() == [0, 1]
    assert start("0-3,5,8-11", 1).sorted_cells() == [1, 0]
    assert start("0-3", 1).sorted_cells() == [0]


def test_what_is_taken_is_no_longer_free_or_needed() -> None:
    accumulator = start("0-3", 3)
    accumulator.take(0b11)

    assert (accumulator.result, accumulator.free, accumulator.needed) == (0b11, 0b1100, 1)
    assert not accumulator.satisfied


def test_unknown_cpus_are_never_free() -> None:
    assert start("0-3,99", 1).free == 0b1111


def test_whole_levels_are_taken_only_where_they_are_needed() -> None:
    accumulator = start("0-15", 12)
    accumulator.take_full_levels()

    assert cpuset.format(accumulator.result) == "0-3,8-11"
    assert accumulator.needed == 4


def test_a_cache_is_taken_in_part_only_for_the_whole_rest() -> None:
    caches = discover((Cell(0, 1, tuple(Core((n,), socket=0, uncore=n // 3) for n in range(9))),))
    accumulator = Accumulator(caches, cpuset.parse("0,1,3,4,6,7"), 3, spread=False)
    accumulator.take_uncore_caches()

    assert accumulator.result == 0


def test_what_remains_may_be_too_little() -> None:
    for spread in (False, True):
        accumulator = Accumulator(TWO_SOCKETS, cpuset.parse("1,9,14"), 5, spread=spread)
        accumulator.take_remaining_cpus()

        assert cpuset.format(accumulator.result) == "1,9,14"
        assert accumulator.needed == 2
