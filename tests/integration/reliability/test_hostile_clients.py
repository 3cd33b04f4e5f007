"""Slow, silent and flooding clients at the port of one replica, while it is asked about pods."""

import socket
import ssl
import time
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import ExitStack
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from bench.processes import usage
from controlplane.arrivals import reviews
from controlplane.process import until
from controlplane.replicas import Replica
from gpupods import gpu_pod
from promises import Figures
from promises import Scale

from webhook.web.door import with_room_for
from webhook.web.listener import MAX_CONNECTIONS

OTHER_DESCRIPTORS = 160
"""Of the plain port, files and threads."""

CLIENTS = 8
GONE_SECONDS = 10.0
MEMORY_LIMIT = 256
"""MiB, of the 384 that the manifests allow."""

HEAD = b"POST /validate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def replica(make_replica: Callable[[str], Replica]) -> Iterator[Replica]:
    """Run a replica."""
    with make_replica("besieged") as running:
        yield running.until_ready()
        running.interrupt()


def test_slow_clients_are_gone_in_time_and_a_flood_is_bounded(replica: Replica, scale: Scale, figures: Figures) -> None:
    slow, flood = scale.of(short=30, long=500), scale.of(short=1500, long=5000)
    with_room_for(flood + 4 * slow)
    pid, most = replica.daemon.process.pid, 0
    with reviews(replica, lambda _: gpu_pod("team"), rate=scale.of(short=20, long=100), threads=CLIENTS) as found:
        until(lambda: len(found.outcomes) > 20, what="some answers before", seconds=60)
        with besieged(replica, slow):
            began = time.monotonic()
            until(lambda: open_connections(replica) <= CLIENTS + 1, what="the end of the slow", seconds=30)
            figures.add("D5", f"{4 * slow} slow clients gone after (s)", time.monotonic() - began, at_most=GONE_SECONDS)
        with flooded(replica, flood):
            for _ in range(20):
                most = max(most, sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir()))
                answered = len(found.outcomes)
                until(lambda seen=answered: len(found.outcomes) > seen, what="an answer in the flood")  # type: ignore[misc]

    figures.add("D5", f"descriptors in a flood of {flood}", most, at_most=MAX_CONNECTIONS + OTHER_DESCRIPTORS)
    figures.add("D5", "RSS at most (MiB)", usage(pid).peak, at_most=MEMORY_LIMIT)
    figures.add("D5", "p99 of reviews meanwhile (s)", found.percentile(99))
    assert found.errors == {}
    assert most <= MAX_CONNECTIONS + OTHER_DESCRIPTORS
    assert usage(pid).peak < MEMORY_LIMIT


def open_connections(replica: Replica) -> float:
    """Answer how many connections the replica has."""
    return replica.metric("numagate_connections")


@contextmanager
def flooded(replica: Replica, count: int) -> Iterator[None]:
    """Open connections that never say anything; those that were refused do not matter."""
    port = urlsplit(str(replica.http.base_url)).port
    with ExitStack() as stack:
        for _ in range(count):
            connection = stack.enter_context(socket.socket())
            connection.setblocking(False)
            connection.connect_ex(("127.0.0.1", port))
        yield


@contextmanager
def besieged(replica: Replica, count: int) -> Iterator[None]:
    """Open connections without TLS, and ones with a blank line, half a head and half a body, so many of each."""
    port = urlsplit(str(replica.http.base_url)).port
    trust = ssl.create_default_context(cafile=str(replica.ca))
    with flooded(replica, count), ExitStack() as stack:
        for opening in (b"\r\n", b"POST /validate HTT", HEAD + b"Content-Length: 10\r\n\r\n12345"):
            for _ in range(count):
                plain = stack.enter_context(socket.create_connection(("127.0.0.1", port), 30))
                connection = stack.enter_context(trust.wrap_socket(plain, server_hostname="127.0.0.1"))
                connection.sendall(opening)
        yield
