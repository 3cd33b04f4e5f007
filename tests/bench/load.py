"""Sends many requests to a test cluster: plain kept-alive HTTPS clients, on threads."""

import http.client
import json
import random
import ssl
import threading
import time
from collections.abc import Iterable
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from dataclasses import field
from itertools import islice
from typing import Any
from typing import Self
from urllib.parse import urlsplit

from controlplane.cluster import ControlPlane
from controlplane.identity import ADMIN
from fleets import Member
from fleets import zones_of

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


@dataclass(slots=True)
class Churn:
    """How many updates were sent, and for how long."""

    sent: int = 0
    seconds: float = 0.0
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def rate(self) -> float:
        """Updates a second."""
        return self.sent / self.seconds


@contextmanager
def churn(cluster: ControlPlane, members: list[Member], *, rate: float, threads: int = 16) -> Iterator[Churn]:
    """Update reports and nodes all the time of a `with` block; every thread keeps its share of the rate."""
    found, lock = Churn(), threading.Lock()

    def work(number: int) -> None:
        chance = random.Random(number)  # noqa: S311  # makes load, keeps no secret
        due = time.monotonic()
        with Client(cluster) as client:
            for call in updates(members, chance):
                if found.stop.wait(max(0.0, due - time.monotonic())):
                    return
                client.send(call)
                due += threads / rate
                with lock:
                    found.sent += 1

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    began = time.monotonic()
    for worker in workers:
        worker.start()
    try:
        yield found
    finally:
        found.stop.set()
        for worker in workers:
            worker.join()
        found.seconds = time.monotonic() - began


def updates(members: list[Member], chance: random.Random) -> Iterator[Call]:
    """Yield what a live cluster sends: of ten updates seven of free capacity, two of labels that pass, one cordon."""
    while True:
        member = chance.choice(members)
        report, node = f"{REPORTS}/{member.name}", f"{NODES}/{member.name}"
        match chance.randrange(10):
            case 0:
                yield Call("PATCH", node, {"spec": {"unschedulable": chance.choice([True, None])}}, MERGE)
            case 1 | 2:
                labels = {"nvidia.com/gfd.timestamp": str(chance.randrange(1 << 32))}
                notes = {"example.com/heartbeat": str(chance.randrange(1 << 32))}
                yield Call("PATCH", node, {"metadata": {"labels": labels, "annotations": notes}}, MERGE)
            case _:
                yield Call("PATCH", report, {"zones": zones_of(member, chance)}, MERGE)
