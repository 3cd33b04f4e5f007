"""Connections that nobody has used for a while are still there: 5 s, 60 s, and what the API server waits itself."""

import heapq
import time
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextlib import ExitStack

from controlplane.arrivals import Arrivals
from controlplane.arrivals import allowed
from controlplane.arrivals import pod_creations
from controlplane.balancer import Balancer
from controlplane.case_service import Asked
from controlplane.cluster import ControlPlane
from controlplane.deployment import Deployment
from controlplane.load import Call
from controlplane.load import Client
from controlplane.process import until
from controlplane.replicas import Replica
from gpupods import gpu_pod
from promises import Figures
from serving import review_body

EACH = 200

GAPS = (4.9, 5.0, 5.1, 59.0, 60.0, 61.0, 89.0, 90.0, 91.0)
"""Seconds after which servers and clients give up idle connections; the API server does so after 90."""


def test_connections_that_idle_as_long_as_others_keep_them_are_still_there(
    make_replica: Callable[[str], Replica], figures: Figures
) -> None:
    with ExitStack() as stack:
        # So many that each has room for the connections that it gets.
        replicas = [stack.enter_context(make_replica(f"idle-{number}")) for number in range((len(GAPS) + 3) // 4)]
        for replica in replicas:
            replica.until_ready()
        errors = list(_after_gaps(replicas))
    figures.add("B7", "connections used again after a gap", len(errors))
    figures.add("B7", "of them lost", sum(error != "" for error in errors), at_most=0)
    assert set(errors) == {""}


def _after_gaps(replicas: list[Replica]) -> Iterator[str]:
    """Use `EACH` connections for each gap twice, that gap apart; yield what was wrong with the second reply."""
    call = Call("POST", "/validate", review_body(obj=gpu_pod("team"), namespace="team"))
    due: list[tuple[float, int, Client | None, float]] = []
    for number in range(EACH * len(GAPS)):
        heapq.heappush(due, (time.monotonic() + number / 200, number, None, GAPS[number % len(GAPS)]))
    while due:
        at, number, client, gap = heapq.heappop(due)
        time.sleep(max(0.0, at - time.monotonic()))
        if client is None:
            client = replicas[number // len(GAPS) % len(replicas)].client()
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


BURST = 40
API_SERVERS_GAPS = (5.0, 60.0, 90.0)


def test_the_connections_of_the_api_server_are_there_after_a_silence(
    control_plane: ControlPlane,
    make_replica: Callable[[str], Replica],
    asking: Callable[[Asked], AbstractContextManager[str]],
    figures: Figures,
) -> None:
    with ExitStack() as stack:
        first: list[tuple[float, float, str]] = []
        services: dict[float, Balancer] = {}
        # An address for each gap: the API server keeps connections by address.
        for gap in API_SERVERS_GAPS:
            services[gap] = stack.enter_context(Balancer(lag=0.0, delay=0.05))
            team = stack.enter_context(asking(stack.enter_context(Deployment(services[gap], make_replica, replicas=1))))
            assert burst(control_plane, team).errors == {}
            first.append((time.monotonic() + gap, gap, team))
        for due, gap, team in sorted(first):
            time.sleep(max(0.0, due - time.monotonic()))
            before = services[gap].passed()
            errors = burst(control_plane, team).errors
            figures.add("B7", f"API server, creations lost after {gap:g} s", errors.total(), at_most=0)
            figures.add("B7", f"API server, connections opened after {gap:g} s", services[gap].passed() - before)


def burst(cluster: ControlPlane, team: str) -> Arrivals:
    """Create pods at once, so that as many connections are used as the API server keeps, and a few more."""
    with pod_creations(cluster, lambda number: gpu_pod(team, f"pod-{number}"), rate=1000, threads=BURST) as found:
        until(lambda: found.seconds >= BURST / 1000, what="a burst")
    return found
