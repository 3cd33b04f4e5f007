"""The Deployment of `numagate serve`: three replicas that hold nothing worth stealing."""

from webhook.domain.api import WORLD_MAP
from webhook.manifests import pods
from webhook.manifests.settings import LABELS
from webhook.manifests.settings import NAME
from webhook.manifests.settings import POLICY_KEY
from webhook.manifests.settings import POLICY_MAP
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Settings
from webhook.manifests.settings import Source

_POLICY_FOLDER = "/etc/numagate/policy"


def deployment(settings: Settings, source: Source = Source.OBJECTS) -> Manifest:
    """Make the Deployment; where the policy is a file, it has no token at all."""
    if source is Source.FILE:
        told = f"--policy={_POLICY_FOLDER}/{POLICY_KEY}"
        mount: pods.Mount = ({"name": "policy", "configMap": {"name": POLICY_MAP}}, _POLICY_FOLDER)
    else:
        told = f"--world-object={settings.namespace}/{WORLD_MAP}"
        mount = pods.token()
    arguments = ["serve", told, f"--cert-dir={pods.TLS_FOLDER}", f"--namespace={settings.namespace}"]
    # No CPU limit: a throttled webhook delays every pod of the cluster.
    resources: Manifest = {"requests": {"cpu": "1", "memory": "128Mi"}, "limits": {"memory": "384Mi"}}
    container = pods.container(settings, NAME, arguments, resources)
    pod = pods.pod(NAME, LABELS, container, [mount, pods.certificate()])
    return pods.deployment(settings, NAME, LABELS, replicas=3, pod=pod)
