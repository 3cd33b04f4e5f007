"""Runs controllers that issue certificates against a test cluster, and looks at what they write."""

import base64
import os
import sys
from dataclasses import replace
from datetime import datetime
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
from controlplane.cluster import ControlPlane
from controlplane.identity import CONTROLLER
from controlplane.mounted import SECRET_PATH
from controlplane.mounted import secret_data
from controlplane.numagate_api import SETTINGS
from controlplane.process import Daemon
from controlplane.process import free_ports
from controlplane.replicas import LEASE_PATH
from controlplane.service import NUMAGATE

from webhook.manifests.overlays import flat
from webhook.tls.authority import authority
from webhook.tls.holdings import Holdings
from webhook.tls.holdings import read
from webhook.tls.issue import issue_ca
from webhook.tls.issue import issue_leaf
from webhook.tls.issue import service_names

ADMISSION = "/apis/admissionregistration.k8s.io/v1"
KINDS = ("mutatingwebhookconfigurations", "validatingwebhookconfigurations")


def configurations(cluster: ControlPlane) -> list[dict[str, Any]]:
    """Answer both webhook configurations."""
    return [cluster.request("GET", f"{ADMISSION}/{kind}/numagate").body for kind in KINDS]


def bundles(cluster: ControlPlane) -> set[bytes]:
    """Answer every bundle that the API server is told to trust."""
    entries = [entry for found in configurations(cluster) for entry in found.get("webhooks", [])]
    return {base64.b64decode(entry["clientConfig"].get("caBundle", "")) for entry in entries}


def install(cluster: ControlPlane, url: str, bundle: bytes | None = None) -> None:
    """Apply the configurations of `enforce`, which ask `url`."""
    items: list[Any] = [one for one in flat(replace(SETTINGS, url=url), "enforce") if "Webhook" in str(one["kind"])]
    for entry in (entry for one in items for entry in one["webhooks"] if bundle is not None):
        entry["clientConfig"]["caBundle"] = base64.b64encode(bundle or b"").decode()
    cluster.kubectl("replace", "--force", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": items})


class Issuer:
    """A controller that issues; `short` ones rotate within seconds."""

    def __init__(
        self, cluster: ControlPlane, name: str, *, short: bool, settle: float = 1.5, overlap: float = 2.5
    ) -> None:
        port, self.probe_port = free_ports(2)
        own = [
            sys.executable,
            str(Path(__file__).with_name("rotating.py")),
            f"--settle={settle}",
            f"--overlap={overlap}",
        ]
        usual = [str(NUMAGATE), "controller", "--tls-secret=numagate-tls", "--tls-name=127.0.0.1", "--bind=127.0.0.1"]
        command = [*(own if short else usual), f"--kubeconfig={cluster.kubeconfig(CONTROLLER)}", f"--identity={name}"]
        command += [f"--port={port}", f"--probe-port={self.probe_port}"]
        self.daemon = Daemon(name, command, folder=cluster.folder, env=os.environ)

    def told(self) -> str:
        """Answer what /readyz?verbose says."""
        try:
            return httpx.get(f"http://127.0.0.1:{self.probe_port}/readyz?verbose", trust_env=False).text
        except httpx.TransportError:
            return ""


def put_secret(cluster: ControlPlane, holdings: Holdings) -> None:
    """Create the Secret as an earlier leader has left it."""
    encoded = {key: base64.b64encode(value).decode() for key, value in holdings.data.items()}
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "numagate-tls"}, "data": encoded}
    assert cluster.request("POST", SECRET_PATH.rpartition("/")[0], secret).status == httpx.codes.CREATED


def aged(now: datetime) -> Holdings:
    """Make certificates whose CA has less than a third of its life left."""
    ca = issue_ca(now=now - timedelta(days=300), days=365)
    names = service_names("numagate", "numagate-system", ["numagate-controller.numagate-system.svc"], ["127.0.0.1"])
    return Holdings((authority(ca),), issue_leaf(ca, names, now=now - timedelta(days=1), days=30))


def authorities(cluster: ControlPlane) -> int:
    """Count the CAs that the Secret names."""
    return len(read(secret_data(cluster)).holdings.authorities)


def leader(cluster: ControlPlane) -> str:
    """Answer who leads."""
    spec = cluster.request("GET", LEASE_PATH).body.get("spec", {})
    return str(spec.get("holderIdentity", ""))


def vacate(cluster: ControlPlane) -> None:
    """Take out what the certificates live by."""
    for path in (SECRET_PATH, LEASE_PATH, *(f"{ADMISSION}/{kind}/numagate" for kind in KINDS)):
        cluster.request("DELETE", path)
