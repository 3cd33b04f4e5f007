"""The choice of NUMA nodes that share a request."""

from webhook.domain import cpuset
from webhook.domain.kubelet.cpu_accumulator import Accumulator
from webhook.domain.kubelet.cpu_distribution import Choice
from webhook.domain.kubelet.cpu_distribution import choose
from webhook.domain.kubelet.cpu_topology import CpuTopology
from webhook.domain.kubelet.cpu_topology import discover
from webhook.domain.topology import Cell
from webhook.domain.topology import Core


def machine_of(count: int, per_socket: int = 1, cores: int = 4) -> CpuTopology:
    """Make `count` NUMA nodes of `cores` single threads."""
    return discover(
        tuple(
            Cell(c, 1, tuple(Core((c * cores + n,), socket=c // per_socket) for n in range(cores)))
            for c in range(count)
        )
    )


def chosen(topology: CpuTopology, count: int, busy: str = "", group: int = 1, *, align: bool = False) -> Choice | None:
    """Choose NUMA nodes for `count` CPUs."""
    free = topology.cpus & ~cpuset.parse(busy)
    return choose(Accumulator(topology, free, count, spread=False), group, align_by_socket=align)


def test_one_node_is_enough_for_what_fits_there() -> None:
    assert chosen(machine_of(2), 4) == Choice((0,), (), 4)


def test_two_nodes_share_evenly_and_the_rest_goes_round() -> None:
    assert chosen(machine_of(2), 6) == Choice((0, 1), (), 3)
    assert chosen(machine_of(2), 7) == Choice((0, 1), (0, 1), 3)


def test_the_rest_comes_from_the_nodes_that_leave_the_machine_most_even() -> None:
    assert chosen(machine_of(3), 7, busy="8") == Choice((0, 1), (0, 1), 3)
    assert chosen(machine_of(3), 9, busy="8") == Choice((2, 0, 1), (), 3)


def test_without_an_even_spread_there_is_no_choice() -> None:
    assert chosen(machine_of(2), 6, busy="0-2") is None
    assert chosen(machine_of(2), 5, busy="0-2") is None
    assert chosen(machine_of(2), 5, busy="0-2", align=True) == Choice((0, 1), (1,), 1)


def test_nodes_of_one_socket_are_preferred_where_sockets_are_aligned() -> None:
    assert chosen(machine_of(4, per_socket=2), 6, busy="0,1", align=True) == Choice((2, 3), (), 3)
    assert chosen(machine_of(4, per_socket=2), 6, busy="0-1,12", align=True) == Choice((3, 2), (), 3)


def test_the_search_ends_with_a_machine_that_is_even() -> None:
    # The first socket has 2 and 4 free CPUs in its NUMA nodes, the second three times 2.
    shape = discover(
        tuple(Cell(c, 1, tuple(Core((c * 4 + n,), socket=int(c > 1)) for n in range(4))) for c in range(5))
    )

    assert chosen(shape, 2, busy="0-1,8-9,12-13,16-17") == Choice((1,), (), 2)


def test_a_combination_of_more_than_three_nodes_is_overwritten_as_in_the_kubelet() -> None:
    # The best combination is 2, 6, 0, 1; the kubelet's own iteration then writes 5 over its end.
    assert chosen(machine_of(7, per_socket=2, cores=2), 7, busy="6,7", align=True) == Choice(
        (2, 6, 0, 5), (2, 6, 0, 1), 1
    )


def test_nodes_with_as_many_free_cpus_are_another_choice_where_they_share_a_socket() -> None:
    shape = discover(
        tuple(Cell(c, 1, tuple(Core((c * 4 + n,), socket=int(c > 0)) for n in range(4))) for c in range(3))
    )

    assert chosen(shape, 6) == Choice((0, 1), (), 3)
    assert chosen(shape, 6, align=True) == Choice((1, 2), (), 3)
