"""Measures what webhooks add to the creation of a pod at a real API server: one client, namespaces in turn."""

import base64
import http.client
import statistics
import time
from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bench.policies import RULES
from bench.policies import VARIABLES
from bench.policies import namespace_of
from bench.policies import only_in
from bench.policies import pods_created
from bench.reviews import resources
from bench.webhooks import Webhook
from controlplane.cluster import ControlPlane
from controlplane.load import Call
from controlplane.load import Client
from controlplane.process import until
from controlplane.service import WebhookService

TURNS = 300
"""Pods in each namespace that are measured."""
WARM_UP = 20
"""Those before."""

ALONE = "bench-none"
"""The namespace that no policy looks at."""


@dataclass(frozen=True, slots=True)
class Added:
    """The median time of a creation in milliseconds, and the median of what it takes beyond one that nothing sees."""

    median: float
    added: float


def create_namespaces(cluster: ControlPlane, names: Iterable[str]) -> None:
    """Make a namespace for each of the policies, and one for none."""
    wanted = [ALONE, *map(namespace_of, names)]
    objects = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in wanted]
    cluster.kubectl("apply", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": objects})


def in_tree(cluster: ControlPlane, name: str) -> None:
    """Register the API server's own CEL policy."""
    spec = {
        "failurePolicy": "Fail",
        "matchConstraints": {"resourceRules": [pods_created()]},
        "variables": list(VARIABLES),
    }
    spec |= {"validations": [{"expression": text, "message": message} for message, text in RULES.items()]}
    binding = {"policyName": "bench", "validationActions": ["Deny"]}
    binding |= {"matchResources": {"namespaceSelector": only_in(namespace_of(name))}}
    api = "admissionregistration.k8s.io/v1"
    items = [
        {"apiVersion": api, "kind": "ValidatingAdmissionPolicy", "metadata": {"name": "bench"}, "spec": spec},
        {"apiVersion": api, "kind": "ValidatingAdmissionPolicyBinding", "metadata": {"name": "bench"}, "spec": binding},
    ]
    cluster.kubectl("apply", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": items})


def register(cluster: ControlPlane, webhook: Webhook) -> None:
    """Let the API server ask a webhook about new pods in its namespace."""
    entry = {
        "name": "pods.bench.example",
        "clientConfig": {"url": webhook.url, "caBundle": _encoded(webhook.ca.read_bytes())},
        "rules": [pods_created()],
        "namespaceSelector": only_in(namespace_of(webhook.name)),
        "failurePolicy": "Fail",
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        "timeoutSeconds": 10,
    }
    metadata = {"name": namespace_of(webhook.name)}
    kind = "ValidatingWebhookConfiguration"
    configuration = {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": metadata}
    cluster.kubectl("apply", "-f", "-", input={**configuration, "webhooks": [entry]})


def register_ours(cluster: ControlPlane, service: WebhookService, name: str) -> None:
    """Let the API server ask numagate, both passes, by the configurations that it renders."""
    objects = service.configurations()
    for webhook in (one for configuration in objects for one in configuration["webhooks"]):
        webhook["namespaceSelector"] = only_in(namespace_of(name))
    cluster.kubectl("apply", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": objects})


def until_at_work(cluster: ControlPlane, names: Iterable[str]) -> None:
    """Wait until each of the policies refuses a pod that it must refuse: the API server learns of them by watch."""
    for name in names:
        wrong = _pod(namespace_of(name), resources(cpu="16", gpus="8"))
        until(lambda wrong=wrong: _refused(cluster, wrong), seconds=60, what=f"a refusal by {name}")  # type: ignore[misc]


def creates(cluster: ControlPlane, names: Iterable[str]) -> dict[str, Added]:
    """Create pods in every namespace in turn, as dry runs, so that no disk is measured; print and answer medians."""
    pods = {name: _pod(namespace_of(name), resources()) for name in names}
    pods = {ALONE: _pod(ALONE, resources()), **pods}
    times: dict[str, list[float]] = {name: [] for name in pods}
    with Client.of(cluster) as client:
        for turn in range(TURNS + WARM_UP):
            order = list(pods) if turn % 2 else list(reversed(pods))
            for name in order:
                call = Call("POST", _path(pods[name]), pods[name])
                began = time.perf_counter()
                client.send(call)
                if turn >= WARM_UP:
                    times[name].append((time.perf_counter() - began) * 1000)
    alone = times[ALONE]
    return {
        name: Added(statistics.median(taken), statistics.median(a - b for a, b in zip(taken, alone, strict=True)))
        for name, taken in times.items()
    }


def show_creates(found: Mapping[str, Added]) -> None:
    """Print what each policy adds to a creation."""
    print(f"\n{'create a pod at the API server, one client':42}{'median':>12}{'added':>12}")  # noqa: T201
    for name, one in found.items():
        added = "" if name == ALONE else f"{one.added:>10.2f}ms"
        print(f"{'no policy' if name == ALONE else name:42}{one.median:>10.2f}ms{added}", flush=True)  # noqa: T201


def _pod(namespace: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
    container = {"name": "server", "image": "registry.example/vllm/vllm-openai:v0.11.0", "resources": wanted}
    container |= {"args": ["--model", "meta-llama/Llama-3.3-70B-Instruct", "--tensor-parallel-size", "2"]}
    metadata = {"name": "llama", "namespace": namespace, "labels": {"app": "llama"}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {"containers": [container]}}


def _path(pod: Mapping[str, Any]) -> str:
    return f"/api/v1/namespaces/{pod['metadata']['namespace']}/pods?dryRun=All"


def _refused(cluster: ControlPlane, pod: dict[str, Any]) -> bool:
    return cluster.request("POST", _path(pod), pod).status >= http.client.BAD_REQUEST


def _encoded(certificate: bytes) -> str:
    return base64.b64encode(certificate).decode("ascii")
