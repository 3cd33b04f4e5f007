"""Whatever happens to the snapshot, the API server or the controller: no wrong answer, and nobody has to help."""

import contextlib
import json
from collections.abc import Callable
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from controlplane.cluster import ControlPlane
from controlplane.pressure import Pressure
from controlplane.pressure import Question
from controlplane.pressure import answer_of
from controlplane.pressure import pressure
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
from gpupods import REPAIRED
from gpupods import RIGHT
from gpupods import UNFIT
from gpupods import gpu_pod
from nodeobjects import H100
from nodeobjects import node
from nodeobjects import rte_report

from webhook.domain import api
from webhook.sources.snapshot_reader import Reader

NODES = ["node-a", "node-b", "node-c", "node-d"]
REPORTS = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies"
POLICIES = "/apis/numagate.io/v1alpha1/alignmentpolicies"
MERGE = "application/merge-patch+json"
STRICT, LOOSE = "team-strict", "team-loose"
ENOUGH = 30
"""Answers that make a load of one; the load gives as many in a second."""

LOAD = [
    Question("validate", STRICT, gpu_pod(STRICT, resources=RIGHT), "allowed"),
    Question("mutate", STRICT, gpu_pod(STRICT, resources=REPAIRED), "repaired"),
    Question("validate", STRICT, gpu_pod(STRICT, resources=UNFIT), "denied"),
    Question("validate", LOOSE, gpu_pod(LOOSE, resources=UNFIT), "allowed"),
]


@pytest.fixture(scope="module")
def cluster(world_cluster: ControlPlane) -> ControlPlane:
    """Fill the cluster: nodes that report their topology, a policy that looks, a namespace that asks for more."""
    for name in NODES:
        created(world_cluster, "/api/v1/nodes", node(name, labels={"nvidia.com/gpu.product": H100}, cpu=192, gpus=8))
        created(world_cluster, REPORTS, rte_report(name))
    modes = {"enforce": "none", "repair": "none", "warn": "none", "audit": "aligned"}
    spec = {"governs": "accelerators", "modes": modes}
    policy = {"apiVersion": api.API_VERSION, "kind": api.POLICY, "metadata": {"name": "default"}, "spec": spec}
    created(world_cluster, POLICIES, policy)
    for name in (STRICT, LOOSE):
        world_cluster.create_namespace(name)
    labelled(world_cluster, STRICT, enforce="aligned", repair="aligned")
    return world_cluster


@pytest.fixture(scope="module")
def leader(cluster: ControlPlane, case_certificates: Path) -> Iterator[Replica]:
    """Run a controller; a test that ends it starts it again."""
    with controller(cluster, case_certificates) as running:
        yield running.until_ready()


@pytest.fixture(scope="module")
def replica(cluster: ControlPlane, leader: Replica, case_certificates: Path) -> Iterator[Replica]:
    """Run a serving replica; a test that ends it starts it again."""
    assert leader.is_ready()
    with serving(cluster, case_certificates) as running:
        running.until_ready()
        until(lambda: [answer_of(running, one) for one in LOAD] == [one.wanted for one in LOAD], what="the world")
        yield running


def broken(text: str) -> dict[str, Any]:
    """Write what is no JSON."""
    return {"data": {api.WORLD_KEY: text.replace(":", ";")}}


