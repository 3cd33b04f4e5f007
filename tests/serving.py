"""A running service for tests: real sockets, real TLS, a decision function of the test's choice."""

import http.client
import json
import ssl
import threading
import time
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC
from datetime import datetime
from pathlib import Path

from webhook.engine.decision import Decision
from webhook.engine.decision import Outcome
from webhook.engine.request import Request
from webhook.engine.world import World
from webhook.server.service import Service
from webhook.server.settings import Settings
from webhook.server.state import Loaded
from webhook.sources.policy_file import load_policy
from webhook.tls.folder import Issued
from webhook.tls.folder import issue_into
from webhook.tls.issue import service_names
from webhook.web.client_auth import Clients

UID = "705ab4f5-6393-11e8-b7cc-42010a800002"
JSON = {"Content-Type": "application/json"}


def accept(request: Request, world: World) -> Decision:
    """Accept everything: the review of tests that are about something else."""
    del request, world
    return Decision(outcome=Outcome.ACCEPT, allowed=True)


def review_body(*, obj: object = None, uid: str = UID, **changes: object) -> bytes:
    """Build an AdmissionReview of a created pod; `changes` replace fields of the request."""
    request: dict[str, object] = {
        "uid": uid,
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"},
        "operation": "CREATE",
        "namespace": "default",
        "userInfo": {"username": "ada", "groups": ["system:authenticated"]},
        "object": {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": []}} if obj is None else obj,
        "dryRun": False,
    }
    return json.dumps(
        {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request | changes}
    ).encode()


def issue(folder: Path, **options: object) -> Issued:
    """Issue certificates for loopback into `folder`."""
    names = service_names("numagate", "numagate-system", dns=["localhost"], addresses=["127.0.0.1"])
    now = options.pop("now", None) or datetime.now(UTC)
    return issue_into(folder, names, now=now, **options)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Reply:
    """An HTTP reply, read whole."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> dict[str, object]:
        """The body as JSON."""
        value: dict[str, object] = json.loads(self.body)
        return value


@dataclass(frozen=True)
class Running:
    """A service that runs in a thread of the test."""

    service: Service
    folder: Path

    def trust(self) -> ssl.SSLContext:
        """Answer a client context that trusts the CA of the folder only."""
        return ssl.create_default_context(cafile=self.folder / "ca.crt")

    def connect(self, *, timeout: float = 10.0) -> http.client.HTTPSConnection:
        """Open a connection to the TLS port."""
        return http.client.HTTPSConnection("127.0.0.1", self.service.port, context=self.trust(), timeout=timeout)

    def ask(
        self, method: str, path: str, body: bytes | Iterator[bytes] | None = None, headers: dict[str, str] | None = None
    ) -> Reply:
        """Send one request over a connection of its own."""
        connection = self.connect()
        try:
            return exchange(connection, method, path, body, headers)
        finally:
            connection.close()

    def probe(self, path: str) -> Reply:
        """Ask the plain port."""
        connection = http.client.HTTPConnection("127.0.0.1", self.service.probe_port, timeout=10)
        try:
            return exchange(connection, "GET", path)
        finally:
            connection.close()

    def metric(self, name: str) -> float | None:
        """Answer the value of a metric without labels, or with `name` including them."""
        for line in self.probe("/metrics").body.decode().splitlines():
            if line.startswith(f"{name} "):
                return float(line.rpartition(" ")[2])
        return None


def exchange(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    body: bytes | Iterator[bytes] | None = None,
    headers: dict[str, str] | None = None,
) -> Reply:
    """Send one request over an open connection and read its reply."""
    connection.request(method, path, body=body, headers=headers or ({} if body is None else JSON))
    answer = connection.getresponse()
    return Reply(answer.status, {key.lower(): value for key, value in answer.getheaders()}, answer.read())


def wait_until(condition: Callable[[], bool], *, seconds: float = 10.0) -> None:
    """Wait for another thread or process to make `condition` true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "not within the time"
        time.sleep(0.01)


@contextmanager
def running(
    folder: Path,
    *,
    review: Callable[[Request, World], Decision] = accept,
    load: Callable[[], Loaded] = load_policy,
    policy: Path | None = None,
    tls_minimum: ssl.TLSVersion = ssl.TLSVersion.TLSv1_2,
    clients: Clients | None = None,
) -> Iterator[Running]:
    """Run a service on free ports with the certificates of `folder`, issued where there are none."""
    if not (folder / "tls.crt").exists():
        issue(folder)
    settings = Settings(
        certificates=folder,
        policy=policy,
        bind="127.0.0.1",
        port=0,
        probe_port=0,
        tls_minimum=tls_minimum,
        clients=clients,
        poll_seconds=0.02,
    )
    service = Service(settings, review=review, load=load)
    thread = threading.Thread(target=service.run)
    thread.start()
    try:
        service.started.wait(10)
        yield Running(service, folder)
    finally:
        service.stop()
        thread.join(10)
        assert not thread.is_alive()
