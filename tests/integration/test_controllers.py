"""Pods that controllers create: repaired and signed, or refused in one event that is counted."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from caseanswers import codes_of_refusal
from caseanswers import places_of_refusal
from caseobjects import KINDS
from caseobjects import Object
from controlplane.case_service import create_namespace
from controlplane.case_service import opt
from controlplane.cluster import ControlPlane
from controlplane.process import until
from gpupods import REPAIRED
from gpupods import RIGHT
from gpupods import UNFIT
from gpupods import gpu_workload

pytestmark = pytest.mark.usefixtures("webhook_service")

MERGE = "application/merge-patch+json"
TEMPLATED = [kind for kind in KINDS if kind != "Pod"]
OWNERS = {
    "Deployment": "ReplicaSet",
    "ReplicaSet": "ReplicaSet",
    "ReplicationController": "ReplicationController",
    "StatefulSet": "StatefulSet",
    "DaemonSet": "DaemonSet",
    "Job": "Job",
}
"""Kinds that make pods at once, and the kind that a pod of theirs names as its owner."""


def listed(cluster: ControlPlane, namespace: str, what: str = "/api/v1:pods") -> list[Any]:
    root, _, plural = what.partition(":")
    items: list[Any] = cluster.request("GET", f"{root}/namespaces/{namespace}/{plural}").body["items"]
    return items


@pytest.fixture
def node(control_plane: ControlPlane) -> Iterator[str]:
    """Register a node, without which a DaemonSet makes no pod."""
    body = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}}
    assert control_plane.request("POST", "/api/v1/nodes", body).status == 201
    # The API server taints every new node as not ready, which is for the node controller to take away.
    control_plane.request("PATCH", "/api/v1/nodes/node-1", {"spec": {"taints": None}}, content=MERGE)
    yield "node-1"
    control_plane.request("DELETE", "/api/v1/nodes/node-1")


@pytest.mark.parametrize("kind", OWNERS)
@pytest.mark.usefixtures("node")
def test_the_pods_that_a_controller_makes_are_repaired_and_signed(
    control_plane: ControlPlane, namespace: str, kind: str
) -> None:
    applied = control_plane.kubectl("apply", "-f", "-", input=gpu_workload(kind, namespace, resources=REPAIRED))

    (made,) = until(lambda: listed(control_plane, namespace), what=f"the pod of the {kind}")

    assert "server: write limits.cpu: 8 " in applied.stderr
    assert [owner["kind"] for owner in made["metadata"]["ownerReferences"]] == [OWNERS[kind]]
    values = {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "1"}
    assert made["spec"]["containers"][0]["resources"] == {"requests": values, "limits": values}
    assert made["metadata"]["labels"]["numagate.io/level"] == "aligned"
    promise = json.loads(made["metadata"]["annotations"]["numagate.io/alignment"])
    assert promise["containers"] == {"server": {"cpus": 8, "memory": 64 << 30, "devices": {"nvidia.com/gpu": 1}}}
    assert made["status"]["qosClass"] == "Guaranteed"


def test_a_job_made_from_a_cron_job_gets_its_pod_repaired(control_plane: ControlPlane, namespace: str) -> None:
    control_plane.kubectl("apply", "-f", "-", input=gpu_workload("CronJob", namespace, resources=REPAIRED))

    control_plane.kubectl("create", "job", "-n", namespace, "now", "--from=cronjob/one")
    (made,) = until(lambda: listed(control_plane, namespace), what="the pod of the Job")

    assert made["spec"]["containers"][0]["resources"]["limits"]["cpu"] == "8"
    assert made["metadata"]["labels"]["numagate.io/level"] == "aligned"


def test_replicas_come_to_the_number_asked_for_and_no_further(control_plane: ControlPlane, namespace: str) -> None:
    control_plane.kubectl(
        "apply", "-f", "-", input=gpu_workload("Deployment", namespace, resources=REPAIRED, replicas=3)
    )

    def settled() -> bool:
        (replica_set,) = listed(control_plane, namespace, "/apis/apps/v1:replicasets") or [{"status": {}}]
        return bool(replica_set["status"].get("replicas") == 3)

    until(settled, what="three replicas in the status")
    assert len(listed(control_plane, namespace)) == 3
    assert failures(control_plane, namespace) == []


@pytest.mark.parametrize("kind", TEMPLATED)
def test_a_template_that_can_never_be_aligned_is_refused_at_apply(
    control_plane: ControlPlane, namespace: str, kind: str
) -> None:
    done = control_plane.kubectl("apply", "-f", "-", input=gpu_workload(kind, namespace, resources=UNFIT), check=False)

    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert 'admission webhook "templates.validate.numagate.io" denied the request: container server: ' in line
    assert places_of_refusal(line)[0] == f"{KINDS[kind][1]}.containers[0].resources.limits[nvidia.com/gpu]"
    assert codes_of_refusal(line) == {"misfit"}


@pytest.fixture
def unseen(control_plane: ControlPlane, namespace_names: Iterator[str]) -> Iterator[str]:
    """Create a namespace that numagate is not asked about, as before it was installed."""
    name = create_namespace(control_plane, next(namespace_names))
    yield name
    opt(control_plane, name, out=True)  # a controller that is refused would go on asking during other tests


def failures(cluster: ControlPlane, namespace: str) -> list[Any]:
    return [event for event in listed(cluster, namespace, "/api/v1:events") if event["reason"] == "FailedCreate"]


def from_now_on(cluster: ControlPlane, namespace: str) -> None:
    """Let numagate be asked about a namespace, and wait until the API server does so."""
    opt(cluster, namespace, out=False)
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments?dryRun=All"
    scout = gpu_workload("Deployment", namespace, name="scout", resources=UNFIT)
    until(lambda: cluster.request("POST", path, scout).status == 403, what="the first refusal")


def condition(obj: Object, name: str) -> Any:
    found = [item for item in obj["status"].get("conditions", []) if item["type"] == name]
    return found[0] if found else None


def test_pods_of_an_old_deployment_are_refused_in_one_event_with_a_count(
    control_plane: ControlPlane, unseen: str
) -> None:
    control_plane.kubectl("apply", "-f", "-", input=gpu_workload("Deployment", unseen, resources=UNFIT, replicas=0))
    from_now_on(control_plane, unseen)

    scaled = control_plane.kubectl("scale", "-n", unseen, "deployment/one", "--replicas=1")
    until(lambda: sum(one["count"] for one in failures(control_plane, unseen)) >= 4, what="four refusals")

    assert scaled.stderr == ""
    assert listed(control_plane, unseen) == []
    (event,) = failures(control_plane, unseen)
    assert event["involvedObject"]["kind"] == "ReplicaSet"
    (replica_set,) = listed(control_plane, unseen, "/apis/apps/v1:replicasets")
    failed = condition(replica_set, "ReplicaFailure")
    assert (failed["status"], failed["reason"]) == ("True", "FailedCreate")
    assert f"Error creating: {failed['message']}" == event["message"]
    assert 'admission webhook "pods.validate.numagate.io" denied the request: container server: ' in event["message"]
    assert places_of_refusal(event["message"])[0] == "spec.containers[0].resources.limits[nvidia.com/gpu]"
    assert len(event["message"].encode()) < 1024


def test_a_refused_deployment_says_why_in_its_own_condition(control_plane: ControlPlane, unseen: str) -> None:
    control_plane.kubectl("apply", "-f", "-", input=gpu_workload("Deployment", unseen, resources=UNFIT, replicas=0))
    from_now_on(control_plane, unseen)
    control_plane.kubectl("scale", "-n", unseen, "deployment/one", "--replicas=1")

    def failed() -> Any:
        (deployment,) = listed(control_plane, unseen, "/apis/apps/v1:deployments")
        return condition(deployment, "ReplicaFailure")

    assert "denied the request: container server: " in until(failed, what="the condition")["message"]


def test_a_cured_template_gets_its_pods(control_plane: ControlPlane, unseen: str) -> None:
    control_plane.kubectl("apply", "-f", "-", input=gpu_workload("Deployment", unseen, resources=UNFIT, replicas=0))
    from_now_on(control_plane, unseen)
    control_plane.kubectl("scale", "-n", unseen, "deployment/one", "--replicas=1")
    until(lambda: failures(control_plane, unseen), what="a refusal")

    cured = control_plane.kubectl(
        "apply", "-f", "-", input=gpu_workload("Deployment", unseen, resources=RIGHT, replicas=1)
    )
    (made,) = until(lambda: listed(control_plane, unseen), what="the pod")

    assert cured.stderr == ""
    assert made["metadata"]["labels"]["numagate.io/level"] == "aligned"


def test_a_level_in_a_template_or_selector_is_refused_at_apply(control_plane: ControlPlane, namespace: str) -> None:
    deployment = gpu_workload("Deployment", namespace)
    deployment["spec"]["template"]["metadata"]["labels"]["numagate.io/level"] = "aligned"

    done = control_plane.kubectl("apply", "-f", "-", input=deployment, check=False)

    assert done.returncode == 1
    assert codes_of_refusal(done.stderr.strip()) == {"level-in-template"}
    assert places_of_refusal(done.stderr) == ["spec.template.metadata.labels[numagate.io/level]"]
