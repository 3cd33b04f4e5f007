"""What the memory manager counts on each NUMA node."""

from dataclasses import replace

import pytest
from kubelets import GIB
from kubelets import MIB
from kubelets import cells

from webhook.domain.kubelet import memory_table


def test_huge_pages_and_reservations_are_not_memory() -> None:
    paged = cells(hugepages={"2Mi": 512, "1Gi": 2})
    found = memory_table.table(paged, {0: {"memory": GIB, "hugepages-2Mi": 64 * MIB}})

    assert found.cells == (0, 1)
    assert found.overdrawn is None
    assert found.allocatable == {
        "memory": {0: 28 * GIB, 1: 29 * GIB},
        "hugepages-2Mi": {0: GIB - 64 * MIB, 1: GIB},
        "hugepages-1Gi": {0: 2 * GIB, 1: 2 * GIB},
    }


def test_page_sizes_are_named_canonically() -> None:
    (cell,) = cells(1, hugepages={"2048Ki": 1, "2Mi": 2})

    assert memory_table.hugepage_bytes(cell) == {"hugepages-2Mi": 6 * MIB}


def test_a_node_has_a_row_only_for_the_page_sizes_it_lists() -> None:
    first, second = cells(hugepages={"2Mi": 0})

    found = memory_table.table((first, replace(second, hugepages={})), {})
    assert found.allocatable["hugepages-2Mi"] == {0: 0}


@pytest.mark.parametrize("held", [{"memory": 33 * GIB}, {"hugepages-2Mi": 3 * MIB}])
def test_more_reserved_than_there_is_is_noticed(held: dict[str, int]) -> None:
    assert memory_table.table(cells(hugepages={"2Mi": 1}), {1: held}).overdrawn == 1


@pytest.mark.parametrize(("resource", "expected"), [("memory", True), ("hugepages-1Gi", True), ("cpu", False)])
def test_memory_is_told_from_other_resources(resource: str, *, expected: bool) -> None:
    assert memory_table.is_memory(resource) == expected
