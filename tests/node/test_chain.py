"""The whole chain: a pod is repaired, promised, scheduled, admitted, pinned, verified and only then ready, or not."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from builders import GPU
from controlplane.cluster import ControlPlane
from controlplane.identity import NODE
from controlplane.process import until
from controlplane.service import numagate
from node import chain
from node import hardware
from node import pods
from node.chain import TYPE
from node.chain import Agent
from node.chain import condition
from node.container import Container
from node.image import BUSYBOX_IMAGE
from node.image import Image
from node.kubelet import Kubelet
from node.machine import started
from node.programs import Programs
from node.shapes import Shape

from webhook.domain import keys

pytestmark = [
    pytest.mark.node,
    pytest.mark.parametrize("guest", [hardware.SMALL], indirect=True, ids=["2 NUMA nodes"], scope="session"),
]

READY_SECONDS = 600
SHAPE = Shape("chained", "single-numa-node/container")
NAMESPACE = "team-a"
PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"


def serving_pod(name: str, cpus: str, gpus: int, **requests: str) -> dict[str, Any]:
    """Write a pod as people write them; `requests` make it burstable."""
    limits = {"cpu": cpus, "memory": "128Mi", GPU: str(gpus)}
    container = {
        "name": "server",
        "image": BUSYBOX_IMAGE,
        "imagePullPolicy": "Never",
        "command": ["sh", "-c", pods.filling()],
        "resources": {"limits": limits, **({"requests": {**limits, **requests}} if requests else {})},
    }
    spec = {"automountServiceAccountToken": False, "terminationGracePeriodSeconds": 1, "containers": [container]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec}


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Issue a certificate for numagate's processes."""
    folder = tmp_path_factory.mktemp("certificates")
    numagate("certs", "issue", "--dir", str(folder), "--ip", "127.0.0.1")
    return folder


@pytest.fixture
def node(kubelet: Kubelet, node_programs: Programs, node_image: Image, certificates: Path) -> Iterator[Agent]:
    """Run the whole cluster; answer the agent on its node."""
    cluster, guest = kubelet.cluster, kubelet.guest
    started(kubelet, SHAPE)
    chain.import_image(guest)
    chain.forward(guest, cluster)
    with (
        chain.scheduler(cluster, node_programs.built["kube-scheduler"]),
        chain.installed(cluster, certificates, node_image.folders),
    ):
        cluster.create_namespace(NAMESPACE)
        yield Agent(cluster, guest)


def test_a_pod_is_repaired_promised_pinned_and_verified_and_what_is_not_aligned_never_is_ready(
    kubelet: Kubelet, node: Agent
) -> None:
    repaired_to_ready(kubelet)
    misaligned_from_its_start(kubelet, node)
    refused_before_it_is_created(kubelet)


def repaired_to_ready(kubelet: Kubelet) -> None:
    """Apply a burstable pod, and follow it until it is ready."""
    cluster = kubelet.cluster
    cluster.kubectl("apply", "-f", "-", input=serving_pod("right", "2", 1, cpu="1"))
    until(lambda: is_true(cluster, "right", "Ready"), seconds=READY_SECONDS, what="readiness")

    pod = cluster.request("GET", f"{PODS}/right").body
    (container,) = pod["spec"]["containers"]
    assert container["resources"]["requests"] == container["resources"]["limits"]
    assert pod["status"]["qosClass"] == "Guaranteed"
    assert '"numaNodes":1' in pod["metadata"]["annotations"][keys.ALIGNMENT]
    assert pod["spec"]["readinessGates"] == [{"conditionType": TYPE}]
    assert pod["spec"]["nodeName"] == NODE
    cpus, cells = Container(kubelet.guest, pod).read("cpuset.cpus", "cpuset.mems")
    assert (cpus, cells) == ("1-2", "0")
    found = condition(cluster, f"{PODS}/right", TYPE)
    assert (found["status"], found["reason"]) == ("True", "Aligned")


def misaligned_from_its_start(kubelet: Kubelet, agent: Agent) -> None:
    """Move a container to other CPUs before anybody looks: it runs, and is not ready however often one looks."""
    cluster = kubelet.cluster
    with agent.stopped():
        cluster.kubectl("apply", "-f", "-", input=serving_pod("wrong", "2", 1))
        until(lambda: is_true(cluster, "wrong", "ContainersReady"), seconds=READY_SECONDS, what="its containers")
        container = Container(kubelet.guest, cluster.request("GET", f"{PODS}/wrong").body)
        assert container.read("cpuset.cpus") == ["4-5"]
        container.write_for_good("cpuset.cpus", "0,3")
    until(lambda: condition(cluster, f"{PODS}/wrong", TYPE), seconds=READY_SECONDS, what="a verdict")
    looks = agent.looks()
    until(lambda: agent.looks() >= looks + 2, seconds=READY_SECONDS, what="two more looks")

    found = condition(cluster, f"{PODS}/wrong", TYPE)
    assert (found["status"], found["reason"]) == ("False", "Misaligned")
    assert is_true(cluster, "wrong", "ContainersReady")
    ready = condition(cluster, f"{PODS}/wrong", "Ready")
    assert (ready["status"], ready["reason"]) == ("False", "ReadinessGatesNotReady")


def refused_before_it_is_created(kubelet: Kubelet) -> None:
    """Ask for more than a NUMA node has: refused at admission, and by the kubelet for the same reason."""
    cluster = kubelet.cluster
    unfit = serving_pod("unfit", "1", 3)
    refused = cluster.kubectl("apply", "-f", "-", input=unfit, check=False)
    assert refused.returncode != 0
    assert "3 nvidia.com/gpu never fit one NUMA node" in refused.stderr

    # Where numagate is not asked, the kubelet is.
    elsewhere = {**unfit, "metadata": {"name": "unfit", "namespace": "kube-system"}}
    elsewhere["spec"] = {**unfit["spec"], "nodeName": NODE}
    answer = cluster.request("POST", "/api/v1/namespaces/kube-system/pods", elsewhere)
    assert answer.status == httpx.codes.CREATED, answer.body
    status = pods.judged(kubelet, answer.body["metadata"]["uid"])
    assert (status["phase"], status["reason"]) == ("Failed", "TopologyAffinityError")


def is_true(cluster: ControlPlane, pod: str, kind: str) -> bool:
    """Tell whether a condition of a pod is True."""
    return condition(cluster, f"{PODS}/{pod}", kind).get("status") == "True"
