"""Replicas come and go while pods are created: the API server's real calls, through a Service whose endpoints lag."""

from contextlib import AbstractContextManager
from functools import partial

from controlplane.arrivals import Arrivals
from controlplane.arrivals import Outcome
from controlplane.arrivals import pod_creations
from controlplane.balancer import Balancer
from controlplane.cluster import ControlPlane
from controlplane.deployment import Deployment
from controlplane.process import until
from gpupods import REPAIRED
from gpupods import gpu_pod
from promises import Figures
from promises import Scale

RECOVERY_SECONDS = 3.0


def load(cluster: ControlPlane, team: str, *, rate: float) -> AbstractContextManager[Arrivals]:
    """Let pods be created that both passes have to do with."""
    return pod_creations(cluster, lambda number: gpu_pod(team, f"pod-{number}", REPAIRED), rate=rate)


def has_run(found: Arrivals, seconds: float) -> bool:
    """Tell whether requests have been arriving for so long."""
    return found.seconds >= seconds


def test_a_rolling_restart_fails_no_creation(
    control_plane: ControlPlane, service: Balancer, deployment: Deployment, team: str, scale: Scale, figures: Figures
) -> None:
    statuses: list[int] = []
    dialled = service.passed()
    with load(control_plane, team, rate=scale.of(short=40, long=150)) as found:
        until(partial(has_run, found, 1.0), what="some load")
        statuses.append(deployment.replace(deployment.replicas[0]))
        while scale.long and found.seconds < 120:
            statuses.extend(deployment.roll())

    figures.add("B1", "creations", len(found.outcomes))
    figures.add("B1", "failed", len(found.failed), at_most=0)
    figures.add("B1", "replicas replaced", len(statuses))
    figures.add("B1", "connections opened", service.passed() - dialled)
    figures.add("B1", "p99 of a creation (s)", found.percentile(99))
    assert found.errors == {}
    assert set(statuses) == {0}
    assert found.outcomes


def test_a_killed_replica_fails_only_what_was_on_its_way_to_it(
    control_plane: ControlPlane, service: Balancer, deployment: Deployment, team: str, scale: Scale, figures: Figures
) -> None:
    kills: list[float] = []
    rate = scale.of(short=30, long=100)
    with load(control_plane, team, rate=rate) as found:
        for turn in range(scale.of(short=1, long=6)):
            until(partial(has_run, found, 1.0 + 20.0 * turn), seconds=60, what="some load")
            kills.append(found.began + found.seconds)
            deployment.kill(deployment.replicas[turn % len(deployment.replicas)])
            deployment.recover()
        until(partial(has_run, found, found.seconds + service.lag + 1.0), what="load after the recovery")

    figures.add("B2", "creations", len(found.outcomes))
    figures.add("B2", "kills", len(kills))
    figures.add("B2", "failed on their way", sum(was_on_its_way(one, kills) for one in found.failed))
    figures.add(
        "B2", "failed to connect until the Service knew", sum(not was_on_its_way(one, kills) for one in found.failed)
    )
    late = [min(one.due - killed for killed in kills if one.due + one.seconds >= killed) for one in found.failed]
    figures.add("B2", "last failure after its kill (s)", max(late, default=0.0), at_most=RECOVERY_SECONDS)
    assert {one.error for one in found.failed if not was_on_its_way(one, kills) and not could_not_connect(one)} == set()
    assert {one.error.partition(": ")[2].partition('"')[0] for one in found.failed} <= {CALL_FAILED}


CALL_FAILED = "Internal error occurred: failed calling webhook "


def was_on_its_way(one: Outcome, kills: list[float]) -> bool:
    """Tell whether a creation had begun when a replica was killed."""
    return any(one.due <= killed <= one.due + one.seconds for killed in kills)


def could_not_connect(one: Outcome) -> bool:
    """Tell whether a creation met a replica that was no longer there."""
    return "connection reset by peer" in one.error or "connection refused" in one.error
