"""Knocking at a port: whose TLS works, and whose does not."""

import socket
import ssl
import threading
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from contextlib import suppress
from pathlib import Path

import pytest
from serving import issue

from webhook.web.knock import Knocker


@contextmanager
def port(answer: Callable[[socket.socket], None]) -> Iterator[tuple[str, int]]:
    """Listen, and treat one caller as `answer` does."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            with suppress(OSError), listening.accept()[0] as caller:
                answer(caller)

        thread = threading.Thread(target=serve)
        thread.start()
        yield listening.getsockname()
        thread.join(10)


def context(folder: Path, *, clients: bool = False) -> ssl.SSLContext:
    """Answer the context of a server with certificates from `folder`, that may ask clients for theirs."""
    issue(folder)
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(folder / "tls.crt", folder / "tls.key")
    if clients:
        made.verify_mode = ssl.CERT_REQUIRED
        made.load_verify_locations(folder / "ca.crt")
    return made


@pytest.mark.parametrize("clients", [False, True], ids=["any client", "only with a certificate"])
def test_a_server_that_shakes_hands_answers(tmp_path: Path, *, clients: bool) -> None:
    served = context(tmp_path, clients=clients)

    with port(lambda caller: served.wrap_socket(caller, server_side=True).close()) as address:
        assert Knocker(address).knock(seconds=10)


def test_a_server_without_a_certificate_does_not_answer() -> None:
    empty = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)

    with port(lambda caller: empty.wrap_socket(caller, server_side=True).close()) as address:
        assert not Knocker(address).knock(seconds=10)


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"], ids=["a closed door", "no TLS"])
def test_who_speaks_no_tls_does_not_answer(answer: bytes) -> None:
    with port(lambda caller: caller.sendall(answer)) as address:
        assert not Knocker(address).knock(seconds=10)


def test_silence_is_no_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert not Knocker(silent.getsockname()).knock(seconds=0.05)


def test_a_port_where_nobody_listens_does_not_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        address = gone.getsockname()

    assert not Knocker(address).knock(seconds=10)


@pytest.mark.parametrize("host", ["", "0.0.0.0"])  # noqa: S104  # as listening sockets tell it
def test_who_listens_on_every_address_is_asked_on_loopback(tmp_path: Path, host: str) -> None:
    served = context(tmp_path)

    with port(lambda caller: served.wrap_socket(caller, server_side=True).close()) as (_, number):
        assert Knocker((host, number)).knock(seconds=10)
