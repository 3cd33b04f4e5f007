"""The controller and a serving replica against a real API server, each with exactly its rendered rights."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from controlplane.cluster import ControlPlane
from controlplane.identity import CONTROLLER
from controlplane.identity import SERVING
from controlplane.numagate_api import NAMESPACE
from controlplane.process import until
from controlplane.replicas import LEASE_PATH
from controlplane.replicas import WORLD_PATH
from controlplane.replicas import Replica
from controlplane.replicas import api_server_away
from controlplane.replicas import controller
from controlplane.replicas import created
from controlplane.replicas import labelled
from controlplane.replicas import serving
from controlplane.replicas import snapshot_text
from controlplane.replicas import until_denied
from controlplane.service import numagate
from gpupods import REPAIRED
from gpupods import gpu_pod
from nodeobjects import H100
from nodeobjects import node
from nodeobjects import rte_report
from serving import review_body

from webhook.sources.snapshot_reader import Reader

NODES = ["node-a", "node-b", "node-c", "node-d"]
POLICIES = "/apis/numagate.io/v1alpha1/alignmentpolicies"
PROFILES = "/apis/numagate.io/v1alpha1/nodeprofiles"
REPORTS = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies"
MERGE = "application/merge-patch+json"


@pytest.fixture(scope="module")
def cluster(world_cluster: ControlPlane) -> ControlPlane:
    """Fill the cluster with four nodes that report their topology, and a policy that only looks."""
    for name in NODES:
        created(world_cluster, "/api/v1/nodes", node(name, labels={"nvidia.com/gpu.product": H100}, cpu=192, gpus=8))
        # The API server taints a new node, as long as no kubelet says that it is ready.
        world_cluster.request("PATCH", f"/api/v1/nodes/{name}", {"spec": {"taints": None}}, content=MERGE)
        created(world_cluster, REPORTS, rte_report(name))
    created(world_cluster, POLICIES, policy("default", enforce="none"))
    return world_cluster


@pytest.fixture(scope="module")
def leader(cluster: ControlPlane, case_certificates: Path) -> Iterator[Replica]:
    """Run a controller for all tests of this file."""
    with controller(cluster, case_certificates) as running:
        yield running.until_ready()


@pytest.fixture(scope="module")
def replica(cluster: ControlPlane, leader: Replica, case_certificates: Path) -> Iterator[Replica]:
    """Run a serving replica for all tests of this file."""
    assert leader.is_ready()
    with serving(cluster, case_certificates) as running:
        yield running.until_ready()


def policy(name: str, **modes: str) -> dict[str, Any]:
    """Write a policy."""
    spec = {"governs": "accelerators", "modes": {"repair": "none", "warn": "none", "audit": "aligned", **modes}}
    return {"apiVersion": "numagate.io/v1alpha1", "kind": "AlignmentPolicy", "metadata": {"name": name}, "spec": spec}


def condition(cluster: ControlPlane, path: str) -> dict[str, Any]:
    """Answer the condition Accepted of an object, or an empty one."""
    conditions = cluster.request("GET", path).body.get("status", {}).get("conditions", [])
    return next((one for one in conditions if one["type"] == "Accepted"), {})


def test_before_any_snapshot_a_replica_is_not_ready_and_asks_to_be_asked_again(
    cluster: ControlPlane, case_certificates: Path
) -> None:
    with serving(cluster, case_certificates, "serving-0") as early:
        until(lambda: "there is no such object" in early.readiness(), what="the reason")
        answer = early.http.post("/validate", content=review_body(), headers={"Content-Type": "application/json"})

        assert not early.is_ready()
        assert (answer.status_code, answer.headers["retry-after"]) == (httpx.codes.SERVICE_UNAVAILABLE, "1")


def test_the_first_snapshot_has_one_class_of_four_nodes(cluster: ControlPlane, leader: Replica) -> None:
    world = Reader().read(until(lambda: snapshot_text(cluster)).encode(), "the cluster")

    assert [(one.nodes, one.trusted, one.free is not None) for one in world.classes] == [(4, True, True)]
    assert [one.name for one in world.policies] == ["default"]
    assert leader.metric('numagate_controller_objects{kind="NodeResourceTopology"}') == 4
    assert leader.metric("numagate_controller_leader") == 1


def test_a_replica_is_ready_with_the_age_of_its_snapshot(replica: Replica) -> None:
    assert "[+]world ok: generation " in replica.readiness()
    assert replica.metric("numagate_world_age_seconds") < 70
    assert "generation" in replica.judge("default", gpu_pod("default"))["auditAnnotations"]["world"]


def test_a_namespace_label_is_in_force_soon_and_so_is_its_end(cluster: ControlPlane, replica: Replica) -> None:
    namespace = cluster.create_namespace("team-a")
    pod = gpu_pod(namespace, resources=REPAIRED)
    assert replica.judge(namespace, pod)["allowed"]

    labelled(cluster, namespace, enforce="aligned")
    assert "7500m" in until_denied(replica, namespace, pod)

    labelled(cluster, namespace, enforce=None)
    until(lambda: replica.judge(namespace, pod)["allowed"], what="the end of the label")


def test_a_policy_is_accepted_and_in_force_until_it_is_deleted(cluster: ControlPlane, replica: Replica) -> None:
    namespace = cluster.create_namespace("team-b")
    pod = gpu_pod(namespace, resources=REPAIRED)
    strict = policy("strict", enforce="aligned")
    strict["spec"] |= {"match": {"namespaces": [namespace]}}
    created(cluster, POLICIES, strict)

    until_denied(replica, namespace, pod)
    accepted = until(lambda: condition(cluster, f"{POLICIES}/strict"))
    assert (accepted["status"], accepted["reason"], accepted["observedGeneration"]) == ("True", "Valid", 1)

    cluster.request("DELETE", f"{POLICIES}/strict")
    until(lambda: replica.judge(namespace, pod)["allowed"], what="the end of the policy")


def test_an_object_that_became_wrong_keeps_its_last_good_version(cluster: ControlPlane, leader: Replica) -> None:
    profile = {"apiVersion": "numagate.io/v1alpha1", "kind": "NodeProfile", "metadata": {"name": "spare"}}
    selector = {"matchLabels": {"pool": "spare"}}
    created(cluster, PROFILES, profile | {"spec": {"machine": "generic-2x4", "selector": selector}})
    until(lambda: condition(cluster, f"{PROFILES}/spare").get("status") == "True", what="accepted")
    until(lambda: "spare" in snapshot_text(cluster), what="the class in the snapshot")

    cluster.request("PATCH", f"{PROFILES}/spare", {"spec": {"machine": "no-such-machine"}}, content=MERGE)
    until(lambda: condition(cluster, f"{PROFILES}/spare").get("status") == "False", what="refused")
    refused = condition(cluster, f"{PROFILES}/spare")

    assert "no-such-machine" in refused["message"]
    assert refused["message"].endswith("; the last good version stays in force")
    assert leader.metric('numagate_controller_invalid_objects{kind="NodeProfile"}') == 1
    assert "spare" in {one["name"] for one in json.loads(snapshot_text(cluster))["classes"]}

    cluster.request("DELETE", f"{PROFILES}/spare")


@pytest.mark.parametrize("damage", ["deleted", "emptied", "without data", "corrupted", "another world"])
def test_a_damaged_snapshot_is_written_again_and_nobody_is_refused(
    cluster: ControlPlane, leader: Replica, replica: Replica, damage: str
) -> None:
    refused = replica.metric("numagate_policy_reload_failures_total")
    writes = leader.metric("numagate_world_writes_total")
    patches: dict[str, object] = {
        "emptied": {"data": {"world.json": ""}},
        "without data": {"data": None},
        "corrupted": {"data": {"world.json": '{"apiVersion": "numagate.io/v1alpha1", "kind":'}},
        "another world": {"data": {"world.json": '{"apiVersion":"numagate.io/v2","kind":"World"}'}},
    }
    if damage == "deleted":
        cluster.request("DELETE", WORLD_PATH)
    else:
        cluster.request("PATCH", WORLD_PATH, patches[damage], content=MERGE)

    until(lambda: leader.metric("numagate_world_writes_total") > writes, what="another write")
    until(lambda: replica.metric("numagate_policy_reload_failures_total") > refused, what="a refused content")
    until(lambda: replica.metric("numagate_policy_last_reload_successful") == 1, what="a good content")
    assert replica.is_ready()
    assert replica.judge("default", gpu_pod("default"))["allowed"]
    assert Reader().read(snapshot_text(cluster).encode(), "the cluster").policies


def test_an_api_server_that_is_away_changes_nothing_and_nothing_is_missed(
    cluster: ControlPlane, leader: Replica, replica: Replica
) -> None:
    namespace = cluster.create_namespace("team-c")
    labelled(cluster, namespace, enforce="aligned")
    pod = gpu_pod(namespace, resources=REPAIRED)
    message = until_denied(replica, namespace, pod)

    with api_server_away(cluster):
        until(lambda: replica.metric("numagate_world_watch_failures_total") > 0, what="a failed watch")
        assert (replica.is_ready(), leader.is_ready()) == (True, True)
        assert replica.judge(namespace, pod)["status"]["message"] == message
        assert replica.judge("default", gpu_pod("default"))["allowed"]

    labelled(cluster, namespace, enforce=None)
    until(lambda: replica.judge(namespace, pod)["allowed"], seconds=60, what="the end of the label")


def test_a_second_controller_takes_over_at_once_when_the_leader_ends(
    cluster: ControlPlane, leader: Replica, replica: Replica, case_certificates: Path
) -> None:
    with controller(cluster, case_certificates, "controller-2") as second:
        second.until_ready()
        assert second.metric("numagate_controller_leader") == 0
        assert second.metric("numagate_world_writes_total") == 0

        assert leader.stop() == 0
        assert "holderIdentity" not in cluster.request("GET", LEASE_PATH).body["spec"] or second.metric(
            "numagate_controller_leader"
        )
        # Far less than the 15 seconds of a Lease that was not given up.
        until(lambda: second.metric("numagate_controller_leader") == 1, seconds=8, what="the second leader")
        namespace = cluster.create_namespace("team-d")
        labelled(cluster, namespace, enforce="aligned")
        until_denied(replica, namespace, gpu_pod(namespace, resources=REPAIRED))


@pytest.mark.usefixtures("leader")
def test_the_export_is_the_snapshot_that_the_controller_wrote(cluster: ControlPlane, tmp_path: Path) -> None:
    file = tmp_path / "world.json"
    numagate("world", "export", f"--kubeconfig={cluster.kubeconfig()}", f"--output={file}")

    assert Reader().read(file.read_bytes(), "file").policies
    assert len(json.loads(file.read_text("utf-8"))["classes"]) == 1


def test_without_a_controller_the_export_makes_a_snapshot(cluster: ControlPlane) -> None:
    made = numagate("world", "export", f"--kubeconfig={cluster.kubeconfig()}", "--namespace=elsewhere")

    assert [one["nodes"] for one in json.loads(made)["classes"]] == [4]


@pytest.mark.parametrize(
    ("user", "method", "path"),
    [
        (SERVING, "GET", f"/api/v1/namespaces/{NAMESPACE}/configmaps"),
        (SERVING, "GET", "/api/v1/nodes"),
        (SERVING, "DELETE", WORLD_PATH),
        (CONTROLLER, "GET", f"/api/v1/namespaces/{NAMESPACE}/secrets"),
        (CONTROLLER, "GET", f"/api/v1/namespaces/{NAMESPACE}/configmaps"),
        (CONTROLLER, "POST", f"/api/v1/namespaces/{NAMESPACE}/configmaps"),
        (CONTROLLER, "DELETE", LEASE_PATH),
        (CONTROLLER, "PUT", f"{POLICIES}/default"),
    ],
)
def test_neither_may_do_more_than_it_needs(cluster: ControlPlane, user: str, method: str, path: str) -> None:
    assert cluster.request(method, path, user=user).status == httpx.codes.FORBIDDEN
