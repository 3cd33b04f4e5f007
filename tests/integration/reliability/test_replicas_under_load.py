"""Replicas come and go while pods are created: the API server's real calls, through a Service whose endpoints lag."""

from collections.abc import Callable
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from controlplane.arrivals import Arrivals
from controlplane.arrivals import Outcome
from controlplane.arrivals import pod_creations
from controlplane.balancer import Balancer
from controlplane.case_service import Asked
from controlplane.cluster import ControlPlane
from controlplane.deployment import Deployment
from controlplane.process import until
from gpupods import REPAIRED
from gpupods import gpu_pod
from promises import Figures
from promises import Scale

RECOVERY_SECONDS = 3.0
CLIENTS = 160
"""Enough for the creations that are on their way while the Service's replies are late."""

FEW_CLIENTS = 8
"""So few keep every connection busy, so that none is idle at the end of a short lame duck time.

Closing an idle one is a race with the next request, which a busy machine loses.
"""

CALL_FAILED = "Internal error occurred: failed calling webhook "


@dataclass(frozen=True, slots=True)
class Stage:
    """A namespace whose pods the API server asks the replicas behind a Service about."""

    cluster: ControlPlane
    service: Balancer
    deployment: Deployment
    team: str
    clients: int

    def load(self, *, rate: float) -> AbstractContextManager[Arrivals]:
        """Let pods be created that both passes have to do with."""
        return pod_creations(self.cluster, self._pod, rate=rate, threads=self.clients)

    def _pod(self, number: int) -> dict[str, Any]:
        return gpu_pod(self.team, f"pod-{number}", REPAIRED)


@pytest.fixture(scope="module")
def stage(
    control_plane: ControlPlane,
    service: Balancer,
    deployment: Deployment,
    asking: Callable[[Asked], AbstractContextManager[str]],
    scale: Scale,
) -> Iterator[Stage]:
    """Let the API server ask the Service about a namespace."""
    with asking(deployment) as team:
        yield Stage(control_plane, service, deployment, team, scale.of(short=FEW_CLIENTS, long=CLIENTS))


def has_run(found: Arrivals, seconds: float) -> bool:
    """Tell whether requests have been arriving for so long."""
    return found.seconds >= seconds


def test_a_rolling_restart_fails_no_creation(stage: Stage, scale: Scale, figures: Figures) -> None:
    deployment, dialled = stage.deployment, stage.service.passed()
    statuses: list[int] = []
    with stage.load(rate=scale.of(short=40, long=150)) as found:
        until(partial(has_run, found, 1.0), what="some load")
        statuses.append(deployment.replace(deployment.replicas[0]))
        while scale.long and found.seconds < 120:
            statuses.extend(deployment.roll())

    figures.add("B1", "creations", len(found.outcomes))
    figures.add("B1", "failed", len(found.failed))
    figures.add("B1", "replicas replaced", len(statuses))
    figures.add("B1", "connections opened", stage.service.passed() - dialled)
    figures.add("B1", "p99 of a creation (s)", found.percentile(99))
    assert found.errors == {}
    assert set(statuses) == {0}


def test_a_killed_replica_fails_only_what_was_on_its_way_to_it(stage: Stage, scale: Scale, figures: Figures) -> None:
    deployment, kills = stage.deployment, []
    whole_again: list[float] = []
    with stage.load(rate=scale.of(short=30, long=100)) as found:
        for turn in range(scale.of(short=1, long=15)):
            until(partial(has_run, found, 1.0 + 20.0 * turn), seconds=60, what="some load")
            kills.append(found.began + found.seconds)
            deployment.kill(deployment.replicas[turn % len(deployment.replicas)])
            deployment.recover()
            whole_again.append(found.began + found.seconds)
        until(partial(has_run, found, found.seconds + stage.service.lag + 1.0), what="load after the recovery")

    times = list(zip(kills, whole_again, strict=True))
    on_their_way = [one for one in found.failed if was_on_its_way(one, kills)]
    late = [one.due - max(killed for killed in kills if killed <= one.due + one.seconds) for one in found.failed]
    figures.add("B2", "creations", len(found.outcomes))
    figures.add("B2", "kills", len(kills))
    figures.add("B2", "failed on their way", len(on_their_way))
    figures.add("B2", "failed to connect until the Service knew", len(found.failed) - len(on_their_way))
    figures.add("B2", "last failure after its kill (s)", max(late, default=0.0), at_most=RECOVERY_SECONDS)
    explained = [one for one in found.failed for killed, whole in times if killed - one.seconds <= one.due <= whole]
    assert [one for one in found.failed if one not in explained] == []
    assert {one.error.partition(": ")[2].partition('"')[0] for one in found.failed} <= {CALL_FAILED}


def was_on_its_way(one: Outcome, kills: list[float]) -> bool:
    """Tell whether a creation had begun when a replica was killed."""
    return any(one.due <= killed <= one.due + one.seconds for killed in kills)
