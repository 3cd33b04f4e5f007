"""Clients that must show a certificate: who gets in, who does not, and how the CA changes while they call."""

import contextlib
import http.client
import socket
import ssl
import sys
import threading
from collections.abc import Iterator
from datetime import UTC
from datetime import datetime
from datetime import timedelta
from pathlib import Path

import pytest
from serving import Reply
from serving import Running
from serving import exchange
from serving import issue
from serving import review_body
from serving import running
from serving import wait_until

from webhook.tls.issue import issue_ca
from webhook.tls.issue import issue_client
from webhook.tls.issue import issue_leaf
from webhook.tls.issue import service_names
from webhook.tls.pair import Pair
from webhook.web.client_auth import Clients

NOW = datetime.now(UTC)
CA = issue_ca(now=NOW)
OTHER_CA = issue_ca(now=NOW)
VERSIONS = (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3)

SHOWN = {
    "api server": issue_client(CA, "kube-apiserver", now=NOW),
    "missing": None,
    "of another CA": issue_client(OTHER_CA, "kube-apiserver", now=NOW),
    "for servers": issue_leaf(CA, service_names("kube-apiserver", "default"), now=NOW),
    "ended": issue_client(CA, "kube-apiserver", now=NOW - timedelta(days=3), days=2),
    "of another name": issue_client(CA, "somebody", now=NOW),
}
COUNTED = {
    "missing": "missing",
    "of another CA": "untrusted",
    "for servers": "untrusted",
    "ended": "expired",
    "of another name": "name",
}


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Run a service that asks for certificates of `CA`."""
    folder = tmp_path_factory.mktemp("certs")
    (folder / "clients.crt").write_bytes(CA.certificate_pem)
    with running(folder, clients=Clients(folder / "clients.crt")) as service:
        yield service


def context_of(service: Running, shown: Pair | None, version: ssl.TLSVersion | None = None) -> ssl.SSLContext:
    """Answer the context of a client that shows a certificate."""
    context = service.trust()
    if version is not None:
        context.minimum_version = context.maximum_version = version
    if shown is not None:
        certificate, key = service.folder / "shown.crt", service.folder / "shown.key"
        certificate.write_bytes(shown.certificate_pem)
        key.write_bytes(shown.key_pem)
        context.load_cert_chain(certificate, key)
    return context


def call(service: Running, context: ssl.SSLContext) -> Reply:
    """Send a review over a connection of its own."""
    connection = http.client.HTTPSConnection("127.0.0.1", service.service.port, context=context, timeout=10)
    try:
        return exchange(connection, "POST", "/mutate", review_body())
    finally:
        connection.close()


def refusals(service: Running, reason: str) -> float:
    count = service.metric(f'numagate_clients_refused_total{{reason="{reason}"}}')
    assert count is not None
    return count


def is_refused(service: Running, context: ssl.SSLContext) -> bool:
    try:
        call(service, context)
    except (OSError, http.client.HTTPException):
        return True
    return False


@pytest.mark.parametrize("version", VERSIONS)
def test_the_api_server_is_let_in(guarded: Running, version: ssl.TLSVersion) -> None:
    assert call(guarded, context_of(guarded, SHOWN["api server"], version)).status == 200


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("who", ["missing", "of another CA", "for servers", "ended"])
def test_without_a_good_certificate_there_is_no_handshake(guarded: Running, who: str, version: ssl.TLSVersion) -> None:
    context, reason = context_of(guarded, SHOWN[who], version), COUNTED[who]
    before = refusals(guarded, reason)

    # In TLS 1.3 a client believes in its handshake until it reads: what ends is the call.
    with pytest.raises((OSError, http.client.HTTPException)):
        call(guarded, context)

    wait_until(lambda: refusals(guarded, reason) == before + 1)


@pytest.mark.parametrize("version", VERSIONS)
def test_a_good_certificate_of_another_name_is_forbidden(guarded: Running, version: ssl.TLSVersion) -> None:
    before = refusals(guarded, "name")

    reply = call(guarded, context_of(guarded, SHOWN["of another name"], version))

    assert (reply.status, reply.headers["connection"]) == (403, "close")
    assert "may not call numagate" in str(reply.json["message"])
    assert refusals(guarded, "name") == before + 1


def test_no_path_of_the_tls_port_is_open_to_another_name(guarded: Running) -> None:
    context = context_of(guarded, SHOWN["of another name"])
    for path in ("/version", "/metrics", "/healthz", "/readyz", "/nowhere"):
        connection = http.client.HTTPSConnection("127.0.0.1", guarded.service.port, context=context, timeout=10)
        assert exchange(connection, "GET", path).status == 403
        connection.close()


def test_probes_need_no_certificate(guarded: Running) -> None:
    assert guarded.probe("/readyz").status == 200
    assert guarded.probe("/healthz").status == 200


def test_a_look_of_the_service_at_its_own_port_is_no_refused_client(tmp_path: Path) -> None:
    file = tmp_path / "clients.crt"
    file.write_bytes(CA.certificate_pem)
    with running(tmp_path, clients=Clients(file)) as service:
        wait_until(lambda: service.probe("/readyz").status == 200)

        assert [refusals(service, reason) for reason in ("missing", "untrusted", "expired", "name")] == [0, 0, 0, 0]


@pytest.mark.parametrize("loop", ["uvloop", "asyncio"])
def test_the_clients_ca_changes_without_a_failed_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loop: str
) -> None:
    if loop == "asyncio":
        monkeypatch.setitem(sys.modules, "uvloop", None)
    file = tmp_path / "clients.crt"
    file.write_bytes(CA.certificate_pem)
    old, new = SHOWN["api server"], SHOWN["of another CA"]
    with running(tmp_path, clients=Clients(file)) as service:
        old_client, new_client = context_of(service, old), context_of(service, new)
        assert call(service, old_client).status == 200
        assert is_refused(service, new_client)

        file.write_bytes(CA.certificate_pem + OTHER_CA.certificate_pem)
        wait_until(lambda: not is_refused(service, new_client))
        failures = call_while_certificates_change(service, [old_client, new_client])

        file.write_bytes(OTHER_CA.certificate_pem)
        wait_until(lambda: is_refused(service, old_client))
        assert call(service, new_client).status == 200
        # A new certificate of our own must not bring the old CA back.
        serial = issue(tmp_path).leaf.certificate.serial_number
        wait_until(lambda: served(service, new_client) == serial)
        assert is_refused(service, old_client)
        assert call(service, new_client).status == 200

    assert failures == []


def call_while_certificates_change(service: Running, contexts: list[ssl.SSLContext]) -> list[BaseException]:
    """Call with each of the contexts while our own certificate is replaced some times; answer what failed."""
    failures: list[BaseException] = []
    done = threading.Event()

    def work(context: ssl.SSLContext) -> None:
        while not done.is_set():
            try:
                assert call(service, context).status == 200
            except (OSError, AssertionError, http.client.HTTPException) as error:
                failures.append(error)

    workers = [threading.Thread(target=work, args=(context,)) for context in contexts]
    for worker in workers:
        worker.start()
    for _ in range(10):
        serial = issue(service.folder).leaf.certificate.serial_number
        wait_until(lambda serial=serial: served(service, contexts[0]) == serial)  # type: ignore[misc]
    done.set()
    for worker in workers:
        worker.join(10)
    return failures


def served(service: Running, context: ssl.SSLContext) -> int:
    """Answer the serial number of the certificate that a client sees."""
    connection = http.client.HTTPSConnection("127.0.0.1", service.service.port, context=context, timeout=10)
    connection.connect()
    try:
        assert connection.sock is not None
        return int(str(connection.sock.getpeercert()["serialNumber"]), 16)
    finally:
        connection.close()


def test_a_session_of_old_is_no_way_around_the_certificate(guarded: Running) -> None:
    context = context_of(guarded, SHOWN["api server"], ssl.TLSVersion.TLSv1_2)
    context.check_hostname = False
    before = refusals(guarded, "missing")

    reply, session = with_session(guarded, context, None)
    resumed, _ = with_session(guarded, context, session)

    assert reply.startswith(b"HTTP/1.1 200 OK")
    assert resumed == b""
    assert refusals(guarded, "missing") == before + 1


def with_session(
    service: Running, context: ssl.SSLContext, session: ssl.SSLSession | None
) -> tuple[bytes, ssl.SSLSession | None]:
    """Ask in a connection that resumes `session`, and answer what came, and its session."""
    plain = socket.create_connection(("127.0.0.1", service.service.port), 10)
    with context.wrap_socket(plain, session=session) as connection:
        assert connection.session_reused is (session is not None)
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        found = b""
        with contextlib.suppress(ssl.SSLEOFError, ConnectionResetError):
            while part := connection.recv(65536):
                found += part
        return found, connection.session


def test_a_bad_file_of_the_clients_ca_never_replaces_a_good_one(tmp_path: Path) -> None:
    file = tmp_path / "clients.crt"
    file.write_bytes(CA.certificate_pem)
    with running(tmp_path, clients=Clients(file)) as service:
        context = context_of(service, SHOWN["api server"])
        wait_until(lambda: service.metric("numagate_client_ca_last_reload_successful") == 1)
        for bad in (b"", OTHER_CA.certificate_pem[:300], OTHER_CA.certificate_pem + OTHER_CA.key_pem):
            file.write_bytes(bad)
            wait_until(lambda: service.metric("numagate_client_ca_last_reload_successful") == 0)
            serial = issue(tmp_path).leaf.certificate.serial_number
            wait_until(lambda serial=serial: served(service, context) == serial)  # type: ignore[misc]
            assert call(service, context).status == 200
            assert is_refused(service, context_of(service, SHOWN["missing"]))
            assert service.probe("/readyz").status == 200
            file.write_bytes(CA.certificate_pem)
            wait_until(lambda: service.metric("numagate_client_ca_last_reload_successful") == 1)
        failures = service.metric("numagate_client_ca_reload_failures_total")
        expiry = service.metric("numagate_client_ca_expiry_timestamp_seconds")

    assert failures is not None
    assert failures >= 3
    assert expiry == CA.certificate.not_valid_after_utc.timestamp()


def test_the_end_of_the_clients_certificate_is_shown(guarded: Running) -> None:
    shown = SHOWN["api server"]
    assert shown is not None

    assert call(guarded, context_of(guarded, shown)).status == 200

    expiry = guarded.metric("numagate_client_certificate_expiry_timestamp_seconds")
    assert expiry == int(shown.certificate.not_valid_after_utc.timestamp())


def test_a_service_that_asks_for_nothing_has_none_of_these_metrics(tmp_path: Path) -> None:
    with running(tmp_path) as service:
        assert b"numagate_client" not in service.probe("/metrics").body
