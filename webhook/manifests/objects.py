"""The small objects around the Deployment: namespace, service, budget, network."""

from collections.abc import Mapping

from webhook.manifests.pods import PRIORITY
from webhook.manifests.pods import PROBE_PORT
from webhook.manifests.pods import SERVING_PORT
from webhook.manifests.settings import LABELS
from webhook.manifests.settings import NAME
from webhook.manifests.settings import POLICY_KEY
from webhook.manifests.settings import POLICY_MAP
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Settings
from webhook.manifests.settings import metadata

_API_PORTS = (443, 6443, 8443)
"""Where API servers listen, before and behind the Service `kubernetes`."""


def namespace(settings: Settings, name: str = "", *, level: str = "restricted") -> Manifest:
    """Make our namespace, or the one called `name`, held to a pod security standard."""
    made = metadata(name or settings.namespace)
    levels = {f"pod-security.kubernetes.io/{mode}": level for mode in ("enforce", "audit", "warn")}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": made | {"labels": LABELS | levels}}


def service_account(settings: Settings, name: str = NAME, namespace: str = "") -> Manifest:
    """Make the pods' identity; a token is mounted only where a pod asks for it."""
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": metadata(name, namespace or settings.namespace),
        "automountServiceAccountToken": False,
    }


def policy_map(settings: Settings, text: str) -> Manifest:
    """Make the ConfigMap that holds the policy."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata(POLICY_MAP, settings.namespace),
        "data": {POLICY_KEY: text},
    }


def service(settings: Settings, name: str = NAME, labels: Mapping[str, str] = LABELS) -> Manifest:
    """Make the Service that the API server calls."""
    port = {"name": "https", "port": 443, "targetPort": "https", "protocol": "TCP", "appProtocol": "https"}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(name, settings.namespace),
        "spec": {"type": "ClusterIP", "selector": dict(labels), "ports": [port]},
    }


def disruption_budget(settings: Settings, name: str = NAME, labels: Mapping[str, str] = LABELS) -> Manifest:
    """Let drains take one pod at a time; a pod that is not ready never blocks one."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata(name, settings.namespace),
        "spec": {
            "maxUnavailable": 1,
            "selector": {"matchLabels": dict(labels)},
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
        },
    }


def network_policy(
    settings: Settings,
    name: str = NAME,
    labels: Mapping[str, str] = LABELS,
    *,
    egress: bool = False,
    namespace: str = "",
    ports: tuple[int, ...] = (SERVING_PORT, PROBE_PORT),
) -> Manifest:
    """Let in the API server and probes, from anywhere: neither has an address known here.

    Out go calls to the API server only, and only where the pods make some.
    """
    entries = [{"protocol": "TCP", "port": port} for port in ports]
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": metadata(name, namespace or settings.namespace),
        "spec": {
            "podSelector": {"matchLabels": dict(labels)},
            "policyTypes": ["Ingress", "Egress"],
            "ingress": [{"ports": entries}],
            "egress": [_to_api_servers(settings)] if egress else [],
        },
    }


def _to_api_servers(settings: Settings) -> Manifest:
    if settings.api_servers:
        return {"to": [{"ipBlock": {"cidr": cidr}} for cidr in settings.api_servers]}
    return {"ports": [{"protocol": "TCP", "port": port} for port in _API_PORTS]}


def priority_quota(settings: Settings, namespace: str = "", *, priority: str = PRIORITY, pods: int = 20) -> Manifest:
    """Allow the pods their priority class: some clusters admit it outside kube-system only under a quota."""
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": metadata("numagate-critical-pods", namespace or settings.namespace),
        "spec": {
            "hard": {"pods": str(pods)},
            "scopeSelector": {
                "matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": [priority]}]
            },
        },
    }
