"""Nothing of numagate runs while its configurations say Fail: the cluster and numagate come back by themselves."""

import time
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from controlplane.balancer import Balancer
from controlplane.cluster import ControlPlane
from controlplane.deployment import Deployment
from controlplane.numagate_api import NAMESPACE
from controlplane.process import until
from controlplane.replicas import Replica
from controlplane.replicas import api_server_away
from gpupods import gpu_pod
from gpupods import plain_pod
from nodeobjects import node
from promises import Figures
from promises import Scale

from webhook.manifests.choices import read_settings
from webhook.manifests.overlays import flat

TEAM, NETWORK = "team-a", "kube-flannel"
CALL_FAILED = 'failed calling webhook "pods.mutate.numagate.io"'
BACK_SECONDS = 60.0


@pytest.fixture(scope="module")
def empty_service(scale: Scale) -> Iterator[Balancer]:
    """Run a Service behind which nobody is yet."""
    with Balancer(lag=scale.of(short=0.3, long=1.5)) as running:
        yield running


@pytest.fixture(scope="module")
def enforcing(world_cluster: ControlPlane, empty_service: Balancer, case_certificates: Path) -> ControlPlane:
    """Install the overlay `enforce` whole; its configurations call the Service."""
    settings = read_settings(url=empty_service.url, ca_bundle=case_certificates / "ca.crt")
    items = flat(settings, "enforce")
    world_cluster.kubectl("apply", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": items})
    for name in (TEAM, NETWORK):
        world_cluster.create_namespace(name)
    until(lambda: CALL_FAILED in wanted(world_cluster), what="a refusal for want of an answer")
    return world_cluster


def wanted(cluster: ControlPlane) -> str:
    """Create an accelerator pod as a dry run; answer why it was refused, "" where it was not."""
    answer = cluster.request("POST", f"/api/v1/namespaces/{TEAM}/pods?dryRun=All", gpu_pod(TEAM))
    return "" if answer.status == 201 else str(answer.body["message"])


def own_pod(cluster: ControlPlane, name: str) -> dict[str, Any]:
    """Write a pod as the Deployment that is installed makes it."""
    made = cluster.request("GET", f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/{name}").body["spec"]["template"]
    metadata = {**made["metadata"], "generateName": f"{name}-", "namespace": NAMESPACE}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": made["spec"]}


def mirror_pod() -> dict[str, Any]:
    """Write what a kubelet shows of a static pod."""
    pod = plain_pod("kube-system", "kube-apiserver-node-a")
    owner = {"apiVersion": "v1", "kind": "Node", "name": "node-a", "uid": "1", "controller": True}
    pod["metadata"] |= {"annotations": {"kubernetes.io/config.mirror": "1"}, "ownerReferences": [owner]}
    pod["spec"] |= {"nodeName": "node-a", "hostNetwork": True}
    return pod


def bootstrap(cluster: ControlPlane) -> list[dict[str, Any]]:
    """Write what a cluster creates before a pod of numagate can run."""
    network = plain_pod(NETWORK, "flannel-1")
    network["spec"] |= {"hostNetwork": True, "tolerations": [{"operator": "Exists"}]}
    lease = {"metadata": {"name": "node-a", "namespace": "kube-node-lease"}, "spec": {"holderIdentity": "node-a"}}
    return [
        node("node-a", cpu=192, gpus=8),
        {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", **lease},
        mirror_pod(),
        network,
        plain_pod("kube-system", "coredns-1"),
        # Whatever serves the cluster's own devices is in kube-system, and may ask for them.
        gpu_pod("kube-system", "device-validator"),
        own_pod(cluster, "numagate"),
        own_pod(cluster, "numagate-controller"),
    ]


def create(cluster: ControlPlane, obj: dict[str, Any]) -> str:
    """Create an object for good; answer what was wrong, "" for nothing."""
    group, kind = obj["apiVersion"], f"{obj['kind'].lower()}s"
    space = obj["metadata"].get("namespace")
    path = f"/{'api' if group == 'v1' else 'apis'}/{group}{f'/namespaces/{space}' if space else ''}/{kind}"
    answer = cluster.request("POST", path, obj)
    return "" if answer.status == 201 else f"{obj['kind']} {obj['metadata']}: {answer.body['message']}"


def test_a_cluster_that_starts_again_with_fail_in_place_comes_up_by_itself(
    enforcing: ControlPlane, empty_service: Balancer, make_replica: Callable[[str], Replica], figures: Figures
) -> None:
    with api_server_away(enforcing):
        pass
    began = time.monotonic()
    # Until the API server has read its configurations it takes nothing at all.
    until(lambda: create(enforcing, plain_pod("default")) == "", what="the first pod", seconds=60)
    refusals = [create(enforcing, obj) for obj in bootstrap(enforcing)]
    waiting = wanted(enforcing)

    with Deployment(empty_service, make_replica, replicas=1):
        until(lambda: wanted(enforcing) == "", what="the first accelerator pod", seconds=60)
        figures.add("B4", "from the API server's start to an accelerator pod (s)", time.monotonic() - began)

    assert refusals == [""] * len(refusals)
    assert CALL_FAILED in waiting


def test_all_replicas_lost_at_once_come_back_through_the_configurations_that_wait_for_them(
    enforcing: ControlPlane,
    empty_service: Balancer,
    make_replica: Callable[[str], Replica],
    scale: Scale,
    figures: Figures,
) -> None:
    with Deployment(empty_service, make_replica, replicas=scale.of(short=1, long=3)) as deployment:
        until(lambda: wanted(enforcing) == "", what="an accelerator pod")
        for replica in deployment.replicas:
            replica.kill()
        began = time.monotonic()
        until(lambda: CALL_FAILED in wanted(enforcing), what="a refusal for want of an answer")
        refusals = [create(enforcing, own_pod(enforcing, "numagate")) for _ in deployment.replicas]
        for replica in deployment.replicas:
            replica.start()
        until(lambda: wanted(enforcing) == "", what="an accelerator pod", seconds=60)

    figures.add(
        "B3", "from the loss of all replicas to an accelerator pod (s)", time.monotonic() - began, at_most=BACK_SECONDS
    )
    assert refusals == [""] * len(refusals)
