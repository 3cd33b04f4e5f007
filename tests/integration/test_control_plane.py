"""The test cluster itself: what other integration tests build upon."""

import base64
import json
import ssl
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import field
from http.server import BaseHTTPRequestHandler
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

import kubernetes
import pytest
import trustme
from controlplane.cluster import ControlPlane
from controlplane.identity import ORDINARY
from controlplane.process import until

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "plain"},
    "spec": {"containers": [{"name": "main", "image": "registry.example/app:1"}]},
}


@dataclass
class StubWebhook:
    """An HTTPS server that allows everything, labels what it saw, and keeps what it was asked."""

    url: str
    ca: bytes
    asked: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)


@pytest.fixture
def stub_webhook() -> Iterator[StubWebhook]:
    """Serve a StubWebhook for one test."""
    authority = trustme.CA()
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(tls)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            stub.asked.append((self.path, self.headers["User-Agent"], review["request"]))
            patch = [{"op": "add", "path": "/metadata/labels", "value": {"seen": "yes"}}]
            review["response"] = {
                "uid": review.pop("request")["uid"],
                "allowed": True,
                "patchType": "JSONPatch",
                "patch": base64.b64encode(json.dumps(patch).encode()).decode(),
                "warnings": ["the stub was here"],
                "auditAnnotations": {"stub": "called"},
            }
            body = json.dumps(review).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        stub = StubWebhook(f"https://127.0.0.1:{server.server_port}/mutate", authority.cert_pem.bytes())
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield stub
        server.shutdown()
        thread.join()


def configuration(stub: StubWebhook, namespace: str) -> dict[str, Any]:
    """Answer a configuration that sends the pods of `namespace` to `stub`."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": f"stub-{namespace}"},
        "webhooks": [
            {
                "name": "stub.numagate.io",
                "clientConfig": {"url": stub.url, "caBundle": base64.b64encode(stub.ca).decode()},
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
                "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}],
                "sideEffects": "None",
                "admissionReviewVersions": ["v1"],
                "timeoutSeconds": 5,
            }
        ],
    }


def test_the_api_server_tells_its_version(control_plane: ControlPlane, programs: dict[str, Path]) -> None:
    told = subprocess.run([programs["kube-apiserver"], "--version"], capture_output=True, text=True, check=True)

    answer = control_plane.request("GET", "/version")

    assert told.stdout.split() == ["Kubernetes", answer.body["gitVersion"]]


def test_kubectl_creates_a_namespace_and_a_pod(control_plane: ControlPlane) -> None:
    control_plane.kubectl("create", "namespace", "by-kubectl")
    until(lambda: control_plane.kubectl("get", "-n", "by-kubectl", "sa", "default", check=False).returncode == 0)

    created = control_plane.kubectl("create", "-n", "by-kubectl", "-f", "-", input=POD)

    assert created.stdout == "pod/plain created\n"


def test_an_ordinary_user_creates_pods_but_no_webhooks(
    control_plane: ControlPlane, namespace: str, stub_webhook: StubWebhook
) -> None:
    webhook = configuration(stub_webhook, namespace)

    allowed = control_plane.kubectl("create", "-n", namespace, "-f", "-", input=POD, user=ORDINARY)
    refused = control_plane.kubectl("create", "-f", "-", input=webhook, user=ORDINARY, check=False)

    assert allowed.stdout == "pod/plain created\n"
    assert f'User "{ORDINARY}" cannot create resource' in refused.stderr


def test_the_controller_manager_makes_pods_of_a_deployment(control_plane: ControlPlane, namespace: str) -> None:
    labels = {"app": "twins"}
    template = {"metadata": {"labels": labels}, "spec": POD["spec"]}
    spec = {"replicas": 2, "selector": {"matchLabels": labels}, "template": template}
    deployment = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "twins"}, "spec": spec}

    control_plane.kubectl("create", "-n", namespace, "-f", "-", input=deployment)

    path = f"/api/v1/namespaces/{namespace}/pods"
    until(lambda: len(control_plane.request("GET", path).body["items"]) == 2, what="two pods")
    (user,) = {
        e["user"]["username"] for e in control_plane.audit_events("create", resource="pods", namespace=namespace)
    }
    assert user == "system:serviceaccount:kube-system:replicaset-controller"


def test_a_webhook_on_loopback_is_called(
    control_plane: ControlPlane, namespace: str, stub_webhook: StubWebhook
) -> None:
    webhook = configuration(stub_webhook, namespace)
    control_plane.kubectl("create", "-f", "-", input=webhook)
    path = f"/api/v1/namespaces/{namespace}/pods"
    # The API server learns of a new configuration by watch, so the first dry runs may pass by the webhook.
    until(lambda: control_plane.request("POST", f"{path}?dryRun=All", POD).warnings, what="a warning of the stub")

    answer = control_plane.request("POST", path, POD)
    control_plane.request(
        "DELETE", f"/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/stub-{namespace}"
    )

    assert answer.warnings == ("the stub was here",)
    assert answer.body["metadata"]["labels"] == {"seen": "yes"}
    asked_path, agent, request = stub_webhook.asked[-1]
    assert (asked_path, agent) == ("/mutate?timeout=5s", "kube-apiserver-admission")
    assert (request["dryRun"], request["userInfo"]["username"]) == (False, "admin")
    (event,) = until(lambda: control_plane.audit_events("create", namespace=namespace, name="plain")[-1:])
    assert event["annotations"]["stub.numagate.io/stub"] == "called"


def test_the_python_client_sees_what_kubectl_made(control_plane: ControlPlane, namespace: str) -> None:
    control_plane.kubectl("create", "-n", namespace, "-f", "-", input=POD)

    with control_plane.client() as client:
        pods = kubernetes.client.CoreV1Api(client).list_namespaced_pod(namespace).items

    assert [pod.to_dict()["metadata"]["name"] for pod in pods] == ["plain"]


def test_a_cluster_without_controllers_takes_pods_and_feature_gates(programs: dict[str, Path]) -> None:
    with ControlPlane(programs=programs, controllers=False, feature_gates={"AllAlpha": False}) as bare:
        bare.create_namespace("quiet")
        answer = bare.request("POST", "/api/v1/namespaces/quiet/pods", POD)

        assert answer.status == 201
        assert [daemon.name for daemon in bare.daemons] == ["etcd", "kube-apiserver"]
