"""Runs a mutating webhook of somebody else beside numagate: an injector, an autoscaler."""

import base64
import contextlib
import json
import ssl
import threading
from collections.abc import Callable
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from http.server import ThreadingHTTPServer
from typing import Any

import trustme
from controlplane.cluster import ControlPlane
from controlplane.process import until
from gpupods import plain_pod

Change = Callable[[dict[str, Any]], list[dict[str, Any]]]
"""From a pod to the JSON patch that changes it."""

MARK = "example.com/mutated"
_RESOURCE = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations"


@contextlib.contextmanager
def mutator(cluster: ControlPlane, namespace: str, change: Change, *, name: str) -> Iterator[None]:
    """Let `change` loose on the new pods of a namespace; the API server calls webhooks in the order of their names."""
    authority = trustme.CA()
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("127.0.0.1").configure_cert(tls)
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(change)) as server:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        webhook = {
            "name": "pods.example.com",
            "clientConfig": {
                "url": f"https://127.0.0.1:{server.server_port}",
                "caBundle": base64.b64encode(authority.cert_pem.bytes()).decode(),
            },
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}],
            "reinvocationPolicy": "IfNeeded",
            "sideEffects": "None",
            "admissionReviewVersions": ["v1"],
        }
        body = {
            "apiVersion": "admissionregistration.k8s.io/v1",
            "kind": "MutatingWebhookConfiguration",
            "metadata": {"name": name},
            "webhooks": [webhook],
        }
        try:
            assert cluster.request("POST", _RESOURCE, body).status == 201
            until(lambda: _is_asked(cluster, namespace), what=f"the webhook {name}")
            yield
        finally:
            cluster.request("DELETE", f"{_RESOURCE}/{name}")
            server.shutdown()
            thread.join()


def _is_asked(cluster: ControlPlane, namespace: str) -> bool:
    created = cluster.request("POST", f"/api/v1/namespaces/{namespace}/pods?dryRun=All", plain_pod(namespace)).body
    return MARK in created["metadata"].get("annotations", {})


def _handler(change: Change) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            review = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            request = review.pop("request")
            patch = [*_mark(request["object"]), *change(request["object"])]
            review["response"] = {
                "uid": request["uid"],
                "allowed": True,
                "patchType": "JSONPatch",
                "patch": base64.b64encode(json.dumps(patch).encode()).decode(),
            }
            body = json.dumps(review).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    return Handler


def _mark(pod: dict[str, Any]) -> list[dict[str, Any]]:
    annotations = {**pod["metadata"].get("annotations", {}), MARK: "true"}
    return [{"op": "add", "path": "/metadata/annotations", "value": annotations}]
