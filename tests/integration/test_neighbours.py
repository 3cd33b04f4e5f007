"""Numagate beside what else lives in a cluster: appliers, injectors, autoscalers, defaults and quotas."""

import json
from typing import Any

import pytest
from caseanswers import codes_of_refusal
from caseanswers import repairs_in
from caseobjects import Object
from controlplane.cluster import ControlPlane
from controlplane.mutator import mutator
from controlplane.process import until
from gpupods import REPAIRED
from gpupods import gpu_pod
from gpupods import gpu_workload

pytestmark = pytest.mark.usefixtures("webhook_service")

MERGE = "application/merge-patch+json"
SIDES = ("requests", "limits")


def created(cluster: ControlPlane, namespace: str, pod: Object) -> Any:
    answer = cluster.request("POST", f"/api/v1/namespaces/{namespace}/pods?dryRun=All", pod)
    assert answer.status == 201, answer.body
    return answer.body


def container(pod: Any, name: str) -> Any:
    return next(item for item in pod["spec"]["containers"] if item["name"] == name)


def promise(pod: Any) -> Any:
    return json.loads(pod["metadata"]["annotations"]["numagate.io/alignment"])


# --- appliers ---


@pytest.mark.parametrize("how", [[], ["--server-side"]], ids=["client-side", "server-side"])
def test_a_workload_in_git_never_differs_from_the_cluster(
    control_plane: ControlPlane, namespace: str, how: list[str]
) -> None:
    manifest = gpu_workload("Deployment", namespace, resources=REPAIRED, replicas=1)
    control_plane.kubectl("apply", *how, "-f", "-", input=manifest)

    difference = control_plane.kubectl("diff", *how, "-f", "-", input=manifest, check=False)
    again = control_plane.kubectl("apply", *how, "-f", "-", input=manifest)

    assert (difference.returncode, difference.stdout) == (0, "")
    assert (again.stdout.split()[-1], again.stderr) == ("serverside-applied" if how else "unchanged", "")


def test_a_bare_pod_applied_by_the_server_again_is_refused_for_the_repaired_value(
    control_plane: ControlPlane, namespace: str
) -> None:
    manifest = gpu_pod(namespace, resources=REPAIRED)
    control_plane.kubectl("apply", "--server-side", "-f", "-", input=manifest)

    again = control_plane.kubectl("apply", "--server-side", "-f", "-", input=manifest, check=False)

    assert again.returncode == 1
    assert 'The Pod "one" is invalid: spec: Forbidden: pod updates may not change fields other than' in again.stderr


def test_a_bare_pod_with_filled_values_is_applied_by_the_server_again(
    control_plane: ControlPlane, namespace: str
) -> None:
    manifest = gpu_pod(namespace, resources="-/-/1")
    control_plane.kubectl("apply", "--server-side", "-f", "-", input=manifest)

    again = control_plane.kubectl("apply", "--server-side", "-f", "-", input=manifest)
    difference = control_plane.kubectl("diff", "--server-side", "-f", "-", input=manifest, check=False)

    assert (again.stdout, difference.returncode) == ("pod/one serverside-applied\n", 0)
    made = control_plane.request("GET", f"/api/v1/namespaces/{namespace}/pods/one").body
    assert container(made, "server")["resources"]["limits"]["cpu"] == "22"


def test_a_bare_pod_as_the_warnings_say_is_unchanged_from_then_on(control_plane: ControlPlane, namespace: str) -> None:
    first = control_plane.kubectl("apply", "-f", "-", input=gpu_pod(namespace, resources=REPAIRED))
    cured = gpu_pod(namespace, resources="8/64Gi/1")

    again = control_plane.kubectl("apply", "-f", "-", input=cured)
    difference = control_plane.kubectl("diff", "-f", "-", input=cured, check=False)

    assert len(repairs_in(first.stderr.splitlines())) == 2
    assert (again.stdout, again.stderr, difference.returncode) == ("pod/one configured\n", "", 0)


# --- webhooks that come later ---


def test_an_injected_sidecar_without_values_is_repaired(control_plane: ControlPlane, namespace: str) -> None:
    def inject(pod: dict[str, Any]) -> list[dict[str, Any]]:
        names = [item["name"] for item in pod["spec"]["containers"]]
        sidecar = {"name": "istio-proxy", "image": "registry.example/istio/proxyv2:1"}
        return [] if "istio-proxy" in names else [{"op": "add", "path": "/spec/containers/-", "value": sidecar}]

    with mutator(control_plane, namespace, inject, name="z-injector"):
        pod = created(control_plane, namespace, gpu_pod(namespace))

    values = {"cpu": "500m", "memory": "512Mi"}
    assert container(pod, "istio-proxy")["resources"] == {"requests": values, "limits": values}
    assert container(pod, "server")["resources"]["limits"]["cpu"] == "8"
    assert list(promise(pod)["containers"]) == ["server"]


