"""Nodes are drained one after the other: evictions of numagate's pods wait until the one before is replaced."""

from collections.abc import Iterator
from typing import Any

import pytest
from controlplane.cluster import ControlPlane
from controlplane.process import until
from promises import Figures

from webhook.manifests.choices import read_settings
from webhook.manifests.overlays import flat

REPLICAS = 3
STRATEGIC = "application/strategic-merge-patch+json"


class Pods:
    """The pods of the Deployment `numagate`; nobody runs them, so a test says when they are ready."""

    def __init__(self, cluster: ControlPlane, namespace: str) -> None:
        self._cluster = cluster
        self._path = f"/api/v1/namespaces/{namespace}/pods"

    def all(self) -> list[dict[str, Any]]:
        """Answer those that stay."""
        items = self._cluster.request("GET", f"{self._path}?labelSelector=app.kubernetes.io/name=numagate").body[
            "items"
        ]
        return [pod for pod in items if "deletionTimestamp" not in pod["metadata"]]

    def ready(self) -> list[str]:
        """Answer the names of those that are ready."""
        return [pod["metadata"]["name"] for pod in self.all() if is_ready(pod)]

    def until_ready(self) -> None:
        """Play the kubelet until all are there and ready."""

        def report() -> bool:
            for pod in self.all():
                if not is_ready(pod):
                    self._report_ready(pod["metadata"]["name"])
            return len(self.ready()) == REPLICAS

        until(report, what=f"{REPLICAS} ready pods", seconds=30)

    def evict(self, name: str) -> int:
        """Ask for an eviction as `kubectl drain` does; answer the status."""
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
        return self._cluster.request("POST", f"{self._path}/{name}/eviction", body).status

    def _report_ready(self, name: str) -> None:
        condition = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-11-30T00:00:00Z"}
        status = {"status": {"phase": "Running", "conditions": [condition]}}
        self._cluster.request("PATCH", f"{self._path}/{name}/status", status, content=STRATEGIC)


def is_ready(pod: dict[str, Any]) -> bool:
    """Tell whether a pod says that it is ready."""
    return any(one["type"] == "Ready" and one["status"] == "True" for one in pod["status"].get("conditions", []))


@pytest.fixture
def pods(control_plane: ControlPlane, namespace: str) -> Iterator[Pods]:
    """Install the Deployment and its budget into a namespace of the test's own."""
    objects = [
        item
        for item in flat(read_settings(namespace=namespace), "self-signed-file")
        if item["kind"] in {"Deployment", "PodDisruptionBudget", "ServiceAccount"}
    ]
    control_plane.kubectl("apply", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": objects})
    yield Pods(control_plane, namespace)
    control_plane.kubectl("delete", "deployment", "numagate", "-n", namespace, "--wait=false")


def test_drains_in_turn_leave_two_ready_pods_of_three(pods: Pods, figures: Figures) -> None:
    pods.until_ready()
    first = pods.ready()
    fewest = REPLICAS
    for name in first:
        # The budget follows the pods' status a moment later.
        until(lambda name=name: pods.evict(name) == 201, what=f"the eviction of {name}")  # type: ignore[misc]
        others = [other for other in pods.ready() if other != name]
        assert {pods.evict(other) for other in others} == {429}
        fewest = min(fewest, len(pods.ready()))
        pods.until_ready()

    figures.add("B3", "fewest ready pods while nodes are drained in turn", fewest)
    assert fewest == REPLICAS - 1
    assert set(first).isdisjoint(pods.ready())
