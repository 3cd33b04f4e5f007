"""Who raises the level of a namespace is warned about its running pods, by the controller and a real API server."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from controlplane.cluster import ControlPlane
from controlplane.process import until
from controlplane.replicas import Replica
from controlplane.replicas import controller
from controlplane.replicas import created
from controlplane.replicas import snapshot_text
from gpupods import REPAIRED
from gpupods import RIGHT
from gpupods import UNFIT
from gpupods import gpu_pod
from gpupods import plain_pod

from webhook.manifests.choices import read_settings
from webhook.manifests.webhooks import configurations

API = "/apis/numagate.io/v1alpha1"
ENFORCE = "numagate.io/enforce"
MANY = 3000


def document(kind: str, name: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "numagate.io/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}


@pytest.fixture(scope="module")
def cluster(world_cluster: ControlPlane) -> ControlPlane:
    """Fill the cluster with a policy that only looks, one for namespaces with a label, and a machine."""
    modes = {"enforce": "none", "repair": "none"}
    created(world_cluster, f"{API}/alignmentpolicies", document("AlignmentPolicy", "default", modes=modes))
    gold = document(
        "AlignmentPolicy", "gold", priority=1, match={"namespaceSelector": {"matchLabels": {"tier": "gold"}}}
    )
    created(world_cluster, f"{API}/alignmentpolicies", gold)
    profile = document("NodeProfile", "pool", machine="generic-2x4", selector={"matchLabels": {"pool": "gpu"}})
    created(world_cluster, f"{API}/nodeprofiles", profile)
    return world_cluster


@pytest.fixture(scope="module")
def replica(cluster: ControlPlane, case_certificates: Path) -> Iterator[Replica]:
    """Run a controller that the API server asks about namespaces."""
    with controller(cluster, case_certificates) as running:
        running.until_ready()
        until(lambda: '"pool"' in snapshot_text(cluster), what="the snapshot")
        register(cluster, str(running.http.base_url), (case_certificates / "ca.crt").read_bytes())
        namespace = cluster.create_namespace("scout")
        until(lambda: warned(cluster, namespace, **{ENFORCE: "x"}), what="the first question")
        yield running


def register(cluster: ControlPlane, url: str, ca: bytes) -> None:
    """Install the one entry of the validating configuration that the controller answers for."""
    policy = read_settings().policy
    _, made = configurations(policy, url=url, controller_url=url, ca_bundle=ca, selected=["tier"])
    entries: Any = made["webhooks"]
    made["webhooks"] = [one for one in entries if one["name"].startswith("namespaces.")]
    cluster.kubectl("apply", "-f", "-", input=made)


def warned(cluster: ControlPlane, namespace: str, **labels: str | None) -> tuple[str, ...]:
    """Answer the warnings about new labels of a namespace, tried only."""
    path = f"/api/v1/namespaces/{namespace}?dryRun=All"
    patch = {"metadata": {"labels": labels}}
    answer = cluster.request("PATCH", path, patch, content="application/merge-patch+json")
    assert answer.status == 200, answer.body
    return tuple(text.replace('\\"', '"') for text in answer.warnings)


def owned(pod: dict[str, Any], kind: str, name: str) -> dict[str, Any]:
    """Let a pod belong to a controller of this kind and name."""
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": name, "controller": True}
    return {**pod, "metadata": {**pod["metadata"], "ownerReferences": [owner]}}


def run(cluster: ControlPlane, pods: list[dict[str, Any]]) -> None:
    """Create pods, several at a time."""
    path = f"/api/v1/namespaces/{pods[0]['metadata']['namespace']}/pods"
    with ThreadPoolExecutor(max_workers=4) as pool:
        list(pool.map(lambda pod: created(cluster, path, pod), pods))


@pytest.mark.usefixtures("replica")
def test_kubectl_shows_which_pods_a_raised_level_would_refuse(cluster: ControlPlane) -> None:
    team = cluster.create_namespace("team-a")
    shapes = {"llama": RIGHT, "qwen": REPAIRED, "gemma": UNFIT}
    pods = [
        owned(gpu_pod(team, f"{name}-{number}", shape), "StatefulSet", name)
        for name, shape in shapes.items()
        for number in range(3)
    ]
    run(cluster, [*pods, gpu_pod(team, "alone", UNFIT), plain_pod(team)])

    done = cluster.kubectl("label", "namespace", team, f"{ENFORCE}=aligned")

    assert done.stdout == "namespace/team-a labeled\n"
    assert done.stderr.splitlines() == [
        'Warning: existing pods in namespace "team-a" violate numagate level "aligned": 7 of 11',
        (
            "Warning: alone, gemma (4 pods): server: 8 nvidia.com/gpu never fit one NUMA node of pool (4 per NUMA n…: "
            "write at most 4 [misfit]"
        ),
        (
            "Warning: qwen (3 pods): server: cpu 7500m is not a whole number, so the container gets no exclusive CP…: "
            "write 8 [fractional-cpu]"
        ),
    ]


@pytest.mark.usefixtures("replica")
def test_a_label_that_brings_another_policy_counts_as_raising(cluster: ControlPlane) -> None:
    team = cluster.create_namespace("team-b")
    run(cluster, [gpu_pod(team, "one", UNFIT)])

    assert warned(cluster, team, tier="gold")[0] == (
        'existing pods in namespace "team-b" violate numagate level "aligned": 1 of 1'
    )


@pytest.mark.usefixtures("replica")
def test_a_wrong_level_is_told(cluster: ControlPlane) -> None:
    team = cluster.create_namespace("team-c")

    assert warned(cluster, team, **{ENFORCE: "high"}) == (
        "numagate.io/enforce: 'high' is no level: write one of none, guaranteed, exclusive, aligned",
    )


def test_the_controller_is_asked_about_our_labels_only(cluster: ControlPlane, replica: Replica) -> None:
    team = cluster.create_namespace("team-d")
    asked = 'numagate_http_requests_total{pass="namespaces",status="200"}'
    before = replica.metric(asked)

    warned(cluster, team, other="label")
    unasked = replica.metric(asked) - before
    warned(cluster, team, tier="silver")

    assert (unasked, replica.metric(asked) - before) == (0, 1)


@pytest.mark.usefixtures("replica")
def test_three_thousand_pods_do_not_keep_anyone_waiting(cluster: ControlPlane) -> None:
    team = cluster.create_namespace("team-e")
    pods = [owned(gpu_pod(team, f"qwen-{number:04}", REPAIRED), "Job", "qwen") for number in range(MANY)]
    run(cluster, pods)

    texts = warned(cluster, team, **{ENFORCE: "aligned"})

    # The API server waits for 2 seconds: without an answer there would be no warning at all.
    assert texts[0].startswith('existing pods in namespace "team-e" violate numagate level "aligned": ')
    assert len(texts) == 2 or "of 3,000 pods in" in texts[-1]


def test_without_a_controller_labels_change_as_ever(cluster: ControlPlane, replica: Replica) -> None:
    team = cluster.create_namespace("team-f")
    replica.stop()

    done = cluster.kubectl("label", "namespace", team, f"{ENFORCE}=aligned")

    assert (done.stdout, done.stderr) == ("namespace/team-f labeled\n", "")
