"""The processes of containers are found by their cgroups, and nobody else's are looked into."""

from pathlib import Path

import pytest
from nodetree import NodeTree
from nodetree import container_id

from webhook.node.budget import Budget
from webhook.node.patience import Patience
from webhook.node.readers import processes
from webhook.node.readers.process import Depth
from webhook.node.readers.processes import ContainerProcesses
from webhook.node.readers.processes import read_processes

DEPTH = Depth(Budget(float("inf"), lambda: 0.0), Patience())


def pids(found: ContainerProcesses) -> list[int]:
    """Answer which processes were read."""
    return [process.pid for process in found.read]


def test_processes_are_read_with_their_container(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    first, second, third = (tree.container(number) for number in (1, 2, 3))
    tree.process(1, "init.scope")
    tree.process(30, first)
    tree.process(4, f"{first}/worker")
    tree.process(200, second)
    tree.process(300, third)
    wanted = {container_id(1), container_id(2)}

    found = read_processes(tree.roots.proc, lambda container: DEPTH if container in wanted else None)

    assert {container: pids(one) for container, one in found.items()} == {
        container_id(1): [4, 30],
        container_id(2): [200],
    }


def test_the_cgroup_of_any_version_names_the_container(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    path = tree.container()
    tree.process(7, path)
    tree.write("proc/7/cgroup", f"9:name=systemd:/\n4:memory:/{path}\n0::/")
    tree.process(8, path)
    tree.write("proc/8/cgroup", f"0::/../../{path.partition('/')[2]}")

    assert pids(read_processes(tree.roots.proc, lambda _: DEPTH)[container_id()]) == [7, 8]


def test_processes_that_end_meanwhile_are_passed_over(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    for pid in (7, 8, 9, 10):
        tree.process(pid, tree.container())
    (tmp_path / "proc/8/status").unlink()
    (tmp_path / "proc/9/cgroup").unlink()
    (tmp_path / "proc/11").write_text("no folder")

    assert pids(read_processes(tree.roots.proc, lambda _: DEPTH)[container_id()]) == [7, 10]


def test_a_container_with_too_many_processes_is_read_in_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "MAX_PROCESSES", 2)
    tree = NodeTree(tmp_path)
    for pid in range(1, 6):
        tree.process(pid, tree.container())
    found = read_processes(tree.roots.proc, lambda _: DEPTH)[container_id()]

    assert (pids(found), found.left_out) == ([1, 2], 3)


def test_a_folder_that_cannot_be_listed_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        read_processes(tmp_path / "none", lambda _: DEPTH)


def test_no_process_of_this_machine_is_looked_into_without_being_asked_for() -> None:
    asked: list[str] = []

    assert read_processes(Path("/proc"), asked.append) == {}  # type: ignore[func-returns-value] # None is its answer
    assert all(len(container) == 64 for container in asked)


def test_every_open_folder_is_closed_again(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    for pid in range(1, 20):
        tree.process(pid, tree.container() if pid % 2 else "init.scope", threads={1000 + pid: "1"})
    before = len(list(Path("/proc/self/fd").iterdir()))

    read_processes(tree.roots.proc, lambda _: DEPTH)

    assert len(list(Path("/proc/self/fd").iterdir())) == before
