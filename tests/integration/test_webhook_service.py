"""The real service behind a real API server: it is asked about pods with accelerators, and about no others."""

from controlplane.cluster import ControlPlane
from controlplane.service import SCOUT
from controlplane.service import WebhookService

PLAIN = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "plain"},
    "spec": {"containers": [{"name": "main", "image": "registry.example/app:1"}]},
}


def test_a_pod_with_an_accelerator_is_judged_by_both_passes(
    control_plane: ControlPlane, webhook_service: WebhookService, namespace: str
) -> None:
    before = webhook_service.requests_seen()

    answer = control_plane.request("POST", f"/api/v1/namespaces/{namespace}/pods?dryRun=All", SCOUT)

    assert answer.status == 201, answer.body
    assert answer.body["metadata"]["labels"]["numagate.io/level"] == "aligned"
    assert webhook_service.requests_seen() == before + 2


def test_a_pod_without_an_accelerator_never_reaches_the_service(
    control_plane: ControlPlane, webhook_service: WebhookService, namespace: str
) -> None:
    before = webhook_service.requests_seen()

    answer = control_plane.request("POST", f"/api/v1/namespaces/{namespace}/pods?dryRun=All", PLAIN)

    assert answer.status == 201
    assert webhook_service.requests_seen() == before
