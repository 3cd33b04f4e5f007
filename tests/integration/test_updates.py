"""What may happen to an admitted pod: its promise stays, and nothing that has no part in it waits for numagate."""

from collections.abc import Iterator
from typing import Any

import pytest
from caseanswers import codes_of_refusal
from caseanswers import places_of_refusal
from controlplane.case_service import create_namespace
from controlplane.case_service import opt
from controlplane.cluster import Answer
from controlplane.cluster import ControlPlane
from controlplane.process import until
from controlplane.service import WebhookService
from gpupods import UNFIT
from gpupods import gpu_pod
from gpupods import gpu_workload
from gpupods import plain_pod

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
ALIGNMENT = "numagate.io/alignment"
HELPERS = {"proxy": "500m/256Mi"}

pytestmark = pytest.mark.usefixtures("webhook_service")


@pytest.fixture
def pod(control_plane: ControlPlane, namespace: str) -> str:
    """Create an admitted pod `one` with a helper; answer its path."""
    control_plane.kubectl("create", "-f", "-", input=gpu_pod(namespace, helpers=HELPERS))
    return f"/api/v1/namespaces/{namespace}/pods/one"


def metadata_of(cluster: ControlPlane, path: str) -> Any:
    return cluster.request("GET", path).body["metadata"]


@pytest.mark.parametrize(
    ("command", "change"),
    [
        (["annotate", "--overwrite", "pod/one", f"{ALIGNMENT}={{}}"], f"{ALIGNMENT} may not be changed"),
        (["annotate", "pod/one", f"{ALIGNMENT}-"], f"{ALIGNMENT} may not be removed"),
        (["annotate", "pod/one", "numagate.io/numa-nodes=2"], "numagate.io/numa-nodes may not be added"),
        (["label", "--overwrite", "pod/one", "numagate.io/level=exclusive"], "numagate.io/level may not be changed"),
        (["label", "pod/one", "numagate.io/level-"], "numagate.io/level may not be removed"),
    ],
    ids=["changed", "removed", "numa-nodes", "label-changed", "label-removed"],
)
def test_nobody_changes_a_promise(
    control_plane: ControlPlane, namespace: str, pod: str, command: list[str], change: str
) -> None:
    before = metadata_of(control_plane, pod)

    done = control_plane.kubectl("-n", namespace, *command, check=False)

    assert done.returncode == 1
    assert f'admission webhook "promise.validate.numagate.io" denied the request: {change} ' in done.stderr
    assert codes_of_refusal(done.stderr.strip()) == {"changed-promise"}
    assert metadata_of(control_plane, pod) == before


def test_an_ordinary_person_may_not_either(control_plane: ControlPlane, namespace: str, pod: str) -> None:
    done = control_plane.kubectl(
        "-n", namespace, "annotate", "pod/one", f"{ALIGNMENT}-", user="ml-engineer", check=False
    )

    assert done.returncode == 1
    assert "may not be removed" in done.stderr
    assert ALIGNMENT in metadata_of(control_plane, pod)["annotations"]


def test_a_promise_cannot_be_put_on_a_pod_that_earned_none(control_plane: ControlPlane, namespace: str) -> None:
    control_plane.kubectl("create", "-f", "-", input=plain_pod(namespace))

    done = control_plane.kubectl("-n", namespace, "annotate", "pod/plain", f"{ALIGNMENT}={{}}", check=False)

    assert done.returncode == 1
    assert f"{ALIGNMENT} may not be added" in done.stderr


@pytest.mark.parametrize(
    "changed",
    [
        {"labels": {"team": "a"}},
        {"annotations": {"example.com/note": "x"}},
        {"finalizers": ["example.com/hold"]},
        {"finalizers": None},
        {"ownerReferences": None},
    ],
    ids=["label", "annotation", "finalizer", "no-finalizer", "no-owner"],
)
def test_other_metadata_never_reaches_the_service(
    control_plane: ControlPlane, webhook_service: WebhookService, pod: str, changed: dict[str, Any]
) -> None:
    before = webhook_service.requests_seen()

    answer = control_plane.request("PATCH", pod, {"metadata": changed}, content=MERGE)

    assert (answer.status, answer.warnings) == (200, ())
    assert webhook_service.requests_seen() == before


RUNNING = {
    "status": {
        "phase": "Running",
        "hostIP": "192.0.2.1",
        "podIP": "192.0.2.2",
        "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": "2026-06-01T12:00:00Z"}],
        "containerStatuses": [
            {
                "name": "server",
                "image": "x",
                "imageID": "x",
                "ready": True,
                "restartCount": 0,
                "state": {"running": {"startedAt": "2026-06-01T12:00:00Z"}},
            }
        ],
    }
}


def test_what_a_kubelet_reports_never_reaches_the_service(
    control_plane: ControlPlane, webhook_service: WebhookService, pod: str
) -> None:
    before = webhook_service.requests_seen()

    answer = control_plane.request("PATCH", f"{pod}/status", RUNNING, content=STRATEGIC)

    assert (answer.status, answer.body["status"]["phase"]) == (200, "Running")
    assert webhook_service.requests_seen() == before


@pytest.mark.parametrize(
    "changed", [{"annotations": {ALIGNMENT: "{}"}}, {"labels": {"numagate.io/level": None}}], ids=["changed", "removed"]
)
def test_a_status_update_is_no_way_to_a_promise(control_plane: ControlPlane, pod: str, changed: dict[str, Any]) -> None:
    answer = control_plane.request("PATCH", f"{pod}/status", {**RUNNING, "metadata": changed}, content=STRATEGIC)

    assert answer.status == 403
    assert codes_of_refusal(answer.body["message"]) == {"changed-promise"}


