"""More work than a replica can do: it says so at once, never hangs, stays small, and is itself again soon."""

import itertools
import os
import signal
import threading
import time
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from bench.processes import usage
from controlplane.arrivals import REFUSED
from controlplane.arrivals import reviews
from controlplane.process import until
from controlplane.replicas import Replica
from controlplane.replicas import serving_file
from gpupods import gpu_pod
from promises import Figures
from promises import Scale
from promises import policy_text

CLASSES = 40
"""Kinds of machines, on each of which every new pod is simulated: a few milliseconds of work."""

TIMEOUT = 5
"""Seconds that the API server waits for the validating pass."""

MEMORY_LIMIT = 384
"""MiB, of the shipped manifests."""

RECOVERY_SECONDS = 5.0
THREADS = 400


@pytest.fixture(scope="module")
def burdened(tmp_path_factory: pytest.TempPathFactory, case_certificates: Path) -> Iterator[Replica]:
    """Run a replica for which a new pod is much work."""
    file = tmp_path_factory.mktemp("burdened") / "policy.yaml"
    file.write_text(policy_text(classes=CLASSES), "utf-8")
    with serving_file(file, case_certificates, "burdened") as running:
        yield running.until_ready()


def new_pods() -> Callable[[int], dict[str, Any]]:
    """Write pods of which no two are alike, so that no decision is remembered."""
    numbers = itertools.count()

    def pod(_number: int) -> dict[str, Any]:
        return gpu_pod("team", resources=f"8/{60_000 + next(numbers)}Mi/1")

    return pod


def capacity(replica: Replica, pod: Callable[[int], dict[str, Any]], *, seconds: float) -> float:
    """Answer how many reviews a second a replica answers that always has a few to do."""
    with reviews(replica, pod, rate=100_000, threads=4, seconds=TIMEOUT) as found:
        until(lambda: found.seconds >= seconds, what="some answers", seconds=60)
    return found.offered


def seconds_to_recover(replica: Replica, scale: Scale) -> float:
    """Wait until ten reviews in a row are answered at once; answer how long that took."""
    began, at_once = time.monotonic(), scale.of(short=10.0, long=0.25)
    with reviews(replica, lambda _: gpu_pod("team"), rate=50) as found:

        def recovered() -> bool:
            last = found.outcomes[-10:]
            return len(last) == 10 and not any(one.error or one.seconds > at_once for one in last)

        until(recovered, seconds=60, what="ten right answers in a row")
        return time.monotonic() - began


def test_five_times_the_capacity_is_refused_not_queued(burdened: Replica, scale: Scale, figures: Figures) -> None:
    pod = new_pods()
    most = capacity(burdened, pod, seconds=scale.of(short=1.0, long=5.0))
    before = usage(burdened.daemon.process.pid)
    with reviews(burdened, pod, rate=5 * most, threads=THREADS, seconds=TIMEOUT) as found:
        until(lambda: found.seconds >= scale.of(short=2.0, long=60.0), seconds=120, what="a long overload")
        found.end()
        recovery = seconds_to_recover(burdened, scale)
    after = usage(burdened.daemon.process.pid)

    answered = [one for one in found.outcomes if not one.error]
    figures.add("B8", "capacity (reviews/s)", most)
    figures.add("B8", "offered (reviews/s)", found.offered)
    figures.add("B8", "answered", len(answered))
    figures.add("B8", "refused with 429", found.errors[REFUSED])
    figures.add("B8", "p99 of the answered (s)", found.percentile(99), at_most=TIMEOUT)
    figures.add("B8", "recovery (s)", recovery, at_most=RECOVERY_SECONDS)
    figures.add("B8", "RSS before (MiB)", before.resident)
    figures.add("B8", "RSS, peak (MiB)", after.peak)
    assert after.peak < MEMORY_LIMIT
    assert set(found.errors) == {REFUSED}
    assert answered


@contextmanager
def throttled(pid: int, *, share: float, period: float = 0.1) -> Iterator[None]:
    """Let a process run for a share of the time only, as the kernel's CPU quota does, period by period."""
    done = threading.Event()

    def work() -> None:
        while not done.wait(period * share):
            os.kill(pid, signal.SIGSTOP)
            done.wait(period * (1 - share))
            os.kill(pid, signal.SIGCONT)

    worker = threading.Thread(target=work, name="throttle")
    worker.start()
    try:
        yield
    finally:
        done.set()
        worker.join()
        os.kill(pid, signal.SIGCONT)


def test_a_fifth_of_a_cpu_makes_it_slow_or_refusing_but_never_silent(
    burdened: Replica, scale: Scale, figures: Figures
) -> None:
    pod = new_pods()
    most = capacity(burdened, pod, seconds=scale.of(short=1.0, long=5.0))
    with (
        throttled(burdened.daemon.process.pid, share=0.2),
        reviews(burdened, pod, rate=most / 2, threads=THREADS, seconds=TIMEOUT) as found,
    ):
        until(lambda: found.seconds >= scale.of(short=2.0, long=45.0), seconds=120, what="a long shortage")
    recovery = seconds_to_recover(burdened, scale)

    figures.add("F3", "offered (reviews/s)", found.offered)
    figures.add("F3", "answered", len(found.outcomes) - len(found.failed))
    figures.add("F3", "refused with 429 or 503", found.errors[REFUSED])
    figures.add("F3", "slowest reply (s)", max(one.seconds for one in found.outcomes), at_most=2 * TIMEOUT)
    figures.add("F3", "recovery (s)", recovery, at_most=RECOVERY_SECONDS)
    assert set(found.errors) <= {REFUSED}
    assert len(found.outcomes) > len(found.failed)
