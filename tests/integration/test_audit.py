"""What the API server's audit log keeps of a decision: codes and levels, never a manifest's text."""

from typing import Any

import pytest
from caseobjects import Object
from controlplane.cluster import ControlPlane
from controlplane.process import until
from gpupods import REPAIRED
from gpupods import UNFIT
from gpupods import gpu_pod
from gpupods import gpu_workload

pytestmark = pytest.mark.usefixtures("webhook_service")


def noted(cluster: ControlPlane, namespace: str, obj: Object, *, entry: str, resource: str = "pods") -> dict[str, str]:
    """Create an object, and answer what a webhook entry noted about it, by the key without the entry's name."""
    cluster.kubectl("create", "-f", "-", input=obj, check=False)
    (event,) = until(
        lambda: cluster.audit_events("create", resource=resource, namespace=namespace), what="the audit event"
    )
    annotations: dict[str, Any] = event["annotations"]
    prefix = f"{entry}.numagate.io/"
    return {key.removeprefix(prefix): value for key, value in annotations.items() if key.startswith(prefix)}


def test_an_admitted_pod_is_noted_with_its_level(control_plane: ControlPlane, namespace: str) -> None:
    found = noted(control_plane, namespace, gpu_pod(namespace, resources=REPAIRED), entry="pods.validate")

    assert found == {
        "decision": "accept",
        "level": "aligned",
        "policy": "default",
        "fits": "1 of 1 node classes",
    }


def test_a_refused_pod_is_noted_with_the_codes(control_plane: ControlPlane, namespace: str) -> None:
    found = noted(control_plane, namespace, gpu_pod(namespace, resources=UNFIT), entry="pods.validate")

    assert found == {
        "decision": "deny",
        "level": "exclusive",
        "policy": "default",
        "findings": "misfit",
        "fits": "0 of 1 node classes",
    }


def test_the_mutating_pass_notes_no_decision(control_plane: ControlPlane, namespace: str) -> None:
    found = noted(control_plane, namespace, gpu_pod(namespace, resources=REPAIRED), entry="pods.mutate")

    assert found == {}


@pytest.mark.parametrize(("resources", "decision"), [(REPAIRED, "repair"), (UNFIT, "deny")])
def test_a_template_is_noted_too(control_plane: ControlPlane, namespace: str, resources: str, decision: str) -> None:
    deployment = gpu_workload("Deployment", namespace, resources=resources, replicas=0)

    found = noted(control_plane, namespace, deployment, entry="templates.validate", resource="deployments")

    assert found["decision"] == decision
