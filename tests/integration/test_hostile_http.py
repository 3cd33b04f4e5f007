"""What comes to the TLS port from somebody who is no API server: no HTTP, ambiguous HTTP, too much, too slow."""

import contextlib
import http.client
import itertools
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from serving import Running
from serving import accept
from serving import exchange
from serving import review_body
from serving import running
from serving import wait_until

from webhook.engine.decision import Decision
from webhook.engine.request import Request
from webhook.engine.world import World
from webhook.server.admission import LARGE_BYTES
from webhook.web import door
from webhook.web import listener
from webhook.web import protocol
from webhook.web.body import FREE_BYTES
from webhook.web.body import MAX_BYTES
from webhook.web.body import MAX_BYTES_HELD

HEAD = b"POST /mutate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Run a service for the tests that leave no trace in it."""
    with running(tmp_path_factory.mktemp("certs")) as service:
        yield service


@pytest.mark.parametrize(
    "request_line",
    [b"GARBAGE\r\n\r\n", b"GET\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01", b"\x00" * 100],
)
def test_what_is_no_http_is_a_bad_request_and_the_end_of_the_connection(live: Running, request_line: bytes) -> None:
    with raw_connection(live) as connection:
        connection.sendall(request_line)
        answer = read_to_end(connection)

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["kind"] == "Status"


AMBIGUOUS = {
    "two ways to tell the length": b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "the same the other way round": b"Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n0\r\n\r\n",
    "two lengths": b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n00",
    "the same length twice": b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n00",
    "a list of lengths": b"Content-Length: 2, 2\r\n\r\n00",
    "a negative length": b"Content-Length: -1\r\n\r\n",
    "a length with a sign": b"Content-Length: +1\r\n\r\n0",
    "a length with an underscore": b"Content-Length: 1_0\r\n\r\n",
    "a hexadecimal length": b"Content-Length: 0x1\r\n\r\n0",
    "a length beyond 64 bits": b"Content-Length: 99999999999999999999\r\n\r\n0",
    "a space before the colon": b"Content-Length : 2\r\n\r\n00",
    "a folded header": b"X: a\r\n b\r\nContent-Length: 0\r\n\r\n",
    "a folded encoding": b"Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n",
    "an unknown encoding": b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "an encoding with a control character": b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "chunked, but not last": b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "two encodings": b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
    "a bare line feed": b"X: a\nY: b\r\nContent-Length: 0\r\n\r\n",
    "a bare carriage return": b"X: a\rY: b\r\nContent-Length: 0\r\n\r\n",
    "line feeds only": b"Content-Length: 0\n\n",
    "a null byte": b"X: a\x00b\r\nContent-Length: 0\r\n\r\n",
    "a header without a name": b": x\r\nContent-Length: 0\r\n\r\n",
    "a negative chunk": b"Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
    "a chunk size with a prefix": b"Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n",
    "a chunk size beyond 64 bits": b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
    "a chunk that ends in line feeds": b"Transfer-Encoding: chunked\r\n\r\n0\n\n",
    "a chunk that is longer than it says": b"Transfer-Encoding: chunked\r\n\r\n1\r\nxx\r\n0\r\n\r\n",
    "a length in the trailer": b"Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 5\r\n\r\n",
}
"""Requests whose end two parsers could see at different places."""


@pytest.mark.parametrize("rest", AMBIGUOUS.values(), ids=AMBIGUOUS)
def test_ambiguous_requests_are_refused_not_guessed(live: Running, rest: bytes) -> None:
    smuggled = b"GET /version HTTP/1.1\r\nHost: x\r\n\r\n"

    with raw_connection(live) as connection:
        connection.sendall(HEAD + rest + smuggled)
        answer = read_to_end(connection)

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("headers", [b"Upgrade: websocket", b"Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__"])
def test_an_upgrade_gets_a_plain_reply_and_the_end_of_the_connection(live: Running, headers: bytes) -> None:
    upgrade = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n" + headers + b"\r\n\r\n"

    with raw_connection(live) as connection:
        connection.sendall(upgrade)
        answer = read_to_end(connection)

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b"connection: close" in answer


