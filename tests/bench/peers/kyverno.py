"""Runs Kyverno beside a test cluster, with a ValidatingPolicy as near to numagate's rules as CEL can say them."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.policies import RULES
from bench.policies import VARIABLES
from bench.policies import namespace_of
from bench.policies import only_in
from bench.policies import pods_created
from bench.webhooks import READY_SECONDS
from bench.webhooks import Webhook
from controlplane import build
from controlplane.cluster import ControlPlane
from controlplane.process import Daemon
from controlplane.process import free_ports
from controlplane.process import until

KYVERNO = build.Module(
    name="kyverno",
    folder=Path(__file__).with_name("kyverno"),
    subject="Kyverno",
    pin="github.com/kyverno/kyverno",
    programs=(build.Program("kyverno", "github.com/kyverno/kyverno/cmd/kyverno", "8 minutes"),),
    files="config/crds",
)
NAMESPACE = "kyverno"
POLICY = "bench"
CA_SECRET = "kyverno-ca"  # noqa: S105  # a name
TLS_SECRET = "kyverno-tls"  # noqa: S105  # a name


@contextmanager
def kyverno(cluster: ControlPlane, folder: Path, *, name: str) -> Iterator[Webhook]:
    """Install Kyverno and its policy, which it registers itself, and run its admission controller."""
    program = build.provide(KYVERNO)["kyverno"]
    folder.mkdir()
    _install(cluster)
    port, metrics = free_ports(2)
    command = [
        str(program),
        f"--kubeconfig={cluster.kubeconfig()}",
        f"--serverIP=127.0.0.1:{port}",
        f"--webhookServerPort={port}",
        f"--metricsPort={metrics}",
        f"--caSecretName={CA_SECRET}",
        f"--tlsSecretName={TLS_SECRET}",
        "--backgroundServiceAccountName=system:serviceaccount:kyverno:background",
        "--reportsServiceAccountName=system:serviceaccount:kyverno:reports",
        "--admissionReports=false",
        "--disableMetrics=true",
    ]
    environment = {
        **cluster.environment(),
        "INIT_CONFIG": "kyverno",
        "METRICS_CONFIG": "kyverno-metrics",
        "KYVERNO_NAMESPACE": NAMESPACE,
        "KYVERNO_POD_NAME": "kyverno",
        "KYVERNO_DEPLOYMENT": "kyverno",
        "KYVERNO_SVC": "kyverno-svc",
        "KYVERNO_SERVICEACCOUNT_NAME": "kyverno",
    }
    daemon = Daemon("kyverno", command, folder=folder, env=environment)
    try:
        ca = folder / "ca.crt"
        daemon.until_ready(lambda: _write_ca(cluster, ca), seconds=READY_SECONDS)
        found = Webhook(name, f"https://127.0.0.1:{port}/vpol/{POLICY}", ca, daemon.process.pid, namespace_of(name))
        daemon.until_ready(found.answers, seconds=READY_SECONDS)
        _apply_policy(cluster, name)
        until(lambda: not found.why_useless(), seconds=READY_SECONDS, what="Kyverno's policy at work")
        yield found
    finally:
        daemon.stop()


def _install(cluster: ControlPlane) -> None:
    cluster.kubectl("apply", "--server-side", "--recursive", "-f", str(build.files_of(KYVERNO)))
    cluster.kubectl("wait", "--for=condition=Established", "customresourcedefinitions", "--all")
    labels = {"app": "kyverno"}
    pod = {"containers": [{"name": "kyverno", "image": "registry.example/kyverno:v1"}]}
    template = {"metadata": {"labels": labels}, "spec": pod}
    deployment = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    place = {"namespace": NAMESPACE}
    items = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kyverno", **place}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kyverno-metrics", **place}},
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "kyverno", **place}, "spec": deployment},
    ]
    cluster.kubectl("apply", "-f", "-", input={"apiVersion": "v1", "kind": "List", "items": items})


def _apply_policy(cluster: ControlPlane, name: str) -> None:
    constraints = {"resourceRules": [pods_created()], "namespaceSelector": only_in(namespace_of(name))}
    spec = {
        "validationActions": ["Deny"],
        "failurePolicy": "Fail",
        "evaluation": {"background": {"enabled": False}},
        "autogen": {"podControllers": {"controllers": []}},
        "matchConstraints": constraints,
        "variables": list(VARIABLES),
        "validations": [{"expression": text, "message": message} for message, text in RULES.items()],
    }
    policy = {"apiVersion": "policies.kyverno.io/v1", "kind": "ValidatingPolicy", "metadata": {"name": POLICY}}
    cluster.kubectl("apply", "-f", "-", input={**policy, "spec": spec})


def _write_ca(cluster: ControlPlane, file: Path) -> bool:
    done = cluster.kubectl("get", "secret", CA_SECRET, "--namespace", NAMESPACE, "--output=json", check=False)
    if done.returncode != 0:
        return False
    file.write_bytes(base64.b64decode(json.loads(done.stdout)["data"]["tls.crt"]))
    return True
