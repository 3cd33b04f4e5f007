"""The small objects around the Deployment: namespace, service, budget, network."""

from webhook.manifests.settings import LABELS
from webhook.manifests.settings import NAME
from webhook.manifests.settings import POLICY_KEY
from webhook.manifests.settings import POLICY_MAP
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import Settings
from webhook.manifests.settings import metadata

SERVING_PORT = 8443
PROBE_PORT = 8081
PRIORITY = "system-cluster-critical"


def namespace(settings: Settings) -> Manifest:
    """Make the namespace, held to the restricted pod security standard."""
    made = metadata(settings.namespace)
    levels = {f"pod-security.kubernetes.io/{mode}": "restricted" for mode in ("enforce", "audit", "warn")}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": made | {"labels": LABELS | levels}}


def service_account(settings: Settings) -> Manifest:
    """Make the pods' identity, which may do nothing and has no token."""
    return {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": metadata(NAME, settings.namespace),
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


def service(settings: Settings) -> Manifest:
    """Make the Service that the API server calls."""
    port = {"name": "https", "port": 443, "targetPort": "https", "protocol": "TCP", "appProtocol": "https"}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(NAME, settings.namespace),
        "spec": {"type": "ClusterIP", "selector": dict(LABELS), "ports": [port]},
    }


def disruption_budget(settings: Settings) -> Manifest:
    """Let drains take one pod at a time; a pod that is not ready never blocks one."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": metadata(NAME, settings.namespace),
        "spec": {
            "maxUnavailable": 1,
            "selector": {"matchLabels": dict(LABELS)},
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
        },
    }


def network_policy(settings: Settings) -> Manifest:
    """Let in the API server and probes, from anywhere: neither has an address known here. Let nothing out."""
    ports = [{"protocol": "TCP", "port": port} for port in (SERVING_PORT, PROBE_PORT)]
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": metadata(NAME, settings.namespace),
        "spec": {
            "podSelector": {"matchLabels": dict(LABELS)},
            "policyTypes": ["Ingress", "Egress"],
            "ingress": [{"ports": ports}],
            "egress": [],
        },
    }


def priority_quota(settings: Settings) -> Manifest:
    """Allow the pods their priority class: some clusters admit it outside kube-system only under a quota."""
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": metadata("numagate-critical-pods", settings.namespace),
        "spec": {
            "hard": {"pods": "20"},
            "scopeSelector": {
                "matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": [PRIORITY]}]
            },
        },
    }
