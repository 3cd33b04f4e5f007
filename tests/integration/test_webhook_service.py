"""The real service behind a real API server: it is asked about pods with accelerators, and about no others."""

from pathlib import Path

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


def test_the_kernel_may_write_no_core_dump_of_the_service(webhook_service: WebhookService) -> None:
    limits = Path(f"/proc/{webhook_service.daemon.process.pid}/limits").read_text("ascii").splitlines()

    (core,) = [line.split()[4:6] for line in limits if line.startswith("Max core file size")]
    assert core in (["1", "1"], ["0", "0"])
