"""What agents need of a cluster, tokens as kubelets mount them (bound to a pod, so to its node), and a running one."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC
from datetime import datetime
from typing import Any

import httpx
from controlplane.cluster import ControlPlane
from controlplane.process import until
from scriptednode import ScriptedNode

from webhook.domain.api import WORLD_KEY
from webhook.domain.api import WORLD_MAP
from webhook.kube.backoff import Backoff
from webhook.kube.connect import connect
from webhook.manifests.agent_guard import agent_guard
from webhook.manifests.choices import read_settings
from webhook.manifests.crds import crds
from webhook.manifests.objects import service_account
from webhook.manifests.rbac import agent_rights
from webhook.manifests.settings import AGENT
from webhook.node.service import Service
from webhook.node.settings import Settings
from webhook.sources.snapshot import Content
from webhook.sources.snapshot import encode

SETTINGS = read_settings()
NAMESPACE = SETTINGS.agent_namespace


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


def put_world(cluster: ControlPlane, **spec: Any) -> None:
    """Write the world snapshot that the agents read: one policy."""
    content = Content(policies=[{"metadata": {"name": "default"}, "spec": spec}], classes=[], namespaces={})
    metadata = {"name": WORLD_MAP, "namespace": SETTINGS.namespace}
    data = {WORLD_KEY: encode(content, datetime.now(UTC)).decode()}
    made = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}
    cluster.kubectl("apply", "--server-side", "-f", "-", input=made)


@dataclass
class RunningAgent:
    """An agent that runs in a thread of the test."""

    service: Service
    node: ScriptedNode

    def probe(self, path: str) -> httpx.Response:
        """Ask its plain port."""
        return httpx.get(f"http://127.0.0.1:{self.service.probe_port}{path}", trust_env=False)

    def metric(self, name: str) -> float:
        """Answer the value of a metric, with `name` including its labels; 0 where it has none yet."""
        lines = self.probe("/metrics").text.splitlines()
        return next((float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"{name} ")), 0.0)

    def until_looked(self, times: int = 2) -> None:
        """Wait for so many more looks to come to their end."""
        before = self.metric("numagate_agent_look_seconds_count")
        until(
            lambda: self.metric("numagate_agent_look_seconds_count") >= before + times,
            what=f"{times} looks at {self.node.name}",
        )


@contextmanager
def running(cluster: ControlPlane, node: ScriptedNode, **settings: Any) -> Iterator[RunningAgent]:
    """Run an agent for the time of a `with` block, with the token of its node's pod; it looks ten times a second."""
    chosen = {"look_seconds": 0.1, "soon_seconds": 0.02, "lasting_seconds": 3600.0, "apart_seconds": 0.0, **settings}
    service = Service(
        Settings(node=node.name, bind="127.0.0.1", probe_port=0, spread_seconds=0.0, **chosen),
        client=connect(kubeconfig=cluster.kubeconfig(f"agent@{node.name}")),
        observe=node.observe,
        backoff=lambda: Backoff(first=0.05, most=0.2),
    )
    thread = threading.Thread(target=service.run)
    thread.start()
    try:
        agent = RunningAgent(service, node)
        until(service.started.is_set, what="the agent's port")
        yield agent
    finally:
        service.stop()
        thread.join(20)
        assert not thread.is_alive()
