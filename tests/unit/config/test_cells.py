"""The NUMA nodes of a profile."""

import pytest

from webhook.config.cells import to_cells
from webhook.config.document import read_stream
from webhook.domain.errors import PolicyError
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.topology import Cell
from webhook.domain.topology import Core


def cells(*lines: str) -> tuple[Cell, ...]:
    """Read cells from one line of YAML each."""
    text = "spec:\n  numa:\n" + "".join(f"  - {line}\n" for line in lines)
    (document,) = read_stream(text, "p.yaml")
    return to_cells(document, get_list(get_object(document.data, "spec"), "numa"))


def threads(cell: Cell) -> list[tuple[int, ...]]:
    """Answer the thread ids of each core."""
    return [core.threads for core in cell.cores]


def test_the_positions_of_a_cpu_list_make_siblings() -> None:
    first, second = cells(
        '{id: 0, memory: 1Gi, cpus: "0-2,6-8", threadsPerCore: 2}',
        '{id: 1, memory: 1Gi, cpus: "3-5,9-11", threadsPerCore: 2}',
    )
    assert threads(first) == [(0, 6), (1, 7), (2, 8)]
    assert threads(second) == [(3, 9), (4, 10), (5, 11)]
    assert first.cpus == 0b000111000111


def test_interleaved_cpu_ids_are_taken_as_listed() -> None:
    (cell,) = cells('{id: 0, memory: 1Gi, cpus: "0,2,4,6", threadsPerCore: 1}')
    assert threads(cell) == [(0,), (2,), (4,), (6,)]


def test_counted_cores_are_numbered_as_linux_does() -> None:
    first, empty, second = cells(
        "{id: 0, memory: 1Gi, coreCount: 2, threadsPerCore: 2}",
        "{id: 1, memory: 1Gi}",
        "{id: 2, memory: 1Gi, coreCount: 3, threadsPerCore: 2}",
    )
    assert threads(first) == [(0, 5), (1, 6)]
    assert threads(second) == [(2, 7), (3, 8), (4, 9)]
    assert empty.cores == ()


def test_listed_cores_keep_socket_and_cache() -> None:
    (cell,) = cells("{id: 0, memory: 1Gi, socket: 3, cores: [{threads: [0, 1]}, {threads: [2], socket: 4, uncore: 7}]}")
    assert cell.cores == (Core(threads=(0, 1), socket=3), Core(threads=(2,), socket=4, uncore=7))


def test_the_socket_is_the_numa_node_where_none_is_written() -> None:
    (cell,) = cells('{id: 5, memory: 1Gi, cpus: "0", threadsPerCore: 1}')
    assert [core.socket for core in cell.cores] == [5]


def test_a_cell_may_have_memory_only_or_none() -> None:
    first, second = cells("{id: 0, memory: 64Gi}", "{id: 1, memory: 0}")
    assert (first.memory, first.cpus) == (64 << 30, 0)
    assert second.memory == 0


def test_huge_pages_and_distances_are_kept() -> None:
    (cell,) = cells("{id: 0, memory: 4Gi, hugepages: {2Mi: 512, 1Gi: 1}, distances: [10]}")
    assert cell.hugepages == {"2Mi": 512, "1Gi": 1}
    assert cell.distances == (10,)


def test_many_cells_are_fine() -> None:
    many = cells(*(f"{{id: {n}, memory: 1Gi, coreCount: 8, threadsPerCore: 2}}" for n in range(64)))
    assert many[63].cores[7].threads == (511, 1023)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["{id: 0, memory: 1Gi}", "{id: 0, memory: 1Gi}"], "p.yaml:4: spec.numa[1].id: NUMA node 0 is written twice"),
        (
            ['{id: 0, memory: 1, cpus: "0-3", threadsPerCore: 1}', '{id: 7, memory: 1, cpus: "3", threadsPerCore: 1}'],
            "p.yaml:4: spec.numa[1]: CPU 3 is in NUMA nodes 0 and 7",
        ),
        (["{id: 2, memory: 1, cores: [{threads: [0, 1]}, {threads: [1]}]}"], "CPU 1 is twice in NUMA node 2"),
        (['{id: 0, memory: 1, cpus: "0-2", threadsPerCore: 2}'], "3 CPUs do not divide into cores of 2 threads"),
        (
            ["{id: 0, memory: 1, coreCount: 2, threadsPerCore: 2}", '{id: 1, memory: 1, cpus: "9", threadsPerCore: 2}'],
            "CPU ids can only be counted if every NUMA node with CPUs has coreCount",
        ),
        (
            [
                "{id: 0, memory: 1, coreCount: 2, threadsPerCore: 2}",
                "{id: 1, memory: 1, coreCount: 2, threadsPerCore: 1}",
            ],
            "the same threadsPerCore",
        ),
        (["{id: 0, memory: 1, coreCount: 16000, threadsPerCore: 2}"], "32000 CPUs are too many"),
        (["{id: 0, memory: 1Mi, hugepages: {2Mi: 1}}"], "huge pages of 2097152 bytes are more than the memory"),
        (["{id: 0, memory: 1, distances: [10, 20]}"], "2 distances for 1 NUMA nodes: write one for each"),
    ],
    ids=range(9),
)
def test_cells_that_cannot_be_are_refused(lines: list[str], message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        cells(*lines)
    assert message in str(caught.value)


def test_distances_may_be_listed_by_id_where_ids_have_gaps() -> None:
    made = cells("{id: 0, memory: 1, distances: [10, 0, 20]}", "{id: 2, memory: 1, distances: [20, 10]}")
    assert [cell.distances for cell in made] == [(10, 0, 20), (20, 10)]
