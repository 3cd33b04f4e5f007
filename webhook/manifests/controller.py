"""The controller: two replicas of which one writes the world snapshot, and what it may ask of the API server."""

from webhook.domain.api import LEASE
from webhook.domain.api import TLS_SECRET
from webhook.domain.api import WORLD_MAP
from webhook.manifests import objects
from webhook.manifests import pods
from webhook.manifests.settings import CONTROLLER
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Settings

LABELS = {"app.kubernetes.io/name": CONTROLLER}
"""Labels of its pods: the Service of the webhook must not select them."""


RELYING = pods.certificate()
"""What it mounts where another issues its certificate."""


def controller(settings: Settings, *, issues: bool = False) -> list[Manifest]:
    """Make the Deployment and what surrounds it, but for its rights; `issues` says that it makes the certificates."""
    return [
        objects.service_account(settings, CONTROLLER),
        objects.service(settings, CONTROLLER, LABELS),
        objects.network_policy(settings, CONTROLLER, LABELS, egress=True),
        objects.disruption_budget(settings, CONTROLLER, LABELS),
        deployment(settings, issues=issues),
    ]


def deployment(settings: Settings, *, issues: bool) -> Manifest:
    """Make the Deployment; where it issues, it has its own certificate from the Secret without mounting it."""
    arguments = [
        "controller",
        f"--namespace={settings.namespace}",
        f"--world={WORLD_MAP}",
        f"--lease={LEASE}",
        f"--tls-secret={TLS_SECRET}" if issues else f"--cert-dir={pods.TLS_FOLDER}",
    ]
    resources: Manifest = {"requests": {"cpu": "250m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}}
    container = pods.container(settings, CONTROLLER, arguments, resources)
    pod = pods.pod(CONTROLLER, LABELS, container, [pods.token()] if issues else [pods.token(), RELYING])
    return pods.deployment(settings, CONTROLLER, LABELS, replicas=2, pod=pod)
