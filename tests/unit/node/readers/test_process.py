"""One process: all its threads together, its memory, and what happens when it ends or may not be read."""

import errno
import itertools
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from nodetree import NodeTree

from webhook.domain.observation import ObservedProcess
from webhook.node import patience
from webhook.node.budget import Budget
from webhook.node.patience import Patience
from webhook.node.readers import process
from webhook.node.readers.process import Depth
from webhook.node.readers.process import read_process

DEPTH = Depth(Budget(float("inf"), lambda: 0.0), Patience())


@contextmanager
def opened(folder: Path) -> Iterator[int]:
    """Open a folder."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def read(folder: Path, depth: Depth = DEPTH) -> ObservedProcess | None:
    """Read the process of a folder."""
    with opened(folder) as descriptor:
        return read_process(descriptor, int(folder.name) if folder.name.isdecimal() else os.getpid(), depth)


def seen(folder: Path, depth: Depth = DEPTH) -> ObservedProcess:
    """Read a process that is there."""
    found = read(folder, depth)
    assert found is not None
    return found


def reasons(found: ObservedProcess) -> dict[str, str]:
    """Answer what was not read, and why."""
    return {one.field: one.reason for one in found.unread}


def test_a_process_is_read(tmp_path: Path) -> None:
    NodeTree(tmp_path).process(7, "x", name="vllm", cpus="2-3", cells="1")

    found = seen(tmp_path / "proc/7")

    assert (found.pid, found.command, found.cpus, found.cells, found.unread) == (7, "vllm", 0b1100, 0b10, ())
    assert found.memory is not None
    assert found.memory.anonymous.by_cell == {0: 4 << 12}


def test_threads_have_affinities_of_their_own(tmp_path: Path) -> None:
    NodeTree(tmp_path).process(7, "x", cpus="2", threads={8: "3", 9: "12"})

    assert seen(tmp_path / "proc/7").cpus == 1 << 2 | 1 << 3 | 1 << 12


def test_a_thread_that_ended_is_passed_over(tmp_path: Path) -> None:
    NodeTree(tmp_path).process(7, "x", cpus="2", threads={8: "3", 9: "4"})
    (tmp_path / "proc/7/task/8/status").unlink()

    assert seen(tmp_path / "proc/7").cpus == 1 << 2 | 1 << 4


def test_a_process_whose_threads_cannot_be_listed_any_more_is_its_main_thread(tmp_path: Path) -> None:
    NodeTree(tmp_path).process(7, "x", cpus="2", threads={8: "3"})
    shutil.rmtree(tmp_path / "proc/7/task")

    assert seen(tmp_path / "proc/7").cpus == 1 << 2


def test_a_thread_of_this_process_counts_with_the_rest() -> None:
    cpus = sorted(os.sched_getaffinity(0))
    done = threading.Event()
    pinned = threading.Event()

    def run() -> None:
        os.sched_setaffinity(0, cpus[:1])
        pinned.set()
        done.wait()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert pinned.wait(10)
        assert seen(Path("/proc/self")).cpus == sum(1 << cpu for cpu in cpus)
    finally:
        done.set()
        thread.join()


def test_a_process_that_has_ended_is_none_even_if_it_was_there_before() -> None:
    command = [sys.executable, "-c", "input()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as child, opened(Path(f"/proc/{child.pid}")) as folder:
        before = read_process(folder, child.pid, DEPTH)
        child.kill()
        # A zombie, which has no memory any more, until it is waited for.
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        zombie = read_process(folder, child.pid, DEPTH)
        child.wait()
        after = read_process(folder, child.pid, DEPTH)

    assert before is not None
    assert (zombie, after) == (None, None)


def test_without_the_right_to_look_the_reason_names_the_capability() -> None:
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        found = seen(Path("/proc/1"))
    finally:
        if root:
            os.seteuid(0)

    assert found.memory is None
    assert found.cpus
    assert "capability SYS_PTRACE" in reasons(found)["memory"]


def test_a_kernel_without_numa_maps_is_said(tmp_path: Path) -> None:
    NodeTree(tmp_path).process(7, "x", maps=None)

    assert reasons(seen(tmp_path / "proc/7")) == {"memory": "this kernel has no numa_maps: it is built without NUMA"}


def test_memory_and_threads_are_left_alone_where_nobody_asks(tmp_path: Path) -> None:
    NodeTree(tmp_path).process(7, "x", threads={8: "1"})
    (tmp_path / "proc/7/task/8/status").unlink()
    (tmp_path / "proc/7/task/8/status").mkdir()
    found = seen(tmp_path / "proc/7", replace(DEPTH, judged=False))

    assert (found.pid, found.command) == (7, "python3")
    assert (found.cpus, found.memory, found.unread) == (None, None, ())


def test_more_threads_than_are_read_leave_the_cpus_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MAX_THREADS", 2)
    NodeTree(tmp_path).process(7, "x", threads={8: "1", 9: "1", 10: "1"})
    found = seen(tmp_path / "proc/7")

    assert (found.cpus, found.cells) == (None, None)
    assert reasons(found)["cpus"] == "it has 3 threads, more than the 2 that are read"


def test_when_the_time_is_spent_threads_and_memory_are_unread(tmp_path: Path) -> None:
    NodeTree(tmp_path).process(7, "x", threads={8: "1"})
    found = seen(tmp_path / "proc/7", Depth(Budget(0.0, lambda: 1.0), Patience()))

    assert (found.cpus, found.memory) == (None, None)
    assert reasons(found)["cpus"] == "there was no time left to read all threads"
    assert reasons(found)["memory"] == "there was no time left to read numa_maps"


def test_a_process_of_terabytes_is_read_until_its_time_is_spent(tmp_path: Path) -> None:
    NodeTree(tmp_path).process(7, "x", maps="7f00 default anon=1 N0=1 kernelpagesize_kB=4\n" * 50_000)
    clock = itertools.count()
    found = seen(tmp_path / "proc/7", Depth(Budget(1e9, lambda: next(clock)), Patience(), memory_seconds=20))

    assert found.memory is None
    assert reasons(found)["memory"] == "there was no time left to read numa_maps to its end"
    assert next(clock) < 50


def test_a_process_whose_maps_never_come_is_left_behind(tmp_path: Path) -> None:
    NodeTree(tmp_path).process(7, "x", maps=None)
    pipe = tmp_path / "proc/7/numa_maps"
    os.mkfifo(pipe)
    found = seen(tmp_path / "proc/7", replace(DEPTH, patience=Patience(), memory_seconds=0.05))
    pipe.write_text("")  # lets the reader go

    assert (found.cpus, found.memory) == (0b1111, None)
    assert reasons(found)["memory"].startswith("numa_maps was not read within 0.1 s")


def test_reads_that_are_not_begun_leave_no_file_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "MOST_BEHIND", 0)
    NodeTree(tmp_path).process(7, "x")
    before = os.listdir("/proc/self/fd")  # noqa: PTH208 - names, not paths
    found = seen(tmp_path / "proc/7")

    assert reasons(found) == {"memory": "0 earlier reads of numa_maps have not come back yet"}
    assert os.listdir("/proc/self/fd") == before  # noqa: PTH208 - as above


def test_without_a_file_descriptor_left_only_the_memory_is_unread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    NodeTree(tmp_path).process(7, "x")
    monkeypatch.setattr(os, "dup", full)
    found = seen(tmp_path / "proc/7")

    assert (found.cpus, reasons(found)) == (0b1111, {"memory": "Too many open files"})


def test_a_process_that_ends_while_its_memory_is_read_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    command = [sys.executable, "-c", "input()"]
    for waited in (True, False):
        with subprocess.Popen(command, stdin=subprocess.PIPE) as child, opened(Path(f"/proc/{child.pid}")) as folder:

            def late(fd: int, waited: bool = waited, child: subprocess.Popen[bytes] = child) -> int:
                child.kill()
                os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
                if waited:
                    child.wait()
                return os.open(".", os.O_RDONLY | os.O_DIRECTORY, dir_fd=fd)

            with monkeypatch.context() as patched:
                patched.setattr(os, "dup", late)
                assert read_process(folder, child.pid, DEPTH) is None


def test_a_status_without_lists_is_said(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    tree.process(7, "x")
    tree.write("proc/7/status", "Name:\tsh\nThreads:\t1")

    assert reasons(seen(tmp_path / "proc/7")) == {
        "cpus": "its status does not say so",
        "cells": "its status does not say so",
    }


def test_a_status_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "7/status").mkdir(parents=True)
    found = seen(tmp_path / "7")

    assert (found.cpus, found.cells, found.memory) == (None, None, None)
    assert reasons(found)["cpus"].endswith("Is a directory")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> NodeTree:
    """Make one tree for all examples."""
    return NodeTree(tmp_path_factory.mktemp("broken"))


@settings(max_examples=50)
@given(st.binary(max_size=60), st.binary(max_size=60), st.binary(max_size=60))
def test_no_content_raises(tree: NodeTree, status: bytes, thread: bytes, maps: bytes) -> None:
    tree.process(7, "x", threads={8: "1"})
    tree.write("proc/7/status", b"Name:\tsh\nCpus_allowed_list:\t" + status)
    tree.write("proc/7/task/8/status", b"Mems_allowed_list:\t" + thread)
    tree.write("proc/7/numa_maps", b"7f00 default N0=" + maps)

    found = read(tree.root / "proc/7")

    assert found is None or found.pid == 7