def test_pipelined_requests_are_answered_in_order(live: Running) -> None:
    bodies = [review_body(uid=f"uid-{turn}") for turn in range(100)]
    head = HEAD + b"Content-Length: %d\r\n\r\n"

    with raw_connection(live) as connection:
        connection.sendall(b"".join(head % len(body) + body for body in bodies))
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answer = read_to_end(connection)

    found = [part.partition(b'"')[0] for part in answer.split(b'"uid":"')[1:]]
    assert found == [f"uid-{turn}".encode() for turn in range(100)]


def test_expect_continue_is_honoured(live: Running) -> None:
    body = review_body()
    head = HEAD + b"Connection: close\r\n"

    with raw_connection(live) as connection:
        connection.sendall(head + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % len(body))
        assert connection.recv(100).startswith(b"HTTP/1.1 100 ")
        connection.sendall(body)
        assert b'"allowed":true' in read_to_end(connection)


def padded(size: int) -> bytes:
    """Answer a review of exactly `size` bytes."""
    body = review_body(obj={"padding": ""})
    return body.replace(b'"padding": ""', b'"padding": "%s"' % (b"x" * (size - len(body))))


def test_the_largest_body_is_answered_and_one_byte_more_is_refused(live: Running) -> None:
    assert live.ask("POST", "/validate", padded(MAX_BYTES)).status == 200

    reply = live.ask("POST", "/validate", padded(MAX_BYTES + 1))

    assert b'"code":413' in reply.body
    assert reply.headers["connection"] == "close"


@pytest.mark.parametrize(
    ("opening", "answered"), [(b"x" * 1000, b"HTTP/1.1 413 "), (review_body()[:1000], b"HTTP/1.1 200 ")]
)
def test_an_endless_chunked_body_is_refused_at_the_limit(live: Running, opening: bytes, answered: bytes) -> None:
    sent = itertools.count()
    chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"

    with raw_connection(live) as connection:
        connection.sendall(HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n" % (len(opening), opening))
        connection.settimeout(0.0)
        answer = b""
        while b"\r\n\r\n" not in answer and next(sent) < 100_000:
            with contextlib.suppress(ssl.SSLWantReadError, ssl.SSLWantWriteError):
                connection.send(chunk)
            with contextlib.suppress(ssl.SSLWantReadError, ssl.SSLWantWriteError):
                answer += connection.recv(4096)

    assert answer.startswith(answered)


def test_many_large_bodies_at_once_stay_within_a_bounded_number_of_bytes(live: Running) -> None:
    declared, fitting = MAX_BYTES, MAX_BYTES_HELD // MAX_BYTES
    opening = HEAD + b"Content-Length: %d\r\n\r\n" % declared + b" " * (2 * FREE_BYTES)

    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(raw_connection(live)) for _ in range(fitting)]
        for connection in held:
            connection.sendall(opening)
        wait_until(lambda: live.metric("numagate_request_held_bytes") == fitting * declared)
        one_more = stack.enter_context(raw_connection(live))
        one_more.sendall(opening)
        answer = one_more.recv(4096)

    assert answer.startswith(b"HTTP/1.1 429 ")
    assert b"retry-after: 1\r\n" in answer
    wait_until(lambda: live.metric("numagate_request_held_bytes") == 0)
    assert live.ask("POST", "/validate", padded(MAX_BYTES)).status == 200


@pytest.mark.parametrize(
    "opening",
    [
        b"\r\n",
        b"POST /mutate HTT",
        HEAD + b"Content-Length: 10\r\n\r\n12345",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\n123",
    ],
    ids=["a blank line", "half a line", "half a body", "half a chunk"],
)
def test_a_slow_client_is_cut_off(live: Running, monkeypatch: pytest.MonkeyPatch, opening: bytes) -> None:
    monkeypatch.setattr(protocol, "RECEIVE_SECONDS", 0.1)

    with raw_connection(live) as connection:
        started = time.monotonic()
        connection.sendall(opening)
        assert read_to_end(connection) == b""

    assert time.monotonic() - started < 5


