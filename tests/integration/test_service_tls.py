"""The real service on loopback: TLS, limits, probes, reloads, and the way it ends."""

import http.client
import itertools
import json
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from collections.abc import Iterator
from datetime import UTC
from datetime import datetime
from datetime import timedelta
from pathlib import Path
from typing import NoReturn

import pytest
from cryptography import x509
from serving import UID
from serving import Reply
from serving import Running
from serving import accept
from serving import exchange
from serving import issue
from serving import review_body
from serving import running
from serving import wait_until

import webhook
from webhook.domain.errors import NumagateError
from webhook.engine.decision import Decision
from webhook.engine.request import Request
from webhook.engine.world import World
from webhook.server.admission import LARGE_BYTES
from webhook.server.service import Service
from webhook.server.settings import Settings
from webhook.sources.policy_file import load_policy
from webhook.tls.folder import issue_into
from webhook.tls.issue import Names
from webhook.web import watchdog

HEAD = b"POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Run a service for the tests that leave no trace in it."""
    with running(tmp_path_factory.mktemp("certs")) as service:
        yield service


def test_a_review_is_answered_over_tls(live: Running) -> None:
    reply = live.ask("POST", "/mutate?timeout=3s", review_body())

    assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
    assert reply.json["response"] == {"uid": UID, "allowed": True}
    assert "server" not in reply.headers


def test_a_reply_is_one_tls_record(live: Running) -> None:
    context = live.trust()
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(incoming, outgoing, server_hostname="127.0.0.1")
    body = review_body()
    head = b"POST /validate HTTP/1.1\r\nhost: numagate\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
    with socket.create_connection(("127.0.0.1", live.service.port), 10) as client:
        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                client.sendall(outgoing.read())
                incoming.write(client.recv(1 << 16))
        tls.write(head % len(body) + body)
        client.sendall(outgoing.read())
        received = client.recv(1 << 16)
        incoming.write(received)

        reply = tls.read(1 << 16)

    header = 5  # type, version, length
    assert len(received) == header + int.from_bytes(received[3:header])
    assert reply.startswith(b"HTTP/1.1 200 OK\r\n")
    assert reply.endswith(b"}")


def test_one_connection_carries_many_reviews(live: Running) -> None:
    connection = live.connect()
    replies = [exchange(connection, "POST", "/validate", review_body(uid=f"uid-{turn}")) for turn in range(50)]
    connection.close()

    assert [reply.json["response"]["uid"] for reply in replies] == [f"uid-{turn}" for turn in range(50)]  # type: ignore[index]
    assert not any("connection" in reply.headers for reply in replies)


METHODS = ("GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE")
PATHS = (
    "/",
    "/mutate",
    "/mutate/",
    "//mutate",
    "/validate/",
    "/Validate",
    "/mutate//",
    "/mutate/..",
    "/./mutate",
    "/%6dutate",
    "/mutate%2f",
    "/mutate?timeout=1s",
    "/healthz/",
    "/readyz/",
    "/metrics/",
    "/version/",
    "/docs",
    "/docs/",
    "/docs/oauth2-redirect",
    "/redoc",
    "/openapi.json",
    "/favicon.ico",
    "/static",
    "/api/v1/pods",
    "/..%2f..%2fetc/passwd",
    "/?next=https://example.com",
    "//example.com/",
    "/\\example.com",
    "/healthz;x=y",
    "/%00",
    "/%ff",
    "/" + "x" * 5000,
)


def test_no_path_and_method_ever_redirects(live: Running) -> None:
    connection = live.connect()
    replies: dict[tuple[str, str], Reply] = {}
    for method, path in itertools.product(METHODS, PATHS):
        replies[method, path] = exchange(connection, method, path)
    connection.close()

    assert len(replies) > 200
    assert {key for key, reply in replies.items() if 300 <= reply.status < 400 or "location" in reply.headers} == set()
    errors = [reply for reply in replies.values() if reply.status >= 400]
    assert {reply.json["kind"] for reply in errors} == {"Status"}


def test_probes_answer_on_the_plain_port_while_the_webhook_is_busy(tmp_path: Path) -> None:
    release, entered = threading.Event(), threading.Event()

    def busy(request: Request, world: World) -> Decision:
        entered.set()
        release.wait(10)
        return accept(request, world)

    with running(tmp_path, review=busy) as service:
        caller = threading.Thread(target=service.ask, args=("POST", "/mutate", review_body()))
        caller.start()
        try:
            assert entered.wait(10)
            assert service.probe("/readyz").status == 200
            assert service.probe("/healthz").status == 200
        finally:
            release.set()
            caller.join(10)


