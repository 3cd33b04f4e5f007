"""What docs/operations.md says about repairs and the rest of the cluster, tried."""

from typing import Any

import pytest
from controlplane.cluster import ControlPlane
from controlplane.process import until

IMAGE = "registry.internal/ai/vllm:v0.4.6"
GPU = {"nvidia.com/gpu": "1"}
pytestmark = pytest.mark.usefixtures("webhook_service")


def pod(namespace: str, requests: dict[str, str], limits: dict[str, str]) -> dict[str, Any]:
    container = {"name": "server", "image": IMAGE, "resources": {"requests": requests, "limits": {**GPU, **limits}}}
    metadata = {"name": "one", "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}


def deployment(namespace: str) -> dict[str, Any]:
    labels = {"app": "one"}
    template = {"metadata": {"labels": labels}, "spec": pod(namespace, {"cpu": "7500m", "memory": "40Gi"}, {})["spec"]}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    metadata = {"name": "one", "namespace": namespace}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}


def resources(cluster: ControlPlane, namespace: str, name: str = "one") -> dict[str, Any]:
    body = cluster.request("GET", f"/api/v1/namespaces/{namespace}/pods/{name}").body
    found: dict[str, Any] = body["spec"]["containers"][0]["resources"]
    return found


def test_a_bare_pod_with_filled_values_can_be_applied_again(control_plane: ControlPlane, namespace: str) -> None:
    manifest = pod(namespace, {"cpu": "8", "memory": "40Gi"}, {})
    first = control_plane.kubectl("apply", "-f", "-", input=manifest)

    again = control_plane.kubectl("apply", "-f", "-", input=manifest)
    difference = control_plane.kubectl("diff", "-f", "-", input=manifest, check=False)

    assert "limits.cpu unset -> 8" in first.stderr
    assert (again.stdout, difference.returncode) == ("pod/one unchanged\n", 0)


def test_a_bare_pod_with_a_changed_value_cannot_and_the_warning_says_what_to_write(
    control_plane: ControlPlane, namespace: str
) -> None:
    manifest = pod(namespace, {"cpu": "7500m", "memory": "40Gi"}, {})
    first = control_plane.kubectl("apply", "-f", "-", input=manifest)

    again = control_plane.kubectl("apply", "-f", "-", input=manifest, check=False)
    cured = control_plane.kubectl(
        "apply", "-f", "-", input=pod(namespace, {"cpu": "8", "memory": "40Gi"}, {"cpu": "8", "memory": "40Gi"})
    )

    assert "write requests.cpu: 8" in first.stderr
    assert "pod updates may not change fields" in again.stderr
    assert cured.returncode == 0


def test_replacing_a_bare_pod_by_force_repairs_it_again(control_plane: ControlPlane, namespace: str) -> None:
    manifest = pod(namespace, {"cpu": "7500m", "memory": "40Gi"}, {})
    control_plane.kubectl("apply", "-f", "-", input=manifest)

    control_plane.kubectl("replace", "--force", "--grace-period=0", "-f", "-", input=manifest)

    assert resources(control_plane, namespace)["limits"]["cpu"] == "8"


def test_a_template_shows_no_difference_after_it_was_applied(control_plane: ControlPlane, namespace: str) -> None:
    control_plane.kubectl("apply", "-f", "-", input=deployment(namespace))

    difference = control_plane.kubectl("diff", "-f", "-", input=deployment(namespace), check=False)

    assert (difference.returncode, difference.stdout) == (0, "")


def test_the_pods_of_a_template_are_repaired(control_plane: ControlPlane, namespace: str) -> None:
    control_plane.kubectl("apply", "-f", "-", input=deployment(namespace))
    path = f"/api/v1/namespaces/{namespace}/pods"

    (created,) = until(lambda: control_plane.request("GET", path).body["items"], what="the pod of the Deployment")

    assert created["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "8"


def test_a_quota_counts_the_repaired_values(control_plane: ControlPlane, namespace: str) -> None:
    control_plane.kubectl("create", "quota", "-n", namespace, "cpus", "--hard=limits.cpu=10")
    path = f"/api/v1/namespaces/{namespace}/resourcequotas/cpus"
    until(lambda: "used" in control_plane.request("GET", path).body["status"], what="the quota")
    pods = f"/api/v1/namespaces/{namespace}/pods"

    refused = control_plane.request("POST", pods, pod(namespace, {"cpu": "10500m", "memory": "40Gi"}, {}))
    taken = control_plane.request("POST", pods, pod(namespace, {"cpu": "9500m", "memory": "40Gi"}, {}))

    assert (refused.status, taken.status) == (403, 201)
    assert "exceeded quota: cpus, requested: limits.cpu=12" in refused.body["message"]
    assert control_plane.request("GET", path).body["status"]["used"] == {"limits.cpu": "10"}


def limit_range(cluster: ControlPlane, namespace: str, **limits: dict[str, str]) -> None:
    spec = {"limits": [{"type": "Container", **limits}]}
    body = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "limits"}, "spec": spec}
    assert cluster.request("POST", f"/api/v1/namespaces/{namespace}/limitranges", body).status == 201


def test_defaults_of_a_limit_range_are_no_wish(control_plane: ControlPlane, namespace: str) -> None:
    limit_range(control_plane, namespace, default={"memory": "128Mi"})
    manifest = pod(namespace, {"cpu": "8"}, {"cpu": "8"})
    path = f"/api/v1/namespaces/{namespace}/pods"

    # The API server learns of the LimitRange by watch; before, nothing is named in the annotation.
    until(lambda: _defaulted(control_plane.request("POST", f"{path}?dryRun=All", manifest).body), what="the defaults")
    answer = control_plane.request("POST", path, manifest)

    assert answer.body["spec"]["containers"][0]["resources"]["limits"]["memory"].endswith("Gi")


def test_a_maximum_of_a_limit_range_holds_for_repaired_values(control_plane: ControlPlane, namespace: str) -> None:
    limit_range(control_plane, namespace, default={"memory": "128Mi"}, max={"memory": "1Gi"})
    path = f"/api/v1/namespaces/{namespace}/pods?dryRun=All"
    manifest = pod(namespace, {"cpu": "8"}, {"cpu": "8"})

    until(lambda: control_plane.request("POST", path, manifest).status == 403, what="the maximum")
    answer = control_plane.request("POST", path, manifest)

    assert "maximum memory usage per Container is 1Gi, but limit is" in answer.body["message"]


def _defaulted(created: dict[str, Any]) -> bool:
    return "kubernetes.io/limit-ranger" in created["metadata"].get("annotations", {})


def test_a_resize_that_breaks_the_promise_is_denied(control_plane: ControlPlane, namespace: str) -> None:
    values = {"cpu": "8", "memory": "40Gi"}
    control_plane.kubectl("apply", "-f", "-", input=pod(namespace, values, values))
    larger = {"cpu": "9"}
    patch = {"spec": {"containers": [{"name": "server", "resources": {"requests": larger, "limits": larger}}]}}

    answer = control_plane.request(
        "PATCH",
        f"/api/v1/namespaces/{namespace}/pods/one/resize",
        patch,
        content="application/strategic-merge-patch+json",
    )

    assert answer.status == 403
    assert "recreate the pod" in answer.body["message"]
