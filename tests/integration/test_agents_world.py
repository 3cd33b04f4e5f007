"""A cluster without an exporter: the controller knows its nodes by their agents, and an API server decides by it."""

import itertools
import subprocess
from collections.abc import Iterator
from datetime import UTC
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from controlplane.cluster import ControlPlane
from controlplane.process import until
from controlplane.replicas import Replica
from controlplane.replicas import controller
from controlplane.replicas import created
from controlplane.replicas import serving
from controlplane.replicas import snapshot_text
from controlplane.service import registered
from gpupods import REPAIRED
from gpupods import UNFIT
from gpupods import gpu_pod
from nodeobjects import GIB
from nodeobjects import agent_report
from nodeobjects import node

from webhook.domain.topology import NodeClass
from webhook.engine.readiness import WARNING
from webhook.sources.snapshot_reader import Reader

NODES = ("node-a", "node-b", "node-c")
API = "/apis/numagate.io/v1alpha1"
TYPE = {"node.kubernetes.io/instance-type": "ours.8x"}
GATE = {"conditionType": "numagate.io/Aligned"}
OPERATIONS = Path(__file__).parents[2] / "docs" / "operations.md"


@pytest.fixture(scope="module")
def cluster(world_cluster: ControlPlane) -> ControlPlane:
    """Fill the cluster with three nodes, what their agents wrote a moment ago, and a policy that wants gates."""
    for name in NODES:
        created(world_cluster, "/api/v1/nodes", node(name, labels=TYPE, cpu=192, memory=2048 * GIB, gpus=8))
        created(world_cluster, f"{API}/nodealignments", agent_report(name, seen=f"{datetime.now(UTC):%FT%TZ}"))
    head = {"apiVersion": "numagate.io/v1alpha1", "kind": "AlignmentPolicy", "metadata": {"name": "default"}}
    created(world_cluster, f"{API}/alignmentpolicies", {**head, "spec": {"verification": {"readinessGate": True}}})
    return world_cluster


@pytest.fixture(scope="module", autouse=True)
def _running(cluster: ControlPlane, case_certificates: Path) -> Iterator[Replica]:
    """Let the API server ask a replica that goes by what a controller writes."""
    with controller(cluster, case_certificates) as leader, serving(cluster, case_certificates) as replica:
        leader.until_ready()
        with registered(cluster, replica.until_ready()):
            yield replica


@pytest.fixture(scope="module")
def namespace(cluster: ControlPlane) -> str:
    """Create a namespace for all tests."""
    return cluster.create_namespace("team-a")


def known(cluster: ControlPlane) -> list[NodeClass]:
    """Answer the classes of the snapshot that have nodes."""
    world = Reader().read(snapshot_text(cluster).encode(), "the cluster")
    return [one for one in world.classes if one.nodes]


def create(cluster: ControlPlane, pod: dict[str, Any]) -> tuple[int, dict[str, Any], str]:
    """Create a pod; answer status, object and warnings."""
    answer = cluster.request("POST", f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods", pod)
    return answer.status, answer.body, " ".join(answer.warnings)


def test_the_agents_are_all_that_is_needed_to_know_the_nodes(cluster: ControlPlane) -> None:
    world = Reader().read(until(lambda: snapshot_text(cluster)).encode(), "the cluster")
    (only,) = world.classes

    assert (only.nodes, only.trusted, only.verified) == (3, True, True)
    assert {world.sources[only.name][field] for field in ("numa", "kubelet.topologyManagerPolicy")} == {"NodeAlignment"}
    assert only.kubelet.full_pcpus_only
    assert only.free is not None


def test_a_pod_that_none_of_these_nodes_would_align_is_refused(cluster: ControlPlane, namespace: str) -> None:
    status, body, _ = create(cluster, gpu_pod(namespace, "unfit", UNFIT))

    assert status == httpx.codes.FORBIDDEN
    assert "ours.8x" in body["message"]


def test_a_pod_is_repaired_for_these_nodes_and_waits_for_their_agents(cluster: ControlPlane, namespace: str) -> None:
    status, body, warnings = create(cluster, gpu_pod(namespace, "waits", REPAIRED))

    assert (status, body["spec"]["readinessGates"]) == (httpx.codes.CREATED, [GATE])
    assert body["spec"]["containers"][0]["resources"]["limits"]["cpu"] == "8"
    assert WARNING in warnings


def test_the_commands_of_the_runbook_find_pods_that_wait_and_let_them_be_ready(
    cluster: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    section = OPERATIONS.read_text("utf-8").partition("## Readiness gates")[2].partition("\n## ")[0]
    script = section.partition("```bash\n")[2].partition("```")[0]
    path = f"{cluster.programs['kubectl'].parent}:/usr/bin:/bin"
    # kubectl keeps a cache in the home directory, and without one where it stands.
    environment = {"KUBECONFIG": str(cluster.kubeconfig()), "PATH": path, "HOME": str(tmp_path)}
    done = subprocess.run(["/bin/bash", "-euc", script], env=environment, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    status = cluster.request("GET", f"/api/v1/namespaces/{namespace}/pods/waits").body["status"]
    (condition,) = [one for one in status["conditions"] if one["type"] == "numagate.io/Aligned"]
    assert (condition["status"], condition["reason"]) == ("True", "SetByHand")


def test_without_enough_agents_nothing_is_refused_and_without_any_nobody_waits(
    cluster: ControlPlane, namespace: str
) -> None:
    cluster.request("DELETE", f"{API}/nodealignments/node-c")
    # It has just joined, and has time to get its agent.
    until(lambda: [(one.nodes, one.trusted, one.verified) for one in known(cluster)] == [(2, False, True)])

    def admitted() -> bool:
        return create(cluster, gpu_pod(namespace, "unfit", UNFIT))[0] == httpx.codes.CREATED

    until(admitted, what="the replica to know")
    cluster.request("DELETE", f"{API}/nodealignments")
    until(lambda: not known(cluster))
    numbers = itertools.count()

    def waits() -> bool:
        status, body, _ = create(cluster, gpu_pod(namespace, f"free-{next(numbers)}"))
        assert status == httpx.codes.CREATED
        return "readinessGates" in body["spec"]

    until(lambda: not waits(), what="the replica to know")
