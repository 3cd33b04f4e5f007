"""A cluster of 400 nodes of 40 kinds: the snapshot that the controller makes of it, and what lint makes of that."""

import json
import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from controlplane.cluster import ControlPlane
from controlplane.load import NODES
from controlplane.load import REPORTS
from controlplane.load import Call
from controlplane.load import send_all
from controlplane.process import until
from controlplane.replicas import Replica
from controlplane.replicas import controller
from controlplane.replicas import created
from controlplane.replicas import snapshot_text
from controlplane.service import numagate
from fleets import Kind
from fleets import Member
from fleets import fleet
from fleets import node_of
from fleets import report_of
from gpupods import gpu_pod

from webhook.domain import api
from webhook.sources.snapshot_reader import Reader

FLEET = fleet(400)
COUNTS = Counter(member.kind for member in FLEET)
BUSY = "h2-full-serving"
"""A kind of which no node has a free GPU."""
LOST = "a1-full-wide"
"""A kind whose reports are deleted."""
DECLARED = "b1-full-batch"
"""A kind about which somebody writes a profile."""
MOST_BYTES = 300 * 1024
POLICIES = f"/apis/{api.API_VERSION}/{api.POLICIES}"
PROFILES = f"/apis/{api.API_VERSION}/{api.PROFILES}"
ENFORCING = {"single-numa-node", "restricted"}


@pytest.fixture(scope="module")
def cluster(world_cluster: ControlPlane) -> ControlPlane:
    """Create the nodes, their reports and a policy."""
    chance = random.Random(1)  # noqa: S311  # makes objects, keeps no secret
    send_all(world_cluster, (Call("POST", NODES, node_of(member)) for member in FLEET))
    send_all(world_cluster, (Call("POST", REPORTS, report(member, chance)) for member in FLEET))
    created(world_cluster, POLICIES, ours(api.POLICY, "default", {}))
    return world_cluster


@pytest.fixture(scope="module")
def leader(cluster: ControlPlane, case_certificates: Path) -> Iterator[Replica]:
    """Run a controller until it has written a snapshot."""
    with controller(cluster, case_certificates) as running:
        running.until_ready()
        until(lambda: snapshot_text(cluster), seconds=60, what="the snapshot")
        yield running


