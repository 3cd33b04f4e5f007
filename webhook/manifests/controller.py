"""The controller: two replicas of which one writes the world snapshot, and what it may ask of the API server."""

from webhook.domain.api import LEASE
from webhook.domain.api import WORLD_MAP
from webhook.manifests import objects
from webhook.manifests import pods
from webhook.manifests.settings import CONTROLLER
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Settings

LABELS = {"app.kubernetes.io/name": CONTROLLER}
"""Labels of its pods: the Service of the webhook must not select them."""


def controller(settings: Settings) -> list[Manifest]:
    """Make the Deployment and what surrounds it, but for its rights."""
    return [
        objects.service_account(settings, CONTROLLER),
        objects.service(settings, CONTROLLER, LABELS),
        objects.network_policy(settings, CONTROLLER, LABELS, egress=True),
        objects.disruption_budget(settings, CONTROLLER, LABELS),
        _deployment(settings),
    ]


def _deployment(settings: Settings) -> Manifest:
    arguments = [
        "controller",
        f"--namespace={settings.namespace}",
        f"--world={WORLD_MAP}",
        f"--lease={LEASE}",
        f"--cert-dir={pods.TLS_FOLDER}",
    ]
    resources: Manifest = {"requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}}
    container = pods.container(settings, CONTROLLER, arguments, resources)
    pod = pods.pod(CONTROLLER, LABELS, container, [pods.token()])
    return pods.deployment(settings, CONTROLLER, LABELS, replicas=2, pod=pod)
