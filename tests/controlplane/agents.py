"""What agents need of a cluster, and tokens as kubelets mount them: bound to the agent's pod, and so to its node."""

from typing import Any

import httpx
from controlplane.cluster import ControlPlane

from webhook.manifests.agent_guard import agent_guard
from webhook.manifests.choices import read_settings
from webhook.manifests.crds import crds
from webhook.manifests.objects import service_account
from webhook.manifests.rbac import agent_rights
from webhook.manifests.settings import AGENT

SETTINGS = read_settings()
NAMESPACE = SETTINGS.agent_namespace
ACCOUNT = f"system:serviceaccount:{NAMESPACE}:{AGENT}"


def objects() -> list[dict[str, Any]]:
    """Answer all objects, in an order in which they can be created; those of numagate are as they are rendered."""
    names = (SETTINGS.namespace, NAMESPACE)
    return [
        *({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in names),
        *crds(),
        *agent_guard(SETTINGS),
        service_account(SETTINGS, AGENT, NAMESPACE),
        *agent_rights(SETTINGS),
    ]


def add_node(cluster: ControlPlane, node: str) -> str:
    """Create a node with an agent's pod on it; answer the name by which the harness acts with that pod's token."""
    created(cluster, "/api/v1/nodes", {"apiVersion": "v1", "kind": "Node", "metadata": {"name": node}})
    pod = created(cluster, f"/api/v1/namespaces/{NAMESPACE}/pods", bare_pod(NAMESPACE, f"agent-{node}", node))
    user = f"agent@{node}"
    cluster.identity.tokens[user] = token(cluster, pod)
    return user


def token(cluster: ControlPlane, pod: dict[str, Any] | None) -> str:
    """Ask for a token of the agents' service account, bound to a pod or to nothing."""
    bound = {"boundObjectRef": {"apiVersion": "v1", "kind": "Pod", **_named(pod)}} if pod is not None else {}
    body = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {"audiences": [], **bound}}
    answer = created(cluster, f"/api/v1/namespaces/{NAMESPACE}/serviceaccounts/{AGENT}/token", body)
    return str(answer["status"]["token"])


def _named(pod: dict[str, Any]) -> dict[str, str]:
    return {"name": pod["metadata"]["name"], "uid": pod["metadata"]["uid"]}


def bare_pod(namespace: str, name: str, node: str, **spec: Any) -> dict[str, Any]:
    """Write a pod that is bound to a node, without resources."""
    containers = [{"name": "one", "image": "registry.internal/pause:1"}]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, "labels": {"app": name}},
        "spec": {"nodeName": node, "serviceAccountName": AGENT, "containers": containers, **spec},
    }


def created(cluster: ControlPlane, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Create an object as the administrator; answer it."""
    answer = cluster.request("POST", path, body)
    assert answer.status == httpx.codes.CREATED, answer.body
    return answer.body
