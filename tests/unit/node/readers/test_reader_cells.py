"""NUMA nodes are read from sysfs as the kubelet sees them."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from nodetree import GIB
from nodetree import NodeTree
from nodetree import two_sockets

from webhook.domain import cpuset
from webhook.domain.observation import Unread
from webhook.domain.topology import Cell
from webhook.domain.topology import Core
from webhook.node.readers.cells import memory_total
from webhook.node.readers.cells import read_cells
from webhook.node.readers.files import Gaps
from webhook.node.roots import Roots


def cells_of(tree: NodeTree) -> tuple[Cell, ...]:
    """Read the cells of a tree in which everything is readable."""
    gaps = Gaps()
    cells, _ = read_cells(tree.roots.sys, tree.roots.proc, gaps)
    assert gaps.unread == ()
    return cells


def test_cores_sockets_memory_huge_pages_and_distances_are_read(tmp_path: Path) -> None:
    first, second = cells_of(two_sockets(tmp_path))

    assert first == Cell(
        id=0,
        memory=64 * GIB,
        cores=tuple(Core((cpu, cpu + 8), 0) for cpu in range(4)),
        hugepages={"2Mi": 512, "1Gi": 4},
        distances=(10, 21),
    )
    assert second.cores == tuple(Core((cpu, cpu + 8), 1) for cpu in range(4, 8))
    assert second.hugepages == {}


def test_an_l3_cache_counts_where_it_is_not_that_of_the_whole_numa_node(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    tree.cell(0, "0-7", caches=2)
    tree.cell(1, "8-15")

    first, second = cells_of(tree)

    assert [core.uncore for core in first.cores] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert [core.uncore for core in second.cores] == [None] * 8


def test_a_cache_without_a_number_has_that_of_its_first_cpu(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    tree.cell(0, "0-3", caches=2)
    for cpu in range(4):
        (tmp_path / f"sys/devices/system/cpu/cpu{cpu}/cache/index3/id").unlink()

    assert [core.uncore for core in cells_of(tree)[0].cores] == [0, 0, 2, 2]


def test_a_machine_that_shows_no_caches_has_cores_all_the_same(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    tree.cell(0, "0-1")
    for cpu in range(2):
        tree.write(f"sys/devices/system/cpu/cpu{cpu}/cache/index3/level", "2")

    assert cells_of(tree)[0].cores == (Core((0,), 0), Core((1,), 0))


def test_cpus_that_are_offline_are_left_out(tmp_path: Path) -> None:
    tree = two_sockets(tmp_path)
    tree.online(0b1110_1111_1111_1110)

    cells, online = read_cells(tree.roots.sys, tree.roots.proc, Gaps())

    assert online == 0xEFFE
    assert cells[0].cores[:2] == (Core((1, 9), 0), Core((2, 10), 0))
    assert cells[0].cores[-1] == Core((8,), 0)
    assert cells[1].cores[0] == Core((4,), 1)


def test_numa_nodes_without_cpus_or_without_memory_are_there(tmp_path: Path) -> None:
    tree = two_sockets(tmp_path)
    tree.cell(2, memory=96 * GIB, distances="")
    tree.cell(10, "16-17", memory=0)

    assert [(cell.id, cell.memory // GIB, len(cell.cores)) for cell in cells_of(tree)] == [
        (0, 64, 4),
        (1, 64, 4),
        (2, 96, 0),
        (10, 0, 2),
    ]


def test_pages_of_arm_machines_are_named_as_kubernetes_does(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    tree.cell(0, "0", hugepages={64: 1, 524288: 2, 16777216: 3, 2048: 0})

    assert cells_of(tree)[0].hugepages == {"64Ki": 1, "512Mi": 2, "16Gi": 3}


def test_a_kernel_without_numa_has_one_numa_node(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    tree.cpu(0, 0b11, 0, shared=0b11, cache=0)
    tree.cpu(1, 0b11, 0, shared=0b11, cache=0)
    tree.online(0b11)
    tree.write("proc/meminfo", "MemTotal: 1048576 kB")

    assert cells_of(tree) == (Cell(id=0, memory=GIB, cores=(Core((0, 1), 0),)),)


def test_sockets_are_numbered_from_zero_in_the_order_of_the_firmwares_numbers(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    tree.cell(0, "0-1", socket=5418)
    tree.cell(1, "2-3", socket=36)
    tree.cell(2, "4-5", socket=5418)

    assert [[core.socket for core in cell.cores] for cell in cells_of(tree)] == [[1, 1], [0, 0], [1, 1]]


def test_an_older_kernel_names_siblings_otherwise(tmp_path: Path) -> None:
    tree = two_sockets(tmp_path)
    for folder in (tmp_path / "sys/devices/system/cpu").glob("cpu*/topology"):
        (folder / "core_cpus_list").rename(folder / "thread_siblings_list")

    assert cells_of(tree)[0].cores[0] == Core((0, 8), 0)


def test_what_is_missing_is_said_and_the_rest_is_read(tmp_path: Path) -> None:
    tree = two_sockets(tmp_path)
    missing = tmp_path / "sys/devices/system/node/node1/meminfo"
    missing.unlink()
    gaps = Gaps()

    cells, _ = read_cells(tree.roots.sys, tree.roots.proc, gaps)

    assert [cell.memory for cell in cells] == [64 * GIB, 0]
    assert gaps.unread == (Unread("cells", f"{missing}: No such file or directory"),)


@pytest.mark.parametrize(
    ("file", "content", "reason"),
    [
        ("sys/devices/system/node/node1/distance", "near", "is no list of distances"),
        ("sys/devices/system/node/node1/distance", "10 1000", "is no list of distances"),
        ("sys/devices/system/cpu/cpu4/topology/physical_package_id", "first", "is no number"),
    ],
)
def test_what_cannot_be_understood_is_said(tmp_path: Path, file: str, content: str, reason: str) -> None:
    tree = two_sockets(tmp_path)
    tree.write(file, content)
    gaps = Gaps()

    cells, _ = read_cells(tree.roots.sys, tree.roots.proc, gaps)

    assert [cell.id for cell in cells] == [0, 1]
    assert reason in gaps.reason("cells")


@pytest.mark.parametrize(
    ("broken", "field", "reason"),
    [
        ("sys/devices/system/node", "cells", "Not a directory"),
        ("sys/devices/system/node/node1/cpulist", "cells", "No such file or directory"),
        ("sys/devices/system/node/node1/cpulist", "cells", "node1/cpulist: '4-' is no CPU or range of CPUs"),
        ("sys/devices/system/cpu/online", "online", "cpu/online: '4-' is no CPU or range of CPUs"),
    ],
)
def test_without_one_of_its_parts_the_whole_machine_is_unknown(
    tmp_path: Path, broken: str, field: str, reason: str
) -> None:
    tree = two_sockets(tmp_path)
    path = tmp_path / broken
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    if "No such" not in reason:
        tree.write(broken, "4-")
    gaps = Gaps()

    cells, _ = read_cells(tree.roots.sys, tree.roots.proc, gaps)

    assert cells == ()
    assert reason in gaps.reason(field)


@pytest.mark.parametrize("content", [None, "x"])
def test_caches_that_cannot_be_read_are_none(tmp_path: Path, content: str | None) -> None:
    tree = NodeTree(tmp_path)
    tree.cell(0, "0-3", caches=2)
    for folder in (tmp_path / "sys/devices/system/cpu").glob("cpu*/cache"):
        if content is None:
            shutil.rmtree(folder)
        else:
            (folder / "index3/shared_cpu_list").write_text(content)

    assert [core.uncore for core in cells_of(tree)[0].cores] == [None] * 4


def test_an_empty_folder_is_no_machine(tmp_path: Path) -> None:
    gaps = Gaps()

    assert read_cells(tmp_path, tmp_path, gaps) == ((), 0)
    assert [one.field for one in gaps.unread] == ["online"]


def test_the_memory_of_the_machine_is_its_memtotal(tmp_path: Path) -> None:
    assert memory_total(two_sockets(tmp_path).roots.proc) == 128 * GIB

    (tmp_path / "proc/meminfo").write_text("MemFree: 1 kB\n")
    with pytest.raises(ValueError, match="meminfo has no MemTotal"):
        memory_total(tmp_path / "proc")


FILES = ("cpulist", "meminfo", "distance", "hugepages/hugepages-2048kB/nr_hugepages")
TEXTS = st.one_of(
    st.binary(max_size=40), st.sampled_from([b"0-99999", b"3-1", b"-1", b"0-7", b"MemTotal: 5 kB", b"9" * 30])
)


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> NodeTree:
    """Make one tree for all examples."""
    tree = NodeTree(tmp_path_factory.mktemp("broken"))
    tree.cell(0, "0-3", caches=2)
    return tree


def _is_list(content: bytes) -> bool:
    try:
        cpuset.parse(content.decode("utf-8", "backslashreplace").strip())
    except ValueError:
        return False
    return True


@settings(max_examples=50)
@given(st.sampled_from(FILES), TEXTS, TEXTS, TEXTS)
def test_no_content_of_any_file_raises(broken: NodeTree, file: str, node: bytes, siblings: bytes, level: bytes) -> None:
    cpu = "sys/devices/system/cpu/cpu0"
    broken.write("sys/devices/system/node/node0/cpulist", "0-3")
    broken.write(f"sys/devices/system/node/node0/{file}", node)
    broken.write(f"{cpu}/topology/core_cpus_list", siblings)
    broken.write(f"{cpu}/topology/physical_package_id", level)
    broken.write(f"{cpu}/cache/index3/level", level)
    broken.write(f"{cpu}/cache/index3/shared_cpu_list", siblings)

    cells, online = read_cells(broken.roots.sys, broken.roots.proc, Gaps())

    assert [cell.id for cell in cells] in ([], [0])
    assert bool(cells) != (file == "cpulist" and not _is_list(node))
    assert sum(cell.cpus for cell in cells) & ~online == 0


def test_the_cpus_of_this_machine_are_all_found() -> None:
    roots = Roots.below(Path("/"))
    gaps = Gaps()

    cells, online = read_cells(roots.sys, roots.proc, gaps)

    assert gaps.unread == ()
    assert sum(cell.cpus for cell in cells) == online
    assert sum(cell.memory for cell in cells) > GIB // 4
