"""The cgroups of containers: found below the root, read file by file, and their CPU use over an interval."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from nodetree import NodeTree
from nodetree import container_id
from nodetree import pod_uid

from webhook.domain.observation import ObservedCgroup
from webhook.node.readers import cgroups
from webhook.node.readers.cgroups import CpuTime


def test_containers_are_found_whatever_the_driver_and_the_root_of_the_kubelet(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    systemd = tree.container(1)
    plain = tree.container(2, path=f"kubepods/burstable/pod{pod_uid()}/{container_id(2)}")
    deep = tree.container(3, path=f"a/b/kubepods/pod{pod_uid()}/crio-{container_id(3)}")
    tree.write("sys/fs/cgroup/system.slice/kubelet.service/cpu.max", "max 100000")

    assert cgroups.find_containers(tree.roots.cgroup) == {
        container_id(1): systemd,
        container_id(2): plain,
        container_id(3): deep,
    }


def test_folders_that_a_container_makes_are_not_looked_at(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    path = tree.container(1)
    tree.container(9, path=f"{path}/kubepods/pod{pod_uid()}/{container_id(2)}")

    assert cgroups.find_containers(tree.roots.cgroup) == {container_id(1): path}


def test_looking_ends_where_somebody_made_too_many_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroups, "_MOST_FOLDERS", 20)
    tree = NodeTree(tmp_path)
    path = tree.container(1)
    for number in range(40):
        (tree.roots.cgroup / f"user.slice/a/b/c/{number}").mkdir(parents=True)

    assert cgroups.find_containers(tree.roots.cgroup) == {container_id(1): path}


def test_a_root_that_is_not_there_has_no_containers(tmp_path: Path) -> None:
    assert cgroups.find_containers(tmp_path / "none") == {}
    assert not cgroups.is_unified(tmp_path)
    assert cgroups.is_unified(NodeTree(tmp_path).roots.cgroup)


def test_everything_is_read(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    path = tree.container(
        cpus="2-3", effective_cpus="2-3", cells="1", effective_cells="1", quota="150000 100000", used=5
    )

    assert cgroups.read_cgroup(tree.roots.cgroup, path, usage=1.5) == ObservedCgroup(
        path=f"/{path}",
        cpus=0b1100,
        effective_cpus=0b1100,
        cells=0b10,
        effective_cells=0b10,
        own_quota=(150000, 100000),
        usage=1.5,
    )


def test_nothing_set_and_no_quota_are_none_without_a_reason(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    found = cgroups.read_cgroup(tree.roots.cgroup, tree.container())

    assert (found.cpus, found.cells, found.quota, found.usage) == (None, None, None, None)
    assert (found.effective_cpus, found.effective_cells) == (0b1111, 0b1)
    assert found.unread == ()


@pytest.mark.parametrize(
    ("path", "quotas", "expected"),
    [
        (
            "kubepods.slice/kubepods-pod1.slice/x",
            {"kubepods.slice/kubepods-pod1.slice": "100000 100000"},
            (100000, 100000),
        ),
        ("kubepods/burstable/pod1/x", {"kubepods": "300000 100000"}, (300000, 100000)),
        ("kubepods/pod1/x", {"kubepods/pod1": "100000 50000", "kubepods": "150000 100000"}, (150000, 100000)),
        ("kubepods/pod1/x", {"kubepods/pod1": "300000 100000", "kubepods/pod1/x": "200000 100000"}, (200000, 100000)),
        ("a.slice/a-kubepods.slice/a-kubepods-pod1.slice/x", {"a.slice/a-kubepods.slice": "5000 5000"}, (5000, 5000)),
        ("a.slice/kubepods/pod1/x", {"a.slice": "100000 100000"}, None),
    ],
    ids=["pod", "root", "smallest above", "smallest below", "nested root", "above the kubelet's root"],
)
def test_a_quota_above_the_container_limits_it_too(
    tmp_path: Path, path: str, quotas: Mapping[str, str], expected: tuple[int, int] | None
) -> None:
    tree = NodeTree(tmp_path)
    tree.container(path=path)
    for folder, quota in quotas.items():
        tree.write(f"sys/fs/cgroup/{folder}/cpu.max", quota)
    found = cgroups.read_cgroup(tree.roots.cgroup, path)

    assert (found.quota, found.unread) == (expected, ())


def test_the_quota_of_a_container_and_that_above_it_are_told_apart(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    path = tree.container(path="kubepods/pod1/x", quota="200000 100000")
    tree.write("sys/fs/cgroup/kubepods/pod1/cpu.max", "300000 100000")
    found = cgroups.read_cgroup(tree.roots.cgroup, path)

    assert (found.own_quota, found.pod_quota) == ((200000, 100000), (300000, 100000))


def test_a_quota_of_the_pod_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    path = tree.container()
    tree.write(f"sys/fs/cgroup/{path.rpartition('/')[0]}/cpu.max", "much")
    found = cgroups.read_cgroup(tree.roots.cgroup, path)

    assert found.quota is None
    assert [one.field for one in found.unread] == ["quota"]


def test_what_is_missing_is_said_field_by_field(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    path = tree.container(quota="much", cells="all")
    (tree.roots.cgroup / path / "cpuset.mems.effective").unlink()

    found = cgroups.read_cgroup(tree.roots.cgroup, path)

    assert found.effective_cells is None
    assert {one.field: one.reason.rpartition("/")[2].partition(": write")[0] for one in found.unread} == {
        "cells": "cpuset.mems: 'all' is no CPU or range of CPUs",
        "effective_cells": "cpuset.mems.effective: No such file or directory",
        "quota": "cpu.max is no quota with its period",
    }


def test_cpu_time_is_read_of_what_still_runs(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    paths = {"a": tree.container(1, used=2_500_000), "b": tree.container(2), "c": "kubepods.slice/ended"}
    tree.write(f"sys/fs/cgroup/{paths['b']}/cpu.stat", "user_usec 5")

    assert cgroups.cpu_times(tree.roots.cgroup, paths, lambda: 7.0) == {"a": CpuTime(2.5, 7.0)}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"a": CpuTime(1.0, 10.0)}, {"a": CpuTime(8.0, 12.0)}, 3.5),
        ({"a": CpuTime(1.0, 10.0)}, {"a": CpuTime(1.0, 12.0)}, 0.0),
        ({}, {"a": CpuTime(8.0, 12.0)}, None),
        ({"a": CpuTime(1.0, 10.0)}, {}, None),
        ({"a": CpuTime(9.0, 10.0)}, {"a": CpuTime(8.0, 12.0)}, None),
        ({"a": CpuTime(1.0, 12.0)}, {"a": CpuTime(8.0, 12.0)}, None),
    ],
)
def test_the_cpus_in_use_are_known_with_two_readings(
    before: Mapping[str, CpuTime], after: Mapping[str, CpuTime], expected: float | None
) -> None:
    assert cgroups.busy(before, after, "a") == expected


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> NodeTree:
    """Make one tree for all examples."""
    return NodeTree(tmp_path_factory.mktemp("broken"))


@settings(max_examples=50)
@given(st.sampled_from(("cpuset.cpus", "cpuset.mems.effective", "cpu.max", "cpu.stat")), st.binary(max_size=30))
def test_no_content_raises(tree: NodeTree, file: str, content: bytes) -> None:
    path = tree.container()
    tree.write(f"sys/fs/cgroup/{path}/{file}", content)

    assert cgroups.read_cgroup(tree.roots.cgroup, path).path == f"/{path}"
    assert cgroups.cpu_times(tree.roots.cgroup, {"a": path}, lambda: 0.0).keys() <= {"a"}
