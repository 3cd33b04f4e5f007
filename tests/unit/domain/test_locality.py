"""Where something belongs: NUMA nodes without CPUs are near to others, by their distances."""

from observednodes import machine

from webhook.domain.locality import attached
from webhook.domain.locality import home_of
from webhook.domain.locality import nearest
from webhook.domain.locality import why_no_cells
from webhook.domain.observation import Machine
from webhook.domain.observation import Unread

GRACE = machine(
    {0: "0-7", 1: "8-15", 2: "", 3: ""},
    {2: [80, 120, 10, 160], 3: [120, 80, 160, 10]},
)
GAPS = machine({0: "0-7", 4: "8-15", 9: ""}, {9: [80, 0, 0, 0, 40, 0, 0, 0, 0, 10]})
SILENT = machine({0: "0-7", 1: "8-15", 2: ""}, {})


def test_a_numa_node_with_cpus_is_nearest_to_itself() -> None:
    assert [nearest(GRACE, cell) for cell in (0, 1)] == [0b01, 0b10]


def test_one_without_cpus_belongs_to_those_at_the_least_distance() -> None:
    assert [nearest(GRACE, cell) for cell in (2, 3)] == [0b01, 0b10]
    assert nearest(machine({0: "0", 1: "1", 2: ""}, {2: [40, 40, 10]}), 2) == 0b11


def test_a_row_of_distances_may_have_a_column_for_each_id() -> None:
    assert nearest(GAPS, 9) == 1 << 4


def test_without_distances_it_belongs_to_nobody_knows_whom() -> None:
    assert nearest(SILENT, 2) == 0
    assert home_of(SILENT, 0b100) is None


def test_a_numa_node_that_the_machine_does_not_show_is_near_to_nobody_knows_whom() -> None:
    assert nearest(SILENT, 7) == 0
    assert home_of(SILENT, 1 << 7) is None
    assert home_of(SILENT, 1 << 7 | 1) is None
    assert home_of(machine({}, {}), 0b1) is None


def test_why_nothing_is_known_of_the_machine_is_what_the_reader_said() -> None:
    unread = (Unread("cells", "node: Too many open files"),)

    assert why_no_cells(SILENT) == ""
    assert why_no_cells(Machine((), 0)) == "the machine's NUMA nodes are not known: none was seen"
    assert why_no_cells(Machine((), 0, unread=unread)).endswith("not known: node: Too many open files")


def test_what_is_near_two_numa_nodes_has_no_home() -> None:
    assert [home_of(GRACE, cells) for cells in (None, 0, 0b1, 0b11, 0b100, 0b101)] == [None, None, 0b1, None, 0b1, 0b1]


def test_the_memory_of_a_near_gpu_is_added() -> None:
    assert [attached(GRACE, cells) for cells in (0b01, 0b10, 0b11)] == [0b0101, 0b1010, 0b1111]