@pytest.mark.parametrize("name", ["a-recommender", "z-recommender"], ids=["before", "after"])
def test_a_recommender_with_a_fraction_of_a_cpu_is_repaired(
    control_plane: ControlPlane, namespace: str, name: str
) -> None:
    def recommend(pod: dict[str, Any]) -> list[dict[str, Any]]:
        cpu = pod["spec"]["containers"][0]["resources"]["limits"]["cpu"]
        place = "/spec/containers/0/resources"
        return [{"op": "add", "path": f"{place}/{side}/cpu", "value": "3850m"} for side in SIDES if cpu == "8"]

    with mutator(control_plane, namespace, recommend, name=name):
        pod = created(control_plane, namespace, gpu_pod(namespace))

    assert container(pod, "server")["resources"]["requests"]["cpu"] == "4"
    assert promise(pod)["containers"]["server"]["cpus"] == 4


def test_a_webhook_that_insists_is_refused_and_not_fought(control_plane: ControlPlane, namespace: str) -> None:
    def insist(pod: dict[str, Any]) -> list[dict[str, Any]]:
        if "nvidia.com/gpu" not in pod["spec"]["containers"][0]["resources"]["limits"]:
            return []
        place = "/spec/containers/0/resources"
        return [{"op": "add", "path": f"{place}/{side}/cpu", "value": "3850m"} for side in SIDES]

    with mutator(control_plane, namespace, insist, name="z-insistent"):
        path = f"/api/v1/namespaces/{namespace}/pods?dryRun=All"
        answer = control_plane.request("POST", path, gpu_pod(namespace))

    assert answer.status == 403
    assert "container server: " in answer.body["message"]
    assert codes_of_refusal(answer.body["message"]) >= {"fractional-cpu"}


# --- defaults and quotas of a namespace ---


def test_defaults_of_a_limit_range_are_no_wish_for_the_server_and_stay_for_helpers(
    control_plane: ControlPlane, namespace: str
) -> None:
    defaults = {"default": {"cpu": "100m", "memory": "128Mi"}, "defaultRequest": {"cpu": "50m", "memory": "32Mi"}}
    body = {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "limits"},
        "spec": {"limits": [{"type": "Container", **defaults}]},
    }
    assert control_plane.request("POST", f"/api/v1/namespaces/{namespace}/limitranges", body).status == 201
    pod = gpu_pod(namespace, resources="-/-/1", helpers={"proxy": None})

    def defaulted() -> Any:
        made = created(control_plane, namespace, pod)
        return "kubernetes.io/limit-ranger" in made["metadata"]["annotations"] and made

    made = until(defaulted, what="the defaults")
    assert container(made, "proxy")["resources"]["requests"] == {"cpu": "100m", "memory": "128Mi"}
    assert container(made, "server")["resources"]["requests"]["cpu"] == "22"
    assert container(made, "server")["resources"]["limits"]["memory"].endswith("Mi")


def test_a_quota_is_charged_for_the_repaired_pod_and_says_so(control_plane: ControlPlane, namespace: str) -> None:
    control_plane.kubectl("create", "quota", "-n", namespace, "team", "--hard=requests.cpu=15,requests.memory=200Gi")
    path = f"/api/v1/namespaces/{namespace}/resourcequotas/team"
    until(lambda: control_plane.request("GET", path).body["status"].get("used"), what="the quota")

    first = control_plane.kubectl("create", "-f", "-", input=gpu_pod(namespace, resources=REPAIRED))
    second = control_plane.kubectl("create", "-f", "-", input=gpu_pod(namespace, "two", REPAIRED), check=False)

    assert "write limits.cpu: 8" in first.stderr
    assert control_plane.request("GET", path).body["status"]["used"] == {"requests.cpu": "8", "requests.memory": "64Gi"}
    assert second.returncode == 1
    refused = (
        'pods "two" is forbidden: exceeded quota: team, requested: requests.cpu=8, used: requests.cpu=8, limited: '
    )
    assert f"{refused}requests.cpu=15" in second.stderr
    assert "write limits.cpu: 8" in second.stderr


# --- autoscalers ---


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "ReplicaSet"])
def test_an_autoscaler_scales_and_the_new_pods_are_repaired(
    control_plane: ControlPlane, namespace: str, kind: str
) -> None:
    manifest = gpu_workload(kind, namespace, resources=REPAIRED, replicas=1, podManagementPolicy="Parallel")
    if kind != "StatefulSet":
        del manifest["spec"]["podManagementPolicy"]
    control_plane.kubectl("apply", "-f", "-", input=manifest)
    path = f"/apis/apps/v1/namespaces/{namespace}/{kind.lower()}s/one/scale"

    answer = control_plane.request("PATCH", path, {"spec": {"replicas": 3}}, content=MERGE)

    def three() -> Any:
        found = control_plane.request("GET", f"/api/v1/namespaces/{namespace}/pods").body["items"]
        return len(found) == 3 and found

    assert (answer.status, answer.warnings) == (200, ())
    pods = until(three, what="three pods")
    assert [container(pod, "server")["resources"]["limits"]["cpu"] for pod in pods] == ["8"] * 3