def test_an_idle_connection_between_requests_is_not_cut_off(live: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "RECEIVE_SECONDS", 0.1)
    connection = live.connect()
    assert exchange(connection, "POST", "/mutate", review_body()).status == 200

    read_past_the_deadline(live)

    assert exchange(connection, "POST", "/mutate", review_body()).status == 200
    connection.close()


def test_a_connection_that_was_opened_in_advance_is_not_cut_off(live: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go dials another connection where all are busy, and keeps it unused where one became free meanwhile."""
    monkeypatch.setattr(protocol, "RECEIVE_SECONDS", 0.1)
    before = dropped(live, "slow")
    spare = live.connect()
    spare.connect()

    read_past_the_deadline(live)

    assert dropped(live, "slow") == before + 1
    assert exchange(spare, "POST", "/mutate", review_body()).status == 200
    spare.close()


def test_a_connection_that_nobody_uses_is_closed_like_an_idle_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listener, "KEEP_ALIVE_SECONDS", 0.2)

    with running(tmp_path) as service, raw_connection(service) as connection:
        assert read_to_end(connection) == b""
        assert dropped(service, "slow") == 0


def test_spare_connections_do_not_delay_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "RECEIVE_SECONDS", 0.1)
    monkeypatch.setattr(listener, "GRACEFUL_SECONDS", 60)

    with running(tmp_path) as service, raw_connection(service) as old:
        read_past_the_deadline(service)
        with raw_connection(service) as young:
            service.service.stop()
            assert [read_to_end(one) for one in (old, young)] == [b"", b""]


def read_past_the_deadline(service: Running) -> None:
    """Wait until a client that is slow is cut off."""
    with raw_connection(service) as other:
        other.sendall(b"POST /mutate HTT")
        assert read_to_end(other) == b""


def test_a_trailer_is_no_header_and_the_connection_goes_on(live: Running) -> None:
    body = review_body()
    chunked = HEAD + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%b\r\n0\r\nX: y\r\n\r\n" % (len(body), body)

    with raw_connection(live) as connection:
        connection.sendall(chunked + b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        answer = read_to_end(connection)

    assert answer.count(b"HTTP/1.1 200 ") == 2


@pytest.mark.parametrize(
    ("opening", "more"),
    [
        (b"GET /", b"x" * 4096),
        (b"GET / HTTP/1.1\r\nX: ", b"x" * 4096),
        (b"GET / HTTP/1.1\r\n", b"X: y\r\n" * 700),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: ", b"x" * 4096),
    ],
    ids=["an endless path", "an endless header", "endless headers", "an endless trailer"],
)
def test_a_request_without_end_is_cut_off(live: Running, opening: bytes, more: bytes) -> None:
    before = dropped(live, "oversized")

    with raw_connection(live) as connection, contextlib.suppress(OSError):
        connection.sendall(opening)
        for _ in range(10_000):
            connection.sendall(more)

    wait_until(lambda: dropped(live, "oversized") == before + 1)


def test_a_client_that_sends_a_thousand_requests_at_once_is_cut_off(live: Running) -> None:
    before = dropped(live, "pipelined")

    with raw_connection(live) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" * 1000)
        read_to_end(connection)

    assert dropped(live, "pipelined") == before + 1


def test_bodies_that_wait_behind_a_slow_request_are_bounded(tmp_path: Path) -> None:
    go_on = threading.Event()

    def slow(request: Request, world: World) -> Decision:
        go_on.wait(10)
        return accept(request, world)

    kinds = {"kind": {"group": "apps", "version": "v1", "kind": "Deployment"}}
    waiting = b" " * 30_000
    with running(tmp_path, review=slow) as service:
        with raw_connection(service) as connection, contextlib.suppress(OSError):
            connection.sendall(with_length(review_body(**kinds)))
            for _ in range(100):
                connection.sendall(with_length(waiting))
            read_to_end(connection)

        wait_until(lambda: dropped(service, "pipelined") == 1)
        go_on.set()


def with_length(body: bytes) -> bytes:
    return HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body


def test_a_client_that_reads_no_reply_is_cut_off(live: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "SEND_SECONDS", 0.1)
    before = dropped(live, "slow")

    with raw_connection(live, receive_buffer=4096) as connection:
        connection.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 100)
        wait_until(lambda: dropped(live, "slow") > before)

    assert live.ask("POST", "/mutate", review_body()).status == 200


@contextlib.contextmanager
def plain_connections(service: Running, count: int, opening: bytes = b"") -> Iterator[list[socket.socket]]:
    """Open TCP connections that never begin TLS, or begin it with `opening`."""
    with contextlib.ExitStack() as stack:
        opened = []
        for _ in range(count):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", service.service.port), 10))
            connection.sendall(opening)
            opened.append(connection)
        yield opened


def test_a_flood_of_connections_is_bounded_and_known_ones_are_served(live: Running) -> None:
    wait_until(lambda: len(live.service.crowd) == 0)
    before = dropped(live, "crowded")
    known = [live.connect() for _ in range(3)]
    assert {exchange(connection, "GET", "/healthz").status for connection in known} == {200}
    limit, live.service.crowd.limit = live.service.crowd.limit, 8

    try:
        for _ in range(5):
            with plain_connections(live, 20):
                assert live.ask("POST", "/mutate", review_body()).status == 200
                assert len(live.service.crowd) <= 8
                assert {exchange(connection, "GET", "/healthz").status for connection in known} == {200}
    finally:
        live.service.crowd.limit = limit
        for connection in known:
            connection.close()

    assert dropped(live, "crowded") >= before + 12


def test_where_every_connection_has_a_request_in_flight_a_newcomer_waits_for_none(live: Running) -> None:
    release, entered = threading.Event(), threading.Event()

    def busy(request: Request, world: World) -> Decision:
        entered.set()
        release.wait(10)
        return accept(request, world)

    large = review_body(obj={"padding": "x" * LARGE_BYTES})
    with running(live.folder, review=busy) as service:
        wait_until(lambda: len(service.service.crowd) == 0)
        service.service.crowd.limit = 1
        answers: list[int] = []
        caller = threading.Thread(target=lambda: answers.append(service.ask("POST", "/mutate", large).status))
        caller.start()
        try:
            assert entered.wait(10)
            with pytest.raises((OSError, http.client.HTTPException)):
                service.ask("GET", "/healthz")
        finally:
            release.set()
            caller.join(10)

    assert answers == [200]


def test_slow_clients_of_every_kind_are_gone_while_others_are_served(
    live: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "HANDSHAKE_SECONDS", 1.0)
    monkeypatch.setattr(protocol, "RECEIVE_SECONDS", 1.0)
    wait_until(lambda: len(live.service.crowd) == 0)
    busy = live.connect()
    assert exchange(busy, "POST", "/mutate", review_body()).status == 200

    with contextlib.ExitStack() as stack:
        stack.enter_context(plain_connections(live, 25))
        stack.enter_context(plain_connections(live, 25, b"\x16\x03\x01\x02"))
        for opening in [b"\r\n", b"POST /mutate HTT", HEAD + b"Content-Length: 10\r\n\r\n12345"] * 10:
            connection = stack.enter_context(raw_connection(live))
            connection.sendall(opening)
        assert len(live.service.crowd) > 50
        statuses = set()
        while len(live.service.crowd) > 1:
            statuses.add(exchange(busy, "POST", "/mutate", review_body()).status)

    assert statuses == {200}
    busy.close()


def dropped(service: Running, reason: str) -> float:
    """Answer how many connections were cut off for this reason."""
    return service.metric(f'numagate_connections_dropped_total{{reason="{reason}"}}') or 0.0


def raw_connection(service: Running, *, receive_buffer: int = 65536) -> ssl.SSLSocket:
    """Open a TLS connection to write bytes of our own choice to."""
    plain = socket.socket()
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    plain.settimeout(10)
    plain.connect(("127.0.0.1", service.service.port))
    return service.trust().wrap_socket(plain, server_hostname="127.0.0.1")


def read_to_end(connection: ssl.SSLSocket) -> bytes:
    """Read until the other side closes, however rudely."""
    found = b""
    try:
        while part := connection.recv(65536):
            found += part
    except (ssl.SSLEOFError, ConnectionResetError):
        pass
    return found
