"""Pods with resource claims, against a real API server that serves resource.k8s.io/v1."""

from typing import Any

import pytest
from caseanswers import codes_of_warnings
from caseobjects import Object
from controlplane.cluster import ControlPlane
from gpupods import gpu_pod

pytestmark = pytest.mark.usefixtures("webhook_service")

CLASS = "deviceclass.resource.kubernetes.io/gpu.nvidia.com"


def template(namespace: str) -> Object:
    requests = [{"name": "gpu", "exactly": {"deviceClassName": "gpu.nvidia.com", "count": 2}}]
    constraints = [{"requests": ["gpu"], "matchAttribute": "resource.kubernetes.io/numaNode"}]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "two-gpus", "namespace": namespace},
        "spec": {"spec": {"devices": {"requests": requests, "constraints": constraints}}},
    }


def applied(cluster: ControlPlane, *objects: Object) -> Any:
    """Dry-run on the server; of every document but the last, really: the last refers to them."""
    for item in objects[:-1]:
        cluster.kubectl("apply", "-f", "-", input=item)
    return cluster.kubectl("apply", "--dry-run=server", "-o", "json", "-f", "-", input=objects[-1], check=False)


def test_a_pod_with_a_claim_template_is_warned_and_left_alone(control_plane: ControlPlane, namespace: str) -> None:
    pod = gpu_pod(
        namespace, resources="8/64Gi", resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "two-gpus"}]
    )
    pod["spec"]["containers"][0]["resources"]["claims"] = [{"name": "gpu"}]

    answer = applied(control_plane, template(namespace), pod)

    assert answer.returncode == 0, answer.stderr
    assert codes_of_warnings(answer.stderr.splitlines()) == {"claimed-device"}
    assert "numagate.io/" not in answer.stdout


def test_a_pod_with_a_claim_and_no_cpu_is_only_warned(control_plane: ControlPlane, namespace: str) -> None:
    pod = gpu_pod(namespace, resources="-/-", resourceClaims=[{"name": "gpu", "resourceClaimTemplateName": "two-gpus"}])
    pod["spec"]["containers"][0]["resources"] = {"claims": [{"name": "gpu"}]}

    answer = applied(control_plane, template(namespace), pod)

    assert (answer.returncode, codes_of_warnings(answer.stderr.splitlines())) == (0, {"claimed-device"})


def test_a_resource_that_names_a_device_class_is_repaired_like_any_accelerator(
    control_plane: ControlPlane, namespace: str
) -> None:
    pod = gpu_pod(namespace, resources="7500m/64Gi")
    pod["spec"]["containers"][0]["resources"]["limits"][CLASS] = "1"
    pod["spec"]["containers"][0]["resources"]["requests"][CLASS] = "1"

    answer = applied(control_plane, pod)

    assert answer.returncode == 0, answer.stderr
    assert codes_of_warnings(answer.stderr.splitlines()) == {"claimed-device"}
    assert '"cpu": "8"' in answer.stdout
    assert '"numagate.io/level": "exclusive"' in answer.stdout


def test_a_resource_that_names_a_device_class_is_refused_what_it_cannot_get(
    control_plane: ControlPlane, namespace: str
) -> None:
    pod = gpu_pod(namespace, resources="100/64Gi")
    pod["spec"]["containers"][0]["resources"]["limits"][CLASS] = "1"
    pod["spec"]["containers"][0]["resources"]["requests"][CLASS] = "1"

    answer = applied(control_plane, pod)

    assert answer.returncode == 1
    assert "misfit" in answer.stderr