@pytest.fixture(scope="module")
def exported(cluster: ControlPlane, leader: Replica, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Export the first snapshot to a file."""
    assert leader.is_ready()
    path = tmp_path_factory.mktemp("fleet") / "world.json"
    numagate("world", "export", f"--kubeconfig={cluster.kubeconfig()}", f"--output={path}")
    return path


def ours(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    """Write an object of ours."""
    return {"apiVersion": api.API_VERSION, "kind": kind, "metadata": {"name": name}, "spec": spec}


def report(member: Member, chance: random.Random) -> dict[str, Any]:
    """Write the report of a node; a busy one has no free GPU."""
    written = report_of(member, chance)
    if member.kind.name == BUSY:
        rows = (row for zone in written["zones"] for row in zone["resources"] if row["name"] == "nvidia.com/gpu")
        for row in rows:
            row["available"] = "0"
    return written


def classes(cluster: ControlPlane) -> dict[str, dict[str, Any]]:
    """Answer the classes of the snapshot that is in the cluster, by name."""
    return {one["name"]: one for one in json.loads(snapshot_text(cluster))["classes"]}


def lint(world: Path, pod: dict[str, Any], *options: str) -> str:
    """Lint a pod in this world."""
    file = world.with_name("pod.yaml")
    file.write_text(json.dumps(pod), "utf-8")
    return numagate("lint", "--world", str(world), *options, str(file))


def pod(resources: str, **selector: str) -> dict[str, Any]:
    """Write a pod that goes to nodes with these labels."""
    made = gpu_pod("default", resources=resources)
    made["spec"]["tolerations"] = [{"key": "nvidia.com/gpu", "operator": "Exists"}]
    if selector:
        made["spec"]["nodeSelector"] = selector
    return made


def of_kind(name: str) -> dict[str, str]:
    """Answer the labels of the nodes of a kind."""
    (kind,) = (kind for kind in COUNTS if kind.name == name)
    return {"node.kubernetes.io/instance-type": kind.shape.type, "karpenter.sh/nodepool": kind.pool}


def takes_four_gpus(kind: Kind) -> bool:
    """Tell whether a NUMA node of the kind has 4 GPUs, and the kubelet sees to it that a pod gets them there."""
    return kind.shape.gpus >= 4 and kind.policy in ENFORCING


def test_every_kind_is_a_class_with_its_nodes(cluster: ControlPlane, exported: Path) -> None:
    text = exported.read_text("utf-8")
    world = Reader().read(text.encode(), "the export")

    assert {one.name: one.nodes for one in world.classes} == {kind.name: count for kind, count in COUNTS.items()}
    assert all(one.trusted and one.free is not None and one.free.cells for one in world.classes)
    assert text == snapshot_text(cluster)
    assert len(text.encode()) <= MOST_BYTES


def test_lint_tells_how_many_classes_and_nodes_take_a_pod(exported: Path) -> None:
    takers = [kind for kind in COUNTS if takes_four_gpus(kind)]
    nodes = sum(COUNTS[kind] for kind in takers)

    output = lint(exported, pod("16/64Gi/4"))

    assert f"fits {len(takers)} of 40 node classes, {nodes} of 400 nodes" in output


def test_lint_counts_only_the_classes_that_a_selector_leaves(exported: Path) -> None:
    pool = [kind for kind in COUNTS if kind.pool == "serving"]
    takers = [kind for kind in pool if takes_four_gpus(kind)]
    nodes = (sum(COUNTS[kind] for kind in some) for some in (takers, pool))

    output = lint(exported, pod("16/64Gi/4", **{"karpenter.sh/nodepool": "serving"}))

    assert f"fits {len(takers)} of {len(pool)} node classes, {next(nodes)} of {next(nodes)} nodes" in output


def test_lint_warns_of_a_pod_for_which_there_is_no_room_now_with_the_age_of_what_it_knows(exported: Path) -> None:
    (seen,) = (one["free"]["seen"] for one in json.loads(exported.read_text())["classes"] if one["name"] == BUSY)

    output = lint(exported, pod("8/64Gi/1", **of_kind(BUSY)))

    told = "1 nvidia.com/gpu, 8 CPUs and 64Gi memory"
    assert "warning not-now: " in output
    assert f"no node has {told} free on one NUMA node at the moment (as of {seen})" in output


def test_a_profile_overrides_what_nodes_report(cluster: ControlPlane, exported: Path) -> None:
    assert exported.exists()
    spec = {"machine": "dgx-b200", "selector": {"matchLabels": of_kind(DECLARED)}}
    created(cluster, PROFILES, ours(api.PROFILE, "our-b200", spec))
    until(lambda: "our-b200" in classes(cluster), what="the class of the profile")

    made = classes(cluster)
    assert DECLARED not in made
    assert made["our-b200"]["nodes"] == next(count for kind, count in COUNTS.items() if kind.name == DECLARED)
    assert made["our-b200"]["sources"]["numa"] == "NodeProfile"

    cluster.request("DELETE", f"{PROFILES}/our-b200")
    until(lambda: DECLARED in classes(cluster), what="the class of the reports")
    assert "our-b200" not in classes(cluster)


def test_a_class_whose_reports_are_gone_has_no_nodes_but_is_remembered(cluster: ControlPlane, exported: Path) -> None:
    assert exported.exists()
    for member in FLEET:
        if member.kind.name == LOST:
            cluster.request("DELETE", f"{REPORTS}/{member.name}")

    until(lambda: classes(cluster)[LOST]["nodes"] == 0, seconds=40, what="the end of the class")
    assert "free" not in classes(cluster)[LOST]
    assert sum(one["nodes"] for one in classes(cluster).values()) == 400 - sum(
        count for kind, count in COUNTS.items() if kind.name == LOST
    )
