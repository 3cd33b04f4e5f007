"""The alert rules: as a rule file of Prometheus, and as the object that the Prometheus operator makes one of."""

from collections.abc import Mapping
from types import MappingProxyType

from webhook.manifests.monitoring import agent_alerts
from webhook.manifests.monitoring import call_alerts
from webhook.manifests.monitoring import replica_alerts
from webhook.manifests.monitoring import world_alerts
from webhook.manifests.monitoring.alert import Alert
from webhook.manifests.settings import NAME
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Settings
from webhook.manifests.settings import metadata

GROUPS: Mapping[str, tuple[Alert, ...]] = MappingProxyType(
    {
        "numagate-calls": call_alerts.ALERTS,
        "numagate-replicas": replica_alerts.ALERTS,
        "numagate-world": world_alerts.ALERTS,
        "numagate-nodes": agent_alerts.ALERTS,
    }
)
"""Every alert, by the group that Prometheus evaluates at once."""


def rules() -> Manifest:
    """Make the rule file."""
    return {"groups": [{"name": name, "rules": [one.rule for one in alerts]} for name, alerts in GROUPS.items()]}


def prometheus_rule(settings: Settings) -> Manifest:
    """Make the object."""
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": metadata(NAME, settings.namespace),
        "spec": rules(),
    }