def resize(cluster: ControlPlane, pod: str, container: str, values: dict[str, str]) -> Answer:
    changed = [{"name": container, "resources": {"requests": values, "limits": values}}]
    return cluster.request("PATCH", f"{pod}/resize", {"spec": {"containers": changed}}, content=STRATEGIC)


@pytest.mark.parametrize(("resource", "value"), [("cpu", "10"), ("cpu", "7500m"), ("memory", "32Gi")])
def test_a_resize_that_breaks_the_promise_is_refused_with_the_cure(
    control_plane: ControlPlane, pod: str, resource: str, value: str
) -> None:
    answer = resize(control_plane, pod, "server", {resource: value})

    assert answer.status == 403
    assert "container server: a resize of " in answer.body["message"]
    assert "recreate the pod" in answer.body["message"]
    assert places_of_refusal(answer.body["message"]) == [f"spec.containers[0].resources.requests[{resource}]"]
    made = control_plane.request("GET", pod).body["spec"]["containers"][0]["resources"]
    assert made["limits"] == {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "1"}


def test_a_resize_of_a_helper_passes_with_a_warning(control_plane: ControlPlane, pod: str) -> None:
    before = metadata_of(control_plane, pod)["annotations"]

    answer = resize(control_plane, pod, "proxy", {"cpu": "700m", "memory": "512Mi"})

    assert (answer.status, answer.body["spec"]["containers"][1]["resources"]["limits"]["cpu"]) == (200, "700m")
    (warning,) = answer.warnings
    assert "Infeasible" in warning
    assert metadata_of(control_plane, pod)["annotations"] == before


def test_a_resize_of_a_helper_to_a_whole_cpu_breaks_the_promise(control_plane: ControlPlane, pod: str) -> None:
    answer = resize(control_plane, pod, "proxy", {"cpu": "1"})

    assert answer.status == 403
    assert "container proxy: a resize of cpu from 500m to 1 " in answer.body["message"]


def test_kubectl_debug_works(control_plane: ControlPlane, namespace: str, pod: str) -> None:
    done = control_plane.kubectl(
        "-n", namespace, "debug", "one", "--image=registry.example/debug:1", "--target=server", "--container=look"
    )

    assert "denied" not in done.stderr
    (debugger,) = control_plane.request("GET", pod).body["spec"]["ephemeralContainers"]
    assert debugger["name"] == "look"


def test_an_eviction_and_a_deletion_pass(
    control_plane: ControlPlane, webhook_service: WebhookService, namespace: str, pod: str
) -> None:
    eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "one", "namespace": namespace}}
    before = webhook_service.requests_seen()

    evicted = control_plane.request("POST", f"{pod}/eviction?dryRun=All", eviction)
    deleted = control_plane.request("DELETE", f"{pod}?gracePeriodSeconds=0")

    assert (evicted.status, deleted.status) == (201, 200)
    assert control_plane.request("GET", pod).status == 404
    assert webhook_service.requests_seen() == before


def test_binding_a_pod_passes(control_plane: ControlPlane, namespace: str, pod: str) -> None:
    target = {"apiVersion": "v1", "kind": "Node", "name": "some-node"}
    body = {
        "apiVersion": "v1",
        "kind": "Binding",
        "metadata": {"name": "one", "namespace": namespace},
        "target": target,
    }

    answer = control_plane.request("POST", f"{pod}/binding", body)

    assert answer.status == 201
    assert control_plane.request("GET", pod).body["spec"]["nodeName"] == "some-node"


@pytest.fixture
def old_deployment(control_plane: ControlPlane, namespace_names: Iterator[str]) -> Iterator[str]:
    """Create a Deployment that would be refused, where numagate was not asked; answer its namespace."""
    name = create_namespace(control_plane, next(namespace_names))
    control_plane.kubectl("apply", "-f", "-", input=gpu_workload("Deployment", name, resources=UNFIT, replicas=0))
    opt(control_plane, name, out=False)
    path = f"/api/v1/namespaces/{name}/pods?dryRun=All"
    until(lambda: control_plane.request("POST", path, gpu_pod(name, resources=UNFIT)).status == 403)
    yield name
    opt(control_plane, name, out=True)  # a controller that is refused would go on asking during other tests


@pytest.mark.parametrize(
    "command",
    [
        ["scale", "deployment/one", "--replicas=1"],
        ["rollout", "restart", "deployment/one"],
        ["rollout", "pause", "deployment/one"],
        ["label", "deployment/one", "team=a"],
        ["autoscale", "deployment/one", "--max=3"],
        ["delete", "deployment/one"],
    ],
    ids=lambda command: command[0] + "-" + command[1].partition("/")[0],
)
def test_an_old_deployment_may_change_in_what_is_not_its_template(
    control_plane: ControlPlane, old_deployment: str, command: list[str]
) -> None:
    done = control_plane.kubectl("-n", old_deployment, *command)

    assert "numagate" not in done.stderr


def test_an_old_deployment_may_not_get_another_unfit_template(control_plane: ControlPlane, old_deployment: str) -> None:
    done = control_plane.kubectl(
        "-n", old_deployment, "set", "resources", "deployment/one", "--limits=cpu=16", "--requests=cpu=16", check=False
    )

    assert done.returncode == 1
    assert 'admission webhook "templates.validate.numagate.io" denied the request: ' in done.stderr
