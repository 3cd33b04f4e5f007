"""One replica: the rate it keeps up, its memory after very many pods, its idle connections, and how it ends."""

import heapq
import signal
import socket
import ssl
import time
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from bench.processes import usage
from controlplane.arrivals import allowed
from controlplane.arrivals import reviews
from controlplane.load import Call
from controlplane.load import Client
from controlplane.process import until
from controlplane.replicas import Replica
from gpupods import gpu_pod
from promises import Figures
from promises import Scale
from serving import review_body

MOST_SERIES = 500
MOST_MEMORY = 128
"""MiB."""

GAPS = (4.9, 5.0, 5.1, 59.0, 60.0, 61.0, 89.0, 90.0, 91.0)
"""Seconds after which servers and clients give up idle connections; the API server does so after 90."""


def test_the_rate_of_a_busy_cluster_is_answered_in_time(replica: Replica, scale: Scale, figures: Figures) -> None:
    for rate, bound in ((100, 0.025), (200, 0.1)):
        with reviews(replica, lambda number: gpu_pod("team", resources=f"8/{60_000 + number}Mi/1"), rate=rate) as found:
            until(lambda: found.seconds >= scale.of(short=0.5, long=30.0), what="some load", seconds=60)
        figures.add("F1", f"p99 at {rate} new pods/s (s)", found.percentile(99), at_most=bound)
        figures.add("F1", f"p50 at {rate} new pods/s (s)", found.percentile(50))
        assert found.errors == {}


def test_very_many_pods_leave_memory_and_metrics_as_they_are(replica: Replica, scale: Scale, figures: Figures) -> None:
    pid, total = replica.daemon.process.pid, scale.of(short=1500, long=100_000)
    sizes: list[float] = []
    with replica.client() as client:
        for number in range(total):
            if number in {total // 10, total - 1}:
                sizes.append(usage(pid).resident)
            # Nothing of this pod is as in another: its shape, names, namespace and requester.
            pod = gpu_pod(f"team-{number}", f"pod-{number}", f"8/{60_000 + number}Mi/1")
            user = {"username": f"user-{number}", "groups": [f"group-{number}"]}
            body = review_body(obj=pod, uid=f"uid-{number}", namespace=f"team-{number}", userInfo=user)
            assert allowed(client.exchange(Call("POST", "/validate", body))) == ""

    figures.add("F4", "pods", total)
    figures.add("F4", "series", len(replica.series()), at_most=MOST_SERIES)
    figures.add("F4", "RSS after a tenth (MiB)", sizes[0])
    figures.add("F4", "RSS at the end (MiB)", sizes[1], at_most=MOST_MEMORY)
    figures.add("F4", "growth over the rest (MiB)", sizes[1] - sizes[0], at_most=4.0)
    assert len(replica.series()) <= MOST_SERIES
    assert sizes[1] < MOST_MEMORY


def test_connections_that_idle_as_long_as_others_keep_them_are_still_there(
    make_replica: Callable[[str], Replica], scale: Scale, figures: Figures
) -> None:
    gaps = scale.of(short=GAPS[:3], long=GAPS)
    each = scale.of(short=10, long=200)
    with ExitStack() as stack:
        # So many that each has room for the connections that it gets.
        replicas = [stack.enter_context(make_replica(f"idle-{number}")) for number in range((len(gaps) + 3) // 4)]
        for replica in replicas:
            replica.until_ready()
        errors = list(_after_gaps(replicas, gaps, each))
    figures.add("B7", "connections used again after a gap", len(errors))
    figures.add("B7", "of them lost", sum(error != "" for error in errors), at_most=0)
    assert set(errors) == {""}


def _after_gaps(replicas: list[Replica], gaps: tuple[float, ...], each: int) -> Iterator[str]:
    """Use `each` connections for each gap twice, that gap apart; yield what was wrong with the second reply."""
    call = Call("POST", "/validate", review_body(obj=gpu_pod("team"), namespace="team"))
    due: list[tuple[float, int, Client | None, float]] = []
    for number in range(each * len(gaps)):
        heapq.heappush(due, (time.monotonic() + number / 200, number, None, gaps[number % len(gaps)]))
    while due:
        at, number, client, gap = heapq.heappop(due)
        time.sleep(max(0.0, at - time.monotonic()))
        if client is None:
            client = replicas[number // len(gaps) % len(replicas)].client()
            assert allowed(client.exchange(call)) == ""
            heapq.heappush(due, (time.monotonic() + gap, number, client, gap))
        else:
            yield _error_of(client, call)
            client.close()


def _error_of(client: Client, call: Call) -> str:
    try:
        return allowed(client.exchange(call))
    except (OSError, EOFError) as error:
        return repr(error)


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
    replica: Replica, scale: Scale, figures: Figures, half_open: list[ssl.SSLSocket]
) -> None:
    drain = scale.of(short=1.0, long=15.0)
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
        while time.monotonic() - began < drain - 0.3:
            assert verdict(idle.exchange(call)) == ""
        status = process.wait(40)
        ended = time.monotonic() - began

    figures.add("B6", "unready after SIGTERM (s)", unready, at_most=0.1)
    figures.add("B6", "replies while draining", len(headers))
    figures.add("B6", "of them that closed their connection", headers.count("close"))
    figures.add("B6", "end after SIGTERM, with half-open requests (s)", ended, at_most=26.0)
    assert headers.count("close") == len(headers) > 0
    assert status == 0
