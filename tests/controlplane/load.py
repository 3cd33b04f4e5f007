"""Sends many requests to a test cluster: plain kept-alive HTTPS clients, on threads."""

import http.client
import json
import ssl
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from email.message import Message
from itertools import islice
from pathlib import Path
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
    """One request; bytes are sent as they are."""

    method: str
    path: str
    body: dict[str, Any] | bytes
    content: str = "application/json"


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, read whole."""

    status: int
    headers: Message
    body: bytes


class Client:
    """One kept-alive connection; after a failed call it is opened anew."""

    def __init__(self, url: str, *, ca: Path, token: str = "") -> None:
        address = urlsplit(url)
        tls = ssl.create_default_context(cafile=str(ca))
        self._connection = http.client.HTTPSConnection(str(address.hostname), address.port, context=tls, timeout=60)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}

    @classmethod
    def of(cls, cluster: ControlPlane) -> Self:
        """Make a client that is the cluster's administrator."""
        return cls(cluster.url, ca=cluster.identity.ca, token=cluster.identity.tokens[ADMIN])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; the next call opens another."""
        self._connection.close()

    def exchange(self, call: Call) -> Reply:
        """Send a request and read the reply.

        Raises:
            OSError: there is no connection, or it broke.
            http.client.HTTPException: it ended in the middle of a reply.
        """
        headers = {"Content-Type": call.content, **self._headers}
        content = call.body if isinstance(call.body, bytes) else json.dumps(call.body).encode()
        try:
            self._connection.request(call.method, call.path, content, headers)
            reply = self._connection.getresponse()
            return Reply(reply.status, reply.headers, reply.read())
        except (OSError, http.client.HTTPException):
            self._connection.close()
            raise

    def send(self, call: Call) -> None:
        """Send a request that must work."""
        reply = self.exchange(call)
        if reply.status >= http.client.BAD_REQUEST:
            msg = f"{call.method} {call.path}: {reply.status}: {reply.body[:500]!r}"
            raise SystemExit(msg)


def send_all(cluster: ControlPlane, calls: Iterable[Call], *, threads: int = THREADS) -> float:
    """Send requests in parallel; answer the seconds that it took."""
    began = time.monotonic()
    waiting, lock = iter(calls), threading.Lock()

    def work() -> None:
        with Client.of(cluster) as client:
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
