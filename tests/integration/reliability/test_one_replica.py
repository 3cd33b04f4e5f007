"""One replica: the rate that it keeps up, and its memory and metrics after very many pods."""

from collections.abc import Callable
from collections.abc import Iterator

import pytest
from bench.processes import usage
from controlplane.arrivals import allowed
from controlplane.arrivals import reviews
from controlplane.load import Call
from controlplane.process import until
from controlplane.replicas import Replica
from gpupods import gpu_pod
from promises import Figures
from promises import Scale
from serving import review_body

MOST_SERIES = 500
MOST_MEMORY = 128
"""MiB."""


@pytest.fixture(scope="module")
def replica(make_replica: Callable[[str], Replica]) -> Iterator[Replica]:
    """Run a replica."""
    with make_replica("alone") as running:
        yield running.until_ready()
        running.interrupt()


def test_the_rate_of_a_busy_cluster_is_answered_in_time(replica: Replica, scale: Scale, figures: Figures) -> None:
    for rate, bound in ((100, 0.025), (200, 0.1)):
        with reviews(replica, lambda number: gpu_pod("team", resources=f"8/{60_000 + number}Mi/1"), rate=rate) as found:
            until(lambda: found.seconds >= scale.of(short=0.5, long=30.0), what="some load", seconds=60)
        figures.add("F1", f"p99 at {rate} new pods/s (s)", found.percentile(99), at_most=bound)
        figures.add("F1", f"p50 at {rate} new pods/s (s)", found.percentile(50))
        assert found.errors == {}


def test_very_many_pods_leave_memory_and_metrics_as_they_are(replica: Replica, scale: Scale, figures: Figures) -> None:
    pid, total = replica.daemon.process.pid, scale.of(short=600, long=100_000)
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