def halved(text: str) -> dict[str, Any]:
    """Cut the text in half."""
    return {"data": {api.WORLD_KEY: text[: len(text) // 2]}}


def unreadable_class(text: str) -> dict[str, Any]:
    """Spoil one field of one class."""
    world = json.loads(text)
    world["classes"][0]["spec"]["numa"] = "two"
    return {"data": {api.WORLD_KEY: json.dumps(world)}}


def emptied(_text: str) -> dict[str, Any]:
    """Take the data away."""
    return {"data": None}


REFUSED = [broken, halved, unreadable_class, emptied]


def damage(cluster: ControlPlane, patch: dict[str, Any] | None) -> None:
    """Change the ConfigMap; None deletes it."""
    answer = (
        cluster.request("DELETE", WORLD_PATH)
        if patch is None
        else cluster.request("PATCH", WORLD_PATH, patch, content=MERGE)
    )
    assert answer.status == 200, answer.body


def until_answered(found: Pressure) -> None:
    """Wait until the load has had its answers in the state that is."""
    before = found.seen.total()
    until(lambda: found.seen.total() >= before + ENOUGH, what="answers under load")


def has_refused(replica: Replica, times: float) -> bool:
    """Tell whether the replica has refused so many contents since it started."""
    return replica.metric("numagate_policy_reload_failures_total") >= times


def has_good_snapshot(cluster: ControlPlane) -> bool:
    """Tell whether the ConfigMap holds the world again."""
    with contextlib.suppress(Exception):
        return bool(Reader().read(snapshot_text(cluster).encode(), "the cluster").policies)
    return False


@pytest.mark.parametrize("spoil", [None, *REFUSED])
def test_a_snapshot_that_is_damaged_under_load_is_written_again_and_no_answer_changes(
    cluster: ControlPlane, leader: Replica, replica: Replica, spoil: Callable[[str], dict[str, Any]] | None
) -> None:
    writes = leader.metric("numagate_world_writes_total")
    with pressure(replica, LOAD) as found:
        damage(cluster, None if spoil is None else spoil(snapshot_text(cluster)))
        until(lambda: leader.metric("numagate_world_writes_total") > writes, what="another write")
        until(lambda: has_good_snapshot(cluster), what="a good snapshot")
        until(lambda: replica.metric("numagate_policy_last_reload_successful") == 1, what="a good content")
        until_answered(found)

    assert found.wrong == []
    assert replica.is_ready()


def test_a_snapshot_without_policies_denies_nothing_and_is_written_again(
    cluster: ControlPlane, leader: Replica, replica: Replica
) -> None:
    writes = leader.metric("numagate_world_writes_total")
    world = json.loads(snapshot_text(cluster)) | {"policies": []}
    with pressure(replica, LOAD[:2]) as found:
        damage(cluster, {"data": {api.WORLD_KEY: json.dumps(world)}})
        until(lambda: leader.metric("numagate_world_writes_total") > writes, what="another write")
        until(lambda: has_good_snapshot(cluster), what="a good snapshot")
        until(lambda: answer_of(replica, LOAD[2]) == "denied", what="the policy in force again")

    assert "denied" not in found.seen


def test_without_a_controller_the_last_good_snapshot_stays_in_force(
    cluster: ControlPlane, leader: Replica, replica: Replica
) -> None:
    leader.stop()
    good = snapshot_text(cluster)
    with pressure(replica, LOAD) as found:
        for spoil in REFUSED:
            refused = replica.metric("numagate_policy_reload_failures_total") + 1
            damage(cluster, spoil(good))
            until(partial(has_refused, replica, refused), what="a refused content")
        until_answered(found)
        assert "a newer content was refused" in replica.readiness()
        leader.start()
        leader.until_ready()
        until(lambda: has_good_snapshot(cluster), seconds=40, what="a good snapshot")
        until(lambda: replica.metric("numagate_policy_last_reload_successful") == 1, what="a good content")

    assert found.wrong == []


def test_an_api_server_that_restarts_under_load_changes_no_answer_and_nothing_is_missed(
    cluster: ControlPlane, leader: Replica, replica: Replica
) -> None:
    failures = replica.metric("numagate_world_watch_failures_total")
    with pressure(replica, LOAD) as found:
        with api_server_away(cluster):
            until(lambda: replica.metric("numagate_world_watch_failures_total") > failures, what="a failed watch")
            until_answered(found)
            assert (replica.is_ready(), leader.is_ready()) == (True, True)
        until_answered(found)
    assert found.wrong == []

    labelled(cluster, LOOSE, enforce="aligned")
    until(lambda: answer_of(replica, LOAD[3]) == "denied", seconds=60, what="the label in force")
    labelled(cluster, LOOSE, enforce=None)
    until(lambda: answer_of(replica, LOAD[3]) == "allowed", what="the end of the label")


def test_a_replica_that_starts_without_an_api_server_waits_for_it_and_denies_nothing(
    cluster: ControlPlane, replica: Replica
) -> None:
    with api_server_away(cluster):
        replica.stop()
        replica.start()
        until(lambda: "policy failed" in replica.readiness(), what="an answer of the probe")
        assert [answer_of(replica, one) for one in LOAD] == ["status 503"] * len(LOAD)

    replica.until_ready()
    assert [answer_of(replica, one) for one in LOAD] == [one.wanted for one in LOAD]


def test_the_controller_killed_a_second_one_takes_over_when_the_lease_ends(
    cluster: ControlPlane, leader: Replica, replica: Replica, case_certificates: Path
) -> None:
    until(lambda: leader.metric("numagate_controller_leader") == 1, seconds=40, what="the leader")
    with controller(cluster, case_certificates, "controller-2") as second, pressure(replica, LOAD) as found:
        second.until_ready()
        leader.daemon.process.kill()
        leader.daemon.process.wait()
        assert second.metric("numagate_controller_leader") == 0
        until(lambda: second.metric("numagate_controller_leader") == 1, seconds=40, what="another leader")
        assert cluster.request("GET", LEASE_PATH).body["spec"]["holderIdentity"] == "controller-2"

        labelled(cluster, LOOSE, warn="aligned")
        until(lambda: '"numagate.io/warn"' in snapshot_text(cluster), what="the label in the snapshot")
        until_answered(found)
        labelled(cluster, LOOSE, warn=None)

    assert found.wrong == []
    leader.start()
    leader.until_ready()


def test_a_snapshot_that_no_config_map_holds_is_not_written_and_the_log_says_why(
    cluster: ControlPlane, leader: Replica, replica: Replica
) -> None:
    until(lambda: leader.metric("numagate_controller_leader") == 1, seconds=40, what="the leader")
    failures = leader.metric("numagate_world_write_failures_total")
    with pressure(replica, LOAD) as found:
        cluster.kubectl("create", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": large_profiles()})
        until(lambda: leader.metric("numagate_world_write_failures_total") > failures, seconds=40, what="a refusal")
        until_answered(found)
        assert "the snapshot is too large for a ConfigMap: " in leader.logs()
        assert has_good_snapshot(cluster)

        cluster.kubectl("delete", "nodeprofiles", "--all")
        labelled(cluster, LOOSE, warn="aligned")
        until(lambda: '"numagate.io/warn"' in snapshot_text(cluster), seconds=40, what="the label in the snapshot")

    assert found.wrong == []


def large_profiles() -> list[dict[str, Any]]:
    """Write profiles whose classes are together larger than a ConfigMap."""
    labels = {f"example.com/a-label-with-a-long-key-{number}": "x" * 63 for number in range(400)}
    return [
        {
            "apiVersion": api.API_VERSION,
            "kind": api.PROFILE,
            "metadata": {"name": f"large-{number}"},
            "spec": {"machine": "generic-2x4", "selector": {"matchLabels": {"pool": str(number), **labels}}},
        }
        for number in range(30)
    ]
