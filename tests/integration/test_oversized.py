"""A pod whose review is larger than numagate reads, sent through a real API server."""

import pytest
from controlplane.cluster import ControlPlane
from gpupods import gpu_pod

from webhook.web.body import MAX_BYTES

pytestmark = pytest.mark.usefixtures("webhook_service")


def test_whoever_creates_it_is_told_the_limit(control_plane: ControlPlane, namespace: str) -> None:
    pod = gpu_pod(namespace)
    # Go writes each of these as six characters, so that a pod of little more than a mebibyte is a review of eight.
    pod["spec"]["containers"][0]["env"] = [{"name": "A", "value": "<" * (MAX_BYTES // 6 + 1000)}]

    answer = control_plane.request("POST", f"/api/v1/namespaces/{namespace}/pods?dryRun=All", pod)

    assert (answer.status, answer.body["reason"]) == (413, "RequestEntityTooLarge")
    assert answer.body["message"].endswith(
        f"denied the request: the review of this pod is larger than {MAX_BYTES} bytes, so it cannot be judged: "
        "make the pod smaller"
    )