def test_an_event_loop_that_is_stuck_is_told_with_its_stack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(watchdog, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(watchdog, "LATE_SECONDS", 0.3)
    release = threading.Event()

    def stuck(request: Request, world: World) -> Decision:
        release.wait(10)
        return accept(request, world)

    with running(tmp_path, review=stuck) as service:
        caller = threading.Thread(target=service.ask, args=("POST", "/mutate", review_body()))
        caller.start()
        try:
            wait_until(lambda: "the event loop is stuck" in caplog.messages)
        finally:
            release.set()
            caller.join(10)
        wait_until(lambda: (service.metric("numagate_event_loop_lag_seconds_sum") or 0.0) > 0.2)

    (record,) = (one for one in caplog.records if one.message == "the event loop is stuck")
    assert "in stuck" in vars(record)["numagate_fields"]["stack"]


def test_the_plain_port_takes_no_reviews(live: Running) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", live.service.probe_port, timeout=10)

    assert exchange(connection, "POST", "/mutate", review_body()).status == 404
    connection.close()


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_tls_1_1_is_refused(live: Running) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1

    with socket.create_connection(("127.0.0.1", live.service.port), 10) as plain, pytest.raises(ssl.SSLError):
        context.wrap_socket(plain)


class Handshaker(threading.Thread):
    """Shakes hands as fast as it can until stopped; counts failures and remembers the serial numbers seen."""

    def __init__(self, service: Running) -> None:
        super().__init__()
        self.service = service
        self.done = threading.Event()
        self.serials: list[int] = []
        self.failures: list[BaseException] = []

    def run(self) -> None:
        """Connect again and again, and send a review each time."""
        context = self.service.trust()
        while not self.done.is_set():
            try:
                self.serials.append(self._handshake(context))
            except (OSError, AssertionError) as error:
                self.failures.append(error)

    def _handshake(self, context: ssl.SSLContext) -> int:
        connection = http.client.HTTPSConnection("127.0.0.1", self.service.service.port, context=context, timeout=10)
        try:
            connection.connect()
            assert connection.sock is not None
            der = connection.sock.getpeercert(binary_form=True)
            assert der
            assert exchange(connection, "POST", "/mutate", review_body()).status == 200
            return x509.load_der_x509_certificate(der).serial_number
        finally:
            connection.close()


@pytest.mark.parametrize("loop", ["uvloop", "asyncio"])
def test_certificates_change_under_load_without_a_failed_handshake(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loop: str
) -> None:
    if loop == "asyncio":
        monkeypatch.setitem(sys.modules, "uvloop", None)
    with running(tmp_path) as service:
        issued = {service_serial(service)}
        clients = [Handshaker(service) for _ in range(4)]
        for client in clients:
            client.start()
        for _ in range(40):
            serial = issue(tmp_path).leaf.certificate.serial_number
            issued.add(serial)
            wait_until(lambda serial=serial: service_serial(service) == serial)  # type: ignore[misc]
        for client in clients:
            client.done.set()
        for client in clients:
            client.join(10)
        refused = service.metric("numagate_certificate_last_reload_successful")

    seen = {serial for client in clients for serial in client.serials}
    assert [error for client in clients for error in client.failures] == []
    assert seen <= issued
    assert len(seen) > 10
    assert refused == 1


def service_serial(service: Running) -> int:
    """Answer the serial number that a new client sees."""
    pem = ssl.get_server_certificate(("127.0.0.1", service.service.port), timeout=10)
    return x509.load_pem_x509_certificate(pem.encode()).serial_number


def torn(folder: Path) -> None:
    """Cut the certificate off."""
    (folder / "tls.crt").write_bytes((folder / "tls.crt").read_bytes()[:200])


def mismatched(folder: Path) -> None:
    """Put a new key beside the old certificate."""
    issue(folder / "other")
    (folder / "other" / "tls.key").replace(folder / "tls.key")


def expired(folder: Path) -> None:
    """Put a pair there that was good until ninety days ago."""
    issue(folder / "other", now=datetime.now(UTC) - timedelta(days=100), leaf_days=10)
    moved(folder)


def of_other_names(folder: Path) -> None:
    """Put a pair of another Service there."""
    issue_into(folder / "other", Names(dns=("elsewhere.example",), addresses=()), now=datetime.now(UTC))
    moved(folder)


def open_to_all(folder: Path) -> None:
    """Put a new pair there whose key anybody may read."""
    issue(folder / "other")
    (folder / "other" / "tls.key").chmod(0o644)
    moved(folder)


def moved(folder: Path) -> None:
    """Replace both files by those of the folder in it."""
    for name in ("tls.key", "tls.crt"):
        (folder / "other" / name).replace(folder / name)


@pytest.mark.parametrize(
    "spoil", [torn, mismatched, expired, of_other_names, open_to_all], ids=lambda spoil: spoil.__name__
)
def test_bad_certificate_files_never_replace_the_good_one(tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    with running(tmp_path) as service:
        good = service_serial(service)
        assert service.metric("numagate_certificate_reload_failures_total") == 0

        spoil(tmp_path)
        wait_until(lambda: service.metric("numagate_certificate_last_reload_successful") == 0)

        assert service.metric("numagate_certificate_reload_failures_total") >= 1  # type: ignore[operator]
        assert service_serial(service) == good
        assert service.ask("POST", "/mutate", review_body()).status == 200
        assert service.probe("/readyz").status == 200


def test_a_certificate_that_is_whole_again_is_served_again(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        content = (tmp_path / "tls.crt").read_bytes()
        torn(tmp_path)
        wait_until(lambda: service.metric("numagate_certificate_last_reload_successful") == 0)

        (tmp_path / "tls.crt").write_bytes(content)

        wait_until(lambda: service.metric("numagate_certificate_last_reload_successful") == 1)


POLICY = (
    "apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nmetadata: {name: %s}\nspec: {governs: accelerators}\n"
)
BAD_POLICY = POLICY % "bad" + "  nonsense\n"


def test_a_changed_policy_is_in_force_and_a_bad_one_is_not(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(POLICY % "one")

    def name(service: Running) -> object:
        return service.ask("GET", "/version").json["policy"]

    with running(tmp_path / "certs", policy=file, load=lambda: load_policy(file)) as service:
        assert name(service) == "one"
        file.write_text(POLICY % "two")
        wait_until(lambda: name(service) == "two")
        file.write_text(BAD_POLICY)
        wait_until(lambda: service.metric("numagate_policy_last_reload_successful") == 0)

        assert name(service) == "two"
        assert service.probe("/readyz").status == 200
        assert service.metric("numagate_policy_reload_failures_total") >= 1  # type: ignore[operator]


def test_a_start_with_a_bad_policy_is_not_ready_until_it_is_cured(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(BAD_POLICY)

    with running(tmp_path / "certs", policy=file, load=lambda: load_policy(file)) as service:
        reply = service.ask("POST", "/mutate", review_body())
        assert (reply.status, reply.headers["retry-after"]) == (503, "1")
        assert service.probe("/readyz").status == 503
        assert service.probe("/healthz").status == 200

        file.write_text(POLICY % "cured")

        wait_until(lambda: service.probe("/readyz").status == 200)
        assert service.ask("POST", "/mutate", review_body()).status == 200


def test_while_draining_every_reply_closes_its_connection_and_none_is_lost(tmp_path: Path) -> None:
    release, entered = threading.Event(), threading.Event()

    def busy(request: Request, world: World) -> Decision:
        if request.uid == "waits":
            entered.set()
            release.wait(10)
        return accept(request, world)

    with running(tmp_path, review=busy) as service:
        idle = service.connect()
        assert exchange(idle, "POST", "/mutate", review_body()).status == 200
        replies: list[Reply] = []
        large = review_body(obj={"padding": "x" * LARGE_BYTES}, uid="waits")
        caller = threading.Thread(target=lambda: replies.append(service.ask("POST", "/mutate", large)))
        caller.start()
        assert entered.wait(10)

        service.service.stop(drain_seconds=1.0)
        wait_until(lambda: service.probe("/readyz").status == 503)
        replies.append(exchange(idle, "POST", "/mutate", review_body()))
        replies.append(service.ask("POST", "/mutate", review_body()))
        replies.append(service.ask("GET", "/healthz"))
        release.set()
        caller.join(10)

    assert [(reply.status, reply.headers.get("connection")) for reply in replies] == [(200, "close")] * 4
    idle.close()


def test_who_has_just_shaken_hands_gets_an_answer_though_the_service_ends(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        fresh = service.connect()
        fresh.connect()

        service.service.stop()
        wait_until(lambda: refuses_connections(service))
        reply = exchange(fresh, "POST", "/mutate", review_body())

    assert (reply.status, reply.headers["connection"]) == (200, "close")
    fresh.close()


def refuses_connections(service: Running) -> bool:
    """Tell whether nobody listens any more."""
    try:
        socket.create_connection(("127.0.0.1", service.service.port), 10).close()
    except ConnectionRefusedError:
        return True
    return False


def test_a_bug_at_the_start_is_a_failed_start(tmp_path: Path) -> None:
    def broken() -> NoReturn:
        raise ZeroDivisionError

    issue(tmp_path)
    settings = Settings(certificates=tmp_path, bind="127.0.0.1", port=0, probe_port=0)

    with pytest.raises(NumagateError, match="the service could not start: its log says why"):
        Service(settings, review=accept, load=broken).run()


class Process:
    """`numagate serve` in a process of its own; its log lines are read as JSON."""

    def __init__(self, folder: Path, *, drain_seconds: float) -> None:
        issue(folder)
        self.folder = folder
        options = {
            "cert-dir": folder,
            "bind": "127.0.0.1",
            "port": 0,
            "probe-port": 0,
            "profile": "generic-2x4",
            "tls-min-version": "1.3",
            "drain-seconds": drain_seconds,
        }
        command = [sys.executable, "-m", "webhook", "serve", *(f"--{key}={value}" for key, value in options.items())]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, cwd=Path(webhook.__file__).parents[1]
        )
        self.port = int(str(self.wait_for("serving")["port"]))

    def wait_for(self, message: str) -> dict[str, object]:
        """Read log lines up to the one with `message`."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            entry: dict[str, object] = json.loads(line)
            if entry["message"] == message:
                return entry
        pytest.fail(f"the log ended without {message!r}")

    def connect(self) -> http.client.HTTPSConnection:
        """Open a connection."""
        context = ssl.create_default_context(cafile=self.folder / "ca.crt")
        return http.client.HTTPSConnection("127.0.0.1", self.port, context=context, timeout=10)

    def end(self) -> int:
        """Wait for the end and answer the exit code."""
        try:
            self.process.communicate(timeout=20)
        finally:
            self.process.kill()
        return self.process.returncode


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[float], Process]]:
    """Start services, and end those that a failed test left."""
    started: list[Process] = []

    def begin(drain_seconds: float) -> Process:
        started.append(Process(tmp_path, drain_seconds=drain_seconds))
        return started[-1]

    yield begin
    for process in started:
        process.process.kill()
        process.process.communicate()


def test_the_program_decides_with_the_real_engine(start: Callable[[float], Process]) -> None:
    process = start(0.0)
    resources = {"limits": {"cpu": "8", "memory": "64Gi", "nvidia.com/gpu": "8"}}
    containers = [{"name": "main", "image": "vllm/vllm-openai:v1", "resources": resources}]
    connection = process.connect()

    reply = exchange(connection, "POST", "/validate", review_body(obj={"spec": {"containers": containers}}))

    response = reply.json["response"]
    assert isinstance(response, dict)
    assert (reply.status, response["allowed"], response["status"]["code"]) == (200, False, 403)
    assert "nvidia.com/gpu" in response["status"]["message"]
    connection.close()


def test_sigterm_drains_and_ends_with_exit_code_0(start: Callable[[float], Process]) -> None:
    process = start(0.5)
    connection = process.connect()
    assert exchange(connection, "POST", "/mutate", review_body()).headers.get("connection") is None

    process.process.send_signal(signal.SIGTERM)
    process.wait_for("draining")

    reply = exchange(connection, "POST", "/mutate", review_body())
    assert (reply.status, reply.headers["connection"]) == (200, "close")
    assert process.end() == 0


def test_a_half_open_request_does_not_delay_the_end(start: Callable[[float], Process]) -> None:
    process = start(0.0)
    connection = process.connect()
    connection.putrequest("POST", "/mutate")
    connection.putheader("Content-Length", "10")
    connection.endheaders(b"12345")

    began = time.monotonic()
    process.process.send_signal(signal.SIGTERM)

    assert process.end() == 0
    assert time.monotonic() - began < 10
    connection.close()


def test_a_second_signal_ends_at_once(start: Callable[[float], Process]) -> None:
    process = start(600.0)

    process.process.send_signal(signal.SIGTERM)
    process.wait_for("draining")
    process.process.send_signal(signal.SIGTERM)

    assert process.end() == 0


def test_the_interrupt_of_a_terminal_does_not_wait(start: Callable[[float], Process]) -> None:
    process = start(600.0)

    process.process.send_signal(signal.SIGINT)

    assert process.end() == 0
