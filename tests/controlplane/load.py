"""Sends many requests to a test cluster: plain kept-alive HTTPS clients, on threads."""

import http.client
import json
import ssl
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any
from typing import Self
from urllib.parse import urlsplit

from controlplane.cluster import ControlPlane
from controlplane.identity import ADMIN

NODES = "/api/v1/nodes"
REPORTS = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies"
THREADS = 8
MERGE = "application/merge-patch+json"


@dataclass(frozen=True, slots=True)
class Call:
    """One request."""

    method: str
    path: str
    body: dict[str, Any]
    content: str = "application/json"


class Client:
    """One connection as the cluster's administrator."""

    def __init__(self, cluster: ControlPlane) -> None:
        address = urlsplit(cluster.url)
        tls = ssl.create_default_context(cafile=str(cluster.identity.ca))
        self._connection = http.client.HTTPSConnection(str(address.hostname), address.port, context=tls, timeout=60)
        self._token = cluster.identity.tokens[ADMIN]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def send(self, call: Call) -> None:
        """Send a request that must work."""
        headers = {"Content-Type": call.content, "Authorization": f"Bearer {self._token}"}
        self._connection.request(call.method, call.path, json.dumps(call.body).encode(), headers)
        reply = self._connection.getresponse()
        body = reply.read()
        if reply.status >= http.client.BAD_REQUEST:
            msg = f"{call.method} {call.path}: {reply.status}: {body[:500]!r}"
            raise SystemExit(msg)


def send_all(cluster: ControlPlane, calls: Iterable[Call], *, threads: int = THREADS) -> float:
    """Send requests in parallel; answer the seconds that it took."""
    began = time.monotonic()
    waiting, lock = iter(calls), threading.Lock()

    def work() -> None:
        with Client(cluster) as client:
            while True:
                with lock:
                    some = list(islice(waiting, 50))
                if not some:
                    return
                for call in some:
                    client.send(call)

    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return time.monotonic() - began
