"""The controller's Deployment and what surrounds it."""

from typing import Any

import pytest

from webhook.manifests.controller import LABELS
from webhook.manifests.controller import controller
from webhook.manifests.deployment import deployment
from webhook.manifests.objects import service
from webhook.manifests.settings import Settings


def one(settings: Settings, kind: str) -> dict[str, Any]:
    (found,) = (item for item in controller(settings) if item["kind"] == kind)
    return found


@pytest.fixture
def pod(settings: Settings) -> dict[str, Any]:
    """Answer the pod spec of the Deployment."""
    found: dict[str, Any] = one(settings, "Deployment")["spec"]["template"]["spec"]
    return found


def test_there_are_two_replicas_of_which_one_leads(settings: Settings) -> None:
    assert one(settings, "Deployment")["spec"]["replicas"] == 2


def test_the_webhook_service_does_not_select_its_pods(settings: Settings) -> None:
    labels = one(settings, "Deployment")["spec"]["template"]["metadata"]["labels"]

    assert service(settings)["spec"]["selector"].items() - labels.items() != set()


def test_service_budget_and_network_policy_select_its_pods(settings: Settings) -> None:
    assert one(settings, "Service")["spec"]["selector"] == LABELS
    assert one(settings, "PodDisruptionBudget")["spec"]["selector"]["matchLabels"] == LABELS
    assert one(settings, "NetworkPolicy")["spec"]["podSelector"]["matchLabels"] == LABELS


def test_it_is_told_its_objects_by_name(pod: dict[str, Any]) -> None:
    assert pod["containers"][0]["args"] == [
        "controller",
        "--namespace=numagate-system",
        "--world=numagate-world",
        "--lease=numagate-controller",
        "--cert-dir=/etc/numagate/tls",
    ]


def test_its_token_is_mounted_by_name_for_the_api_server_alone(pod: dict[str, Any]) -> None:
    (volume,) = (volume for volume in pod["volumes"] if "projected" in volume)
    first = volume["projected"]["sources"][0]["serviceAccountToken"]

    assert pod["automountServiceAccountToken"] is False
    assert first == {"path": "token", "expirationSeconds": 3600}


def test_it_is_as_locked_down_as_the_server(settings: Settings, pod: dict[str, Any]) -> None:
    server = deployment(settings)["spec"]["template"]["spec"]

    assert pod["securityContext"] == server["securityContext"]
    assert pod["containers"][0]["securityContext"] == server["containers"][0]["securityContext"]


def test_its_memory_leaves_room_above_what_the_largest_clusters_need(pod: dict[str, Any]) -> None:
    assert pod["containers"][0]["resources"]["limits"] == {"memory": "1Gi"}
