"""The CPU manager's view of a machine."""

from dataclasses import replace

from kubelets import cells

from webhook.domain.kubelet.cpu_topology import discover
from webhook.domain.topology import Cell
from webhook.domain.topology import Core


def test_cpus_are_grouped_by_core_socket_and_numa_node() -> None:
    topology = discover(cells(2, 2))

    assert topology.cpus == 0xFF
    assert topology.cores == {0: 0x11, 1: 0x22, 2: 0x44, 3: 0x88}
    assert topology.cells == topology.sockets == topology.uncores == {0: 0x33, 1: 0xCC}
    assert topology.cores_in_cell == {0: {0: 0x11, 1: 0x22}, 1: {2: 0x44, 3: 0x88}}
    assert (topology.cpus_per_core, topology.cpus_per_socket, topology.cpus_per_uncore) == (2, 4, 4)


def test_a_core_is_named_after_its_lowest_thread() -> None:
    assert discover((Cell(0, 1, (Core((9, 5), 0),)),)).cores == {5: 0x220}


def test_a_numa_node_without_cpus_does_not_exist() -> None:
    first, second = cells(2, 2)

    assert discover((first, replace(second, cores=()))).cells == {0: 0x33}


def test_numbers_per_part_are_whole_averages() -> None:
    hybrid = Cell(0, 1, (Core((0, 1), 0), Core((2,), 0), Core((3,), 1, uncore=7)))

    topology = discover((hybrid,))

    assert (topology.cpus_per_core, topology.cpus_per_socket, topology.cpus_per_uncore) == (1, 2, 2)
    assert topology.uncores == {0: 0b0111, 7: 0b1000}


def test_a_machine_without_cpus_divides_nothing_by_zero() -> None:
    topology = discover((Cell(0, 1),))

    assert (topology.cpus_per_core, topology.cpus_per_socket, topology.cpus_per_uncore) == (0, 0, 0)


def test_numa_nodes_come_first_unless_sockets_hold_several() -> None:
    one_socket = tuple(replace(cell, cores=tuple(replace(c, socket=0) for c in cell.cores)) for cell in cells(2, 2))

    assert discover(cells(2, 2)).numa_first
    assert not discover(one_socket).numa_first


def test_siblings_and_cells_of_a_set_are_found() -> None:
    topology = discover(cells(2, 2))

    assert topology.siblings(0b0000_1001) == 0b1001_1001
    assert topology.cells_of(0b0000_1001) == (0, 1)
