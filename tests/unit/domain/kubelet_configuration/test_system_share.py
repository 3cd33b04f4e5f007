"""What a machine spares for the system: whole cores in turns, and equal parts of memory."""

import pytest
from kubelets import GIB
from kubelets import MIB
from kubelets import cells

from webhook.domain import cpuset
from webhook.domain.kubelet_configuration.system_share import system_cpus
from webhook.domain.kubelet_configuration.system_share import system_memory
from webhook.domain.topology import Cell


@pytest.mark.parametrize(
    ("number", "expected"),
    [(None, "0,4,8,12"), (1, "0,4,8,12"), (4, "0,4,8,12"), (5, "0-1,4,8-9,12"), (99, "0-15")],
)
def test_cores_are_taken_whole_and_from_each_numa_node_in_turn(number: int | None, expected: str) -> None:
    assert cpuset.format(system_cpus(cells(), number)) == expected


def test_a_single_numa_node_gives_two_cores() -> None:
    assert cpuset.format(system_cpus(cells(1))) == "0-1,4-5"


def test_a_single_core_is_all_there_is() -> None:
    assert cpuset.format(system_cpus(cells(1, cores=1, smt=1))) == "0"


def test_memory_is_shared_in_whole_mebibytes_and_the_rest_goes_to_the_first() -> None:
    assert system_memory(cells(3), 100 * MIB + 1) == {0: 34 * MIB + 1, 1: 33 * MIB, 2: 33 * MIB}


@pytest.mark.parametrize(("memory", "expected"), [(32 * GIB, 2 * GIB), (1024 * GIB, 16 * GIB)])
def test_a_sixteenth_of_the_smallest_numa_node_is_enough_and_16_gib_is_most(memory: int, expected: int) -> None:
    small, large = cells(1, memory=memory)[0], Cell(1, 2 * memory, cells(2)[1].cores)

    assert system_memory((small, large)) == {0: expected, 1: expected}


def test_numa_nodes_without_cpus_are_asked_only_where_no_other_has_memory() -> None:
    device = Cell(1, 32 * GIB)

    assert system_memory((*cells(1), device), GIB) == {0: GIB}
    assert system_memory((device,), GIB) == {1: GIB}
