"""Runs Gatekeeper beside a test cluster, with a constraint as near to numagate's rules as Rego can say them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from bench.policies import namespace_of
from bench.webhooks import READY_SECONDS
from bench.webhooks import Webhook
from bench.webhooks import certificates
from controlplane import build
from controlplane.cluster import ControlPlane
from controlplane.process import Daemon
from controlplane.process import free_ports
from controlplane.process import until

GATEKEEPER = build.Module(
    name="gatekeeper",
    folder=Path(__file__).with_name("gatekeeper"),
    subject="Gatekeeper",
    pin="github.com/open-policy-agent/gatekeeper/v3",
    programs=(build.Program("gatekeeper", "github.com/open-policy-agent/gatekeeper/v3", "14 minutes"),),
    files="deploy",
)
NAMESPACE = "gatekeeper-system"
KIND = "AlignablePods"
REGO = Path(__file__).with_name("gatekeeper") / "alignable_pods.rego"


@contextmanager
def gatekeeper(cluster: ControlPlane, folder: Path, *, name: str) -> Iterator[Webhook]:
    """Install Gatekeeper and its constraint, and run its webhook."""
    program = build.provide(GATEKEEPER)["gatekeeper"]
    _install(cluster)
    certificates(folder)
    port, health, metrics = free_ports(3)
    command = [
        str(program),
        "--operation=webhook",
        "--operation=mutation-webhook",
        "--operation=generate",  # without it no constraint gets its CRD
        "--operation=status",
        "--disable-cert-rotation",
        f"--cert-dir={folder}",
        "--host=127.0.0.1",
        f"--port={port}",
        f"--health-addr=127.0.0.1:{health}",
        f"--prometheus-port={metrics}",
        "--enable-external-data=false",
    ]
    environment = {
        **cluster.environment(),
        "KUBECONFIG": str(cluster.kubeconfig()),
        "POD_NAME": "gatekeeper",
        "POD_NAMESPACE": NAMESPACE,
        "NAMESPACE": NAMESPACE,
        "CONTAINER_NAME": "manager",
    }
    daemon = Daemon("gatekeeper", command, folder=folder, env=environment)
    url = f"https://127.0.0.1:{port}/v1/admit"
    found = Webhook(name, url, folder / "ca.crt", daemon.process.pid, namespace_of(name))
    try:
        daemon.until_ready(found.answers, seconds=READY_SECONDS)
        _apply_policy(cluster, name)
        until(lambda: not found.why_useless(), seconds=READY_SECONDS, what="Gatekeeper's constraint at work")
        yield found
    finally:
        daemon.stop()


def _install(cluster: ControlPlane) -> None:
    manifest = build.files_of(GATEKEEPER) / "gatekeeper.yaml"
    wanted = [one for one in yaml.safe_load_all(manifest.read_text("utf-8")) if _is_wanted(one)]
    cluster.kubectl("apply", "--server-side", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": wanted})
    cluster.kubectl("wait", "--for=condition=Established", "customresourcedefinitions", "--all")
    # Its status controllers look the pod up that they run in.
    spec = {"containers": [{"name": "manager", "image": "registry.example/gatekeeper:v3"}]}
    metadata = {"name": "gatekeeper", "namespace": NAMESPACE}
    cluster.kubectl("apply", "-f", "-", input={"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})


def _is_wanted(manifest: dict[str, Any]) -> bool:
    return manifest["kind"] in {"Namespace", "CustomResourceDefinition"}


def _apply_policy(cluster: ControlPlane, name: str) -> None:
    crd = {"spec": {"names": {"kind": KIND}}}
    code = [{"engine": "Rego", "source": {"version": "v1", "rego": REGO.read_text("utf-8")}}]
    target = {"target": "admission.k8s.gatekeeper.sh", "code": code}
    template = {
        "apiVersion": "templates.gatekeeper.sh/v1",
        "kind": "ConstraintTemplate",
        "metadata": {"name": KIND.lower()},
        "spec": {"crd": crd, "targets": [target]},
    }
    cluster.kubectl("apply", "-f", "-", input=template)
    match = {"kinds": [{"apiGroups": [""], "kinds": ["Pod"]}], "namespaces": [namespace_of(name)]}
    constraint = {
        "apiVersion": "constraints.gatekeeper.sh/v1beta1",
        "kind": KIND,
        "metadata": {"name": "bench"},
        "spec": {"match": match},
    }
    until(lambda: _applied(cluster, constraint), seconds=READY_SECONDS, what="the constraint's CRD")


def _applied(cluster: ControlPlane, constraint: dict[str, Any]) -> bool:
    return cluster.kubectl("apply", "-f", "-", input=constraint, check=False).returncode == 0
