"""Runs numagate's controllers and serving replicas against a test cluster, each as its own service account."""

import os
import signal
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from typing import Self

import httpx
from controlplane.balancer import Backend
from controlplane.cluster import ControlPlane
from controlplane.identity import CONTROLLER
from controlplane.identity import SERVING
from controlplane.load import Client
from controlplane.numagate_api import NAMESPACE
from controlplane.process import Daemon
from controlplane.process import free_ports
from controlplane.process import until
from controlplane.service import NUMAGATE
from controlplane.service import READY_SECONDS
from controlplane.service import configurations_for
from cryptography import x509
from serving import review_body

from webhook.domain import api

WORLD_PATH = f"/api/v1/namespaces/{NAMESPACE}/configmaps/{api.WORLD_MAP}"
LEASE_PATH = f"/apis/coordination.k8s.io/v1/namespaces/{NAMESPACE}/leases/{api.LEASE}"


class Replica:
    """One process of ours on loopback ports, for the time of a `with` block; its log is written in `folder`."""

    def __init__(
        self, name: str, arguments: list[str], *, folder: Path, certificates: Path, drain_seconds: float = 0.0
    ) -> None:
        port, probe_port = free_ports(2)
        self.name = name
        self.backend = Backend(port, probe_port)
        self.probe_url = f"http://127.0.0.1:{probe_port}"
        self.command = [str(NUMAGATE), *arguments, f"--cert-dir={certificates}", "--bind=127.0.0.1"]
        self.command += [f"--drain-seconds={drain_seconds:g}", f"--port={port}", f"--probe-port={probe_port}"]
        self.folder = folder
        self.ca = certificates / "ca.crt"
        trusted = ssl.create_default_context(cafile=str(self.ca))
        self.http = httpx.Client(verify=trusted, timeout=30, trust_env=False, base_url=f"https://127.0.0.1:{port}")

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self.http.close()

    def start(self) -> None:
        """Start it, again after `stop`; its addresses stay."""
        self.daemon = Daemon(self.name, self.command, folder=self.folder, env=os.environ)

    def stop(self, *, seconds: float = 15) -> int:
        """End it, by force after `seconds`, and answer its exit status."""
        return self.daemon.stop(seconds=seconds)

    def logs(self, lines: int = 30) -> str:
        """Answer the last lines of its log."""
        return f"--- {self.name}\n{self.daemon.tail(lines)}\n"

    def readiness(self) -> str:
        """Answer /readyz?verbose, "" where nobody answers."""
        try:
            return self.http.get(f"{self.probe_url}/readyz?verbose").text
        except httpx.TransportError:
            return ""

    def is_ready(self) -> bool:
        """Tell whether it wants requests."""
        return self.readiness().endswith("\nok")

    def until_ready(self) -> Self:
        """Wait until it wants requests."""
        self.daemon.until_ready(self.is_ready, seconds=READY_SECONDS)
        return self

    def interrupt(self) -> None:
        """Tell it to end without a lame duck time; nobody waits for that."""
        self.daemon.process.send_signal(signal.SIGINT)

    def kill(self) -> None:
        """End it as a node does that has no memory left."""
        self.daemon.process.kill()
        self.daemon.process.wait()

    def series(self) -> dict[str, float]:
        """Answer every metric by its name and labels."""
        lines = self.http.get(f"{self.probe_url}/metrics").text.splitlines()
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")}

    def metric(self, name: str) -> float:
        """Answer the value of a metric; `name` includes its labels."""
        return self.series()[name]

    def policy(self) -> str:
        """Answer the names of the policies in force."""
        policy: str = self.http.get("/version").json()["policy"]
        return policy

    def serial(self) -> int:
        """Answer the serial number of the certificate that a new client sees."""
        pem = ssl.get_server_certificate(("127.0.0.1", self.backend.port), timeout=10)
        return x509.load_pem_x509_certificate(pem.encode()).serial_number

    def requests_seen(self) -> float:
        """Answer how many admission requests it has counted."""
        return sum(value for name, value in self.series().items() if name.startswith("numagate_http_requests_total"))

    def configurations(self, mode: str = "enforce") -> list[dict[str, Any]]:
        """Answer the webhook configurations of an overlay, as `numagate manifests` renders them for this replica."""
        return configurations_for(f"https://127.0.0.1:{self.backend.port}", self.ca, mode)

    def client(self) -> Client:
        """Make a client that keeps one connection to it."""
        return Client(f"https://127.0.0.1:{self.backend.port}", ca=self.ca)

    def judge(self, namespace: str, pod: object) -> dict[str, Any]:
        """Send a review of a new pod; answer the response in it."""
        body = review_body(obj=pod, namespace=namespace)
        answer = self.http.post("/validate", content=body, headers={"Content-Type": "application/json"})
        answer.raise_for_status()
        response: dict[str, Any] = answer.json()["response"]
        return response


def controller(cluster: ControlPlane, certificates: Path, name: str = "controller-1") -> Replica:
    """Make a controller; `name` is its identity in the Lease, too."""
    arguments = ["controller", f"--identity={name}", f"--kubeconfig={cluster.kubeconfig(CONTROLLER)}"]
    return Replica(name, arguments, folder=cluster.folder, certificates=certificates)


def serving(
    cluster: ControlPlane, certificates: Path, name: str = "serving-1", *, drain_seconds: float = 0.0
) -> Replica:
    """Make a serving replica that watches the snapshot."""
    arguments = ["serve", f"--world-object={NAMESPACE}/{api.WORLD_MAP}", f"--kubeconfig={cluster.kubeconfig(SERVING)}"]
    return Replica(name, arguments, folder=cluster.folder, certificates=certificates, drain_seconds=drain_seconds)


def serving_file(policy: Path, certificates: Path, name: str = "serving-1", *, drain_seconds: float = 0.0) -> Replica:
    """Make a serving replica that reads its policy from a file and asks no API server; its log stands beside that."""
    arguments = ["serve", f"--policy={policy}"]
    return Replica(name, arguments, folder=policy.parent, certificates=certificates, drain_seconds=drain_seconds)


@contextmanager
def api_server_away(cluster: ControlPlane) -> Iterator[None]:
    """Stop the API server for the time of a `with` block."""
    cluster.stop_api_server()
    try:
        yield
    finally:
        cluster.start_api_server()


def snapshot_text(cluster: ControlPlane) -> str:
    """Answer what the ConfigMap holds, "" for nothing."""
    data = cluster.request("GET", WORLD_PATH).body.get("data") or {}
    return str(data.get(api.WORLD_KEY, ""))


def created(cluster: ControlPlane, path: str, body: dict[str, Any]) -> None:
    """Create an object."""
    answer = cluster.request("POST", path, body)
    assert answer.status == httpx.codes.CREATED, answer.body


def labelled(cluster: ControlPlane, namespace: str, **labels: str | None) -> None:
    """Set labels of our domain on a namespace; None removes one."""
    patch = {"metadata": {"labels": {f"numagate.io/{key}": value for key, value in labels.items()}}}
    answer = cluster.request("PATCH", f"/api/v1/namespaces/{namespace}", patch, content="application/merge-patch+json")
    assert answer.status == httpx.codes.OK, answer.body


def until_denied(replica: Replica, namespace: str, pod: object, *, seconds: float = 20) -> str:
    """Wait until a pod is refused; answer the message."""
    until(lambda: not replica.judge(namespace, pod)["allowed"], seconds=seconds, what=f"a refusal in {namespace}")
    message: str = replica.judge(namespace, pod)["status"]["message"]
    return message
