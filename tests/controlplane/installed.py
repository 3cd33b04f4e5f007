"""A whole installation on a test cluster: everything as it is rendered, and processes of ours in the place of pods.

There is no kubelet, so the Deployments have no replicas; pods are written by hand, each with the address and the ports
of a process. The API server reaches them through the Service, as it would.
"""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any
from typing import Final
from urllib.parse import urlsplit

from controlplane.cluster import ControlPlane
from controlplane.numagate_api import reports_definition
from controlplane.process import until
from controlplane.replicas import Replica
from controlplane.replicas import controller
from controlplane.replicas import serving
from controlplane.replicas import snapshot_text

from webhook.domain import keys
from webhook.manifests.choices import read_settings
from webhook.manifests.overlays import flat

NAMESPACE: Final = "numagate-system"
FLAGS: Final = ("--enable-aggregator-routing=true",)
"""Without kube-proxy nobody answers at the address of a Service: so the API server goes to the endpoints itself."""
MERGE: Final = "application/merge-patch+json"
SLICES: Final = f"/apis/discovery.k8s.io/v1/namespaces/{NAMESPACE}/endpointslices"
PODS: Final = f"/api/v1/namespaces/{NAMESPACE}/pods"


def own_address() -> str | None:
    """Answer an address of this machine that is not loopback, which the API server may not call as an endpoint."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("198.51.100.1", 9))  # nothing is sent
        except OSError:
            return None
        address: str = probe.getsockname()[0]
    return None if address.startswith("127.") else address


@contextmanager
def installed(cluster: ControlPlane, certificates: Path, address: str, *, mode: str = "enforce") -> Iterator[None]:
    """Install `mode`, run a controller and two serving replicas, and write their pods and endpoints."""
    settings = read_settings(ca_bundle=certificates / "ca.crt")
    made: list[dict[str, Any]] = deepcopy([*flat(settings, "crds"), reports_definition()])
    _apply(cluster, made)
    cluster.kubectl("wait", "--for=condition=Established", "crd", "--all")
    items = deepcopy(flat(settings, mode))
    # Whoever creates a pod in the meantime must not be refused: who is asked comes last.
    asked = [one for one in items if one["kind"].endswith("WebhookConfiguration")]
    templates = {one["metadata"]["name"]: one["spec"]["template"] for one in items if one["kind"] == "Deployment"}
    for one in items:
        if one["kind"] == "Deployment":
            one["spec"]["replicas"] = 0
    for one in asked:
        # Tests change them, and want them left as they are.
        one["metadata"]["annotations"][keys.KEEP_IN_STEP] = "false"
    _apply(cluster, [one for one in items if one not in asked])
    with ExitStack() as stack:
        runs = {"numagate-controller": [controller(cluster, certificates)]}
        runs["numagate"] = [serving(cluster, certificates, f"serving-{number}") for number in (1, 2)]
        for name, replicas in runs.items():
            for replica in replicas:
                replica.command.append("--bind=")
                stack.enter_context(replica)
                _write_pod(cluster, replica, templates[name], address)
            _write_slices(cluster, name, replicas, address)
        until(lambda: bool(snapshot_text(cluster)), what="the first snapshot")
        for replica in (one for replicas in runs.values() for one in replicas):
            replica.until_ready()
        _apply(cluster, asked)
        yield


def _apply(cluster: ControlPlane, items: list[dict[str, Any]]) -> None:
    cluster.kubectl("apply", "--server-side", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": items})


def ports_of(replica: Replica) -> dict[str, int]:
    """Answer the ports of a process by the names that its pod gives them."""
    plain = urlsplit(replica.probe_url).port
    secured = replica.http.base_url.port
    assert plain
    assert secured
    return {"https": secured, "probes": plain}


def _write_pod(cluster: ControlPlane, replica: Replica, template: dict[str, Any], address: str) -> None:
    spec = deepcopy(template["spec"])
    for port in spec["containers"][0]["ports"]:
        port["containerPort"] = ports_of(replica)[port["name"]]
    labels = template["metadata"]["labels"]
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": replica.name, "labels": labels}, "spec": spec}
    created = cluster.request("POST", PODS, body)
    assert created.status == 201, created.body
    status = {
        "phase": "Running",
        "podIP": address,
        "podIPs": [{"ip": address}],
        "conditions": [{"type": "Ready", "status": "True"}],
    }
    told = cluster.request("PATCH", f"{PODS}/{replica.name}/status", {"status": status}, content=MERGE)
    assert told.status == 200, told.body


def _write_slices(cluster: ControlPlane, service: str, replicas: list[Replica], address: str) -> None:
    """Write the endpoints, a slice for each: two processes of one address have different ports."""
    for replica in replicas:
        # The API server is a proxy only for endpoints that are pods.
        pod = {"kind": "Pod", "namespace": NAMESPACE, "name": replica.name}
        body = {
            "apiVersion": "discovery.k8s.io/v1",
            "kind": "EndpointSlice",
            "metadata": {"name": replica.name, "labels": {"kubernetes.io/service-name": service}},
            "addressType": "IPv4",
            "ports": [{"name": "https", "port": ports_of(replica)["https"], "protocol": "TCP"}],
            "endpoints": [{"addresses": [address], "conditions": {"ready": True}, "targetRef": pod}],
        }
        created = cluster.request("POST", SLICES, body)
        assert created.status == 201, created.body
