"""Whom the Prometheus operator scrapes: the plain port of the pods of both Deployments, and of the agents."""

from webhook.manifests import agent
from webhook.manifests import controller
from webhook.manifests.settings import LABELS
from webhook.manifests.settings import NAME
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Settings
from webhook.manifests.settings import metadata

_KEY = "app.kubernetes.io/name"


def pod_monitor(settings: Settings) -> Manifest:
    """Make the PodMonitor; pods and not Services, because the Services have the TLS port only."""
    names = [LABELS[_KEY], controller.LABELS[_KEY], agent.LABELS[_KEY]]
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PodMonitor",
        "metadata": metadata(NAME, settings.namespace),
        "spec": {
            "namespaceSelector": {"matchNames": [settings.namespace, settings.agent_namespace]},
            "selector": {"matchExpressions": [{"key": _KEY, "operator": "In", "values": names}]},
            "podMetricsEndpoints": [{"port": "probes", "path": "/metrics"}],
        },
    }
