"""A replica is told to end while it is asked, and while clients of it have fallen silent."""

import signal
import socket
import ssl
import time
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from controlplane.arrivals import allowed
from controlplane.load import Call
from controlplane.process import until
from controlplane.replicas import Replica
from gpupods import gpu_pod
from promises import Figures
from serving import review_body

DRAIN_SECONDS = 15.0


@pytest.fixture
def replica(make_replica: Callable[[str], Replica]) -> Iterator[Replica]:
    """Run a replica that a test ends."""
    with make_replica("ending") as running:
        yield running.until_ready()


@pytest.fixture
def half_open(replica: Replica) -> Iterator[list[ssl.SSLSocket]]:
    """Open connections whose clients fall silent: before the first byte, in a header, and in a body."""
    trust = ssl.create_default_context(cafile=str(replica.ca))
    head = b"POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    with ExitStack() as stack:
        connections = []
        for opening in (b"", head, head + b"Content-Length: 10\r\n\r\n12345"):
            plain = stack.enter_context(socket.create_connection(("127.0.0.1", replica.backend.port), 10))
            connections.append(stack.enter_context(trust.wrap_socket(plain, server_hostname="127.0.0.1")))
            connections[-1].sendall(opening)
        yield connections


def test_the_end_of_a_replica_loses_nothing_and_comes_in_time(
    replica: Replica, figures: Figures, half_open: list[ssl.SSLSocket]
) -> None:
    headers: list[str | None] = []

    def verdict(reply: Any) -> str:
        headers.append(reply.headers.get("connection"))
        return allowed(reply)

    call = Call("POST", "/validate", review_body(obj=gpu_pod("team"), namespace="team"))
    process = replica.daemon.process
    assert half_open
    with replica.client() as idle:
        assert idle.exchange(call).headers.get("connection") is None
        process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        until(lambda: not replica.is_ready(), what="unreadiness")
        unready = time.monotonic() - began
        while time.monotonic() - began < DRAIN_SECONDS - 0.3:
            assert verdict(idle.exchange(call)) == ""
        status = process.wait(40)
        ended = time.monotonic() - began

    figures.add("B6", "unready after SIGTERM (s)", unready, at_most=0.1)
    figures.add("B6", "replies while draining", len(headers))
    figures.add("B6", "of them that closed their connection", headers.count("close"))
    figures.add("B6", "end after SIGTERM, with half-open requests (s)", ended, at_most=26.0)
    assert headers.count("close") == len(headers) > 0
    assert status == 0
