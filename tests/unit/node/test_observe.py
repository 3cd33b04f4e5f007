"""One pass over a node: everything together, and nothing that is broken takes the rest with it."""

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from builders import container
from fakekubelet import Kubelet
from fakekubelet import allocatable
from fakekubelet import container as granted
from fakekubelet import devices
from fakekubelet import listing
from fakekubelet import memory
from fakekubelet import pod as listed
from nodepods import NODE
from nodepods import running_pod
from nodetree import NodeTree
from nodetree import container_id
from nodetree import two_sockets

from webhook.domain.observation import Observation
from webhook.domain.observation import ObservedDevice
from webhook.domain.observation import StateFile
from webhook.node.observe import Clocks
from webhook.node.observe import Limits
from webhook.node.observe import cpu_times
from webhook.node.observe import observe
from webhook.node.readers import pod_resources_api as api
from webhook.node.roots import Roots

GPU = "nvidia.com/gpu"
GIB = 1 << 30
INSTANT = datetime(2026, 11, 30, 9, tzinfo=UTC)
CLOCKS = Clocks(now=lambda: INSTANT, monotonic=lambda: 50.0)
CONFIG = "kind: KubeletConfiguration\ncpuManagerPolicy: static\ntopologyManagerPolicy: single-numa-node\n"


@pytest.fixture
def tree(tmp_path: Path, kubelet_folder: Path) -> NodeTree:
    """Make a node with one pinned pod; its kubelet's folder is where its socket can be served."""
    tree = two_sockets(tmp_path)
    tree.roots = replace(tree.roots, kubelet=kubelet_folder)
    path = tree.container(cpus="4-5,12-13", effective_cpus="4-5,12-13", cells="1", effective_cells="1", used=4_000_000)
    tree.process(1, "init.scope")
    tree.process(70, path, name="vllm", cpus="4-5,12-13", cells="1", threads={71: "4"})
    (kubelet_folder / "cpu_manager_state").write_text(json.dumps({"policyName": "static", "defaultCpuSet": "0-3"}))
    tree.roots.kubelet_config.write_text(CONFIG)
    return tree


@pytest.fixture
def told(kubelet: Kubelet) -> Kubelet:
    """Let the kubelet tell what it gave to that pod."""
    kubelet.answers[api.LIST] = listing(
        listed(
            "llm-0",
            granted(
                cpu_ids=[4, 5, 12, 13],
                memory=[memory("memory", 32 * GIB, 1)],
                devices=[devices(GPU, "GPU-4", cells=(1,))],
            ),
        ),
        listed("ended", granted(cpu_ids=[4, 5, 12, 13])),
    )
    kubelet.answers[api.ALLOCATABLE] = allocatable(
        devices(GPU, "GPU-0", cells=(0,)), devices(GPU, "GPU-4", cells=(1,)), devices(GPU, "wide", cells=(0, 1))
    )
    return kubelet


def look(tree: NodeTree, *pods: Mapping[str, Any], **fields: Any) -> Observation:
    """Make a pass at a fixed instant."""
    return observe(tree.roots, pods, node=NODE, **{"clocks": CLOCKS, **fields})


def fields_of(found: Observation) -> list[str]:
    """Answer what a pass could not read of the node."""
    return [one.field for one in found.unread]


@pytest.mark.usefixtures("told")
def test_everything_is_seen(tree: NodeTree) -> None:
    found = look(tree, running_pod(), running_pod("ended", number=2, phase="Succeeded"), version=(1, 37))

    assert (found.node, found.instant, found.unread) == (NODE, INSTANT, ())
    assert found.machine.online == 0xFFFF
    assert found.kubelet is not None
    assert found.kubelet.enforces_alignment
    assert found.devices == (
        ObservedDevice(GPU, "GPU-0", 0b01),
        ObservedDevice(GPU, "GPU-4", 0b10),
        ObservedDevice(GPU, "wide", None),
    )
    assert found.state_files == (StateFile("cpu_manager_state", "static", 0b1111, 0),)
    (pod,) = found.pods
    (server,) = pod.containers
    assert server.unread == ()
    assert found.machine.cells_of(server.exclusive_cpus or 0) == 0b10
    assert server.pinned_memory == {"memory": (32 * GIB, 0b10)}
    assert server.devices == (ObservedDevice(GPU, "GPU-4", 0b10),)
    assert server.cgroup is not None
    assert (server.cgroup.effective_cpus, server.cgroup.effective_cells) == (0b11_0000_0011_0000, 0b10)
    (process,) = server.processes
    assert (process.pid, process.command, process.cpus) == (70, "vllm", 0b11_0000_0011_0000)
    assert process.memory is not None


def test_pods_that_hold_something_and_were_not_given_are_named_where_all_should_be(
    tree: NodeTree, told: Kubelet
) -> None:
    ended = running_pod("ended", number=2, phase="Succeeded")
    everybody = look(tree, running_pod(), ended, complete=True)
    some = look(tree, running_pod(), complete=True)
    told.answers[api.LIST] = listing(*(listed(f"p{number}", granted(cpu_ids=[number])) for number in range(5)))
    many = look(tree, complete=True)
    told.answers[api.LIST] = listing(*(listed(f"web-{number}", granted()) for number in range(5)))
    shared = look(tree, running_pod("web-1"), complete=True)

    assert (everybody.unread, look(tree).unread) == ((), ())
    assert [one.field for one in some.unread] == ["pods"]
    assert "gave CPUs or devices to team-a/ended, not among" in some.unread[0].reason
    assert "to team-a/p0, team-a/p1, team-a/p2 and 2 more, not among" in many.unread[0].reason
    assert [one.field for one in shared.unread] == ["neighbours"]
    assert shared.unread[0].reason == (
        "the kubelet runs team-a/web-0, team-a/web-2, team-a/web-3 and 1 more, not among the pods that were read: "
        "whose CPUs these share is not known"
    )


@pytest.mark.usefixtures("told")
def test_the_cpus_in_use_are_told_for_the_time_since_the_last_look(tree: NodeTree) -> None:
    before = cpu_times(tree.roots, Clocks(monotonic=lambda: 40.0))
    tree.container(used=39_000_000)

    (pod,) = look(tree, running_pod(), since=before).pods

    assert pod.containers[0].cgroup is not None
    assert pod.containers[0].cgroup.usage == 3.5


@pytest.mark.usefixtures("told")
def test_memory_is_read_only_of_the_pods_that_are_asked_for(tree: NodeTree) -> None:
    tree.process(80, tree.container(2, pod=2))
    pods = running_pod(), running_pod("other", number=2)

    found = look(tree, *pods, is_judged=lambda pod: pod["metadata"]["name"] == "llm-0")

    assert [pod.containers[0].processes[0].memory is not None for pod in found.pods] == [True, False]


def test_a_kubelet_is_asked_once_for_each_thing(tree: NodeTree, told: Kubelet) -> None:
    look(tree, running_pod(), running_pod("b", number=2), running_pod("c", number=3))

    assert told.calls == [api.LIST, api.ALLOCATABLE]


def test_a_kubelet_that_hangs_costs_its_time_and_nothing_else(tree: NodeTree, told: Kubelet) -> None:
    told.hangs = True

    found = look(tree, running_pod(), limits=Limits(pod_resources=0.1))

    assert fields_of(found) == ["grants", "devices"]
    assert found.devices is None
    assert found.pods[0].containers[0].exclusive_cpus is None
    assert found.pods[0].containers[0].cgroup is not None


def test_without_a_socket_it_is_said_that_there_is_none(tree: NodeTree) -> None:
    found = look(tree, running_pod())

    assert found.unread[0].reason == f"{tree.roots.pod_resources}: No such file or directory"
    assert found.pods[0].containers[0].unread[0].reason == found.unread[0].reason


@pytest.mark.usefixtures("told")
def test_a_container_whose_status_is_behind_is_not_found(tree: NodeTree) -> None:
    (pod,) = look(tree, running_pod(ids={"server": 9})).pods

    assert pod.containers[0].cgroup is None
    assert pod.containers[0].unread[0].reason == f"no cgroup of container {container_id(9)} was found"


@pytest.mark.usefixtures("told")
def test_cgroups_of_the_first_version_are_said(tree: NodeTree) -> None:
    (tree.roots.cgroup / "cgroup.controllers").unlink()

    found = look(tree, running_pod())

    assert fields_of(found) == ["cgroups"]
    assert "is no root of cgroup v2" in found.pods[0].containers[0].unread[0].reason
    assert found.pods[0].containers[0].processes[0].pid == 70


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize(
    ("configz", "told_of"),
    [
        ({"kubeletconfig": {"evictionHard": {"memory.available": "5%"}}}, []),
        ({"kubeletconfig": {"cpuManagerPolicy": 5}}, ["kubelet"]),
    ],
)
def test_configz_comes_before_the_file(tree: NodeTree, configz: dict[str, Any], told_of: list[str]) -> None:
    found = look(tree, configz=configz)

    assert fields_of(found) == told_of
    assert found.kubelet is None or found.kubelet.cpu_manager_policy == "none"


@pytest.mark.usefixtures("told")
def test_a_version_that_nobody_told_is_not_known(tree: NodeTree) -> None:
    assert (look(tree, version=(1, 36)).version, look(tree).version) == ((1, 36), None)


@pytest.mark.usefixtures("told")
def test_a_reservation_that_is_not_known_is_said(tree: NodeTree) -> None:
    (tree.roots.proc / "meminfo").unlink()

    found = look(tree, configz={"kubeletconfig": {"evictionHard": {"memory.available": "5%"}}})

    assert found.kubelet is not None
    assert fields_of(found) == ["kubelet"]


def test_an_empty_tree_is_an_observation_of_nothing(tmp_path: Path) -> None:
    found = observe(Roots.below(tmp_path), [running_pod("llm-0", container("a"))], node=NODE)

    assert set(fields_of(found)) == {"kubelet", "grants", "cgroups", "processes", "devices"}
    assert (found.kubelet, found.devices, found.state_files) == (None, None, ())
    assert found.pods[0].containers[0].processes == ()
    assert found.instant.tzinfo is not None


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize(
    "part", ["proc", "sys", "sys/devices", "sys/fs/cgroup", "sys/class", "sys/bus", "proc/70/task"]
)
def test_whatever_is_missing_the_rest_is_seen(tree: NodeTree, part: str) -> None:
    shutil.rmtree(tree.root / part)

    (pod,) = look(tree, running_pod()).pods

    assert pod.containers[0].exclusive_cpus == 0b11_0000_0011_0000


def test_this_machine_can_be_looked_at() -> None:
    found = observe(Roots.below(Path("/")), [], node=NODE, since=cpu_times(Roots.below(Path("/"))))

    assert found.machine.cells
    assert found.pods == ()
