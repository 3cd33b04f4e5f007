"""Hours in minutes: load through the API server, short-lived connections, reloads and rotations, again and again."""

import math
import os
import shutil
import statistics
import time
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextlib import ExitStack
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path
from typing import Any

import pytest
from bench.processes import usage
from controlplane.arrivals import Arrivals
from controlplane.arrivals import Verdict
from controlplane.arrivals import created
from controlplane.arrivals import created_and_judged
from controlplane.arrivals import pod_creations
from controlplane.arrivals import reviews
from controlplane.balancer import Balancer
from controlplane.case_service import Asked
from controlplane.cluster import ControlPlane
from controlplane.deployment import Deployment
from controlplane.process import until
from controlplane.replicas import Replica
from controlplane.replicas import serving_file
from gpupods import REPAIRED
from gpupods import gpu_pod
from promises import Figures
from promises import Scale
from promises import policy_text
from serving import issue

RATE = 50
CHURN = 10
"""Reviews a second, each over a connection of its own."""

RELOAD_SECONDS = 15.0
ROTATION_SECONDS = 20.0
MOST_SLOPE = 4.0
"""MiB an hour; what a run of minutes can tell from nothing."""

SPARE = 50
"""Descriptors of connections that the API server keeps."""

LONG_ENOUGH = 20
"""Minutes from which a slope says something."""


@dataclass(slots=True)
class Soaked:
    """What is changed under the load, and what the first replica took meanwhile."""

    cluster: ControlPlane
    team: str
    deployment: Deployment
    policy: Path
    certificates: Path
    reloads: int = 0
    rotations: int = 0
    samples: list[tuple[float, float, int]] = field(default_factory=list)

    @property
    def pid(self) -> int:
        """The process that is looked at."""
        return self.deployment.replicas[0].daemon.process.pid

    def look(self, seconds: float) -> None:
        """Note memory and descriptors."""
        self.samples.append((seconds, usage(self.pid).resident, descriptors(self.pid)))

    def change_policy(self) -> None:
        """Write a policy with another name and other classes."""
        self.reloads += 1
        draft = self.policy.with_suffix(".draft")
        draft.write_text(policy_text(classes=1 + self.reloads % 3, name=f"policy-{self.reloads}"), "utf-8")
        draft.replace(self.policy)

    def rotate(self) -> None:
        """Issue another certificate from the same CA."""
        self.rotations += 1
        issue(self.certificates)

    def slope(self) -> float:
        """Answer by how many MiB an hour memory grew over the last two thirds."""
        last = self.samples[len(self.samples) // 3 :]
        return statistics.linear_regression([one[0] / 3600 for one in last], [one[1] for one in last]).slope


def descriptors(pid: int) -> int:
    """Count the open descriptors of a process."""
    return len(os.listdir(f"/proc/{pid}/fd"))  # noqa: PTH208  # a count, nothing else


@pytest.fixture(scope="module")
def soaked(
    control_plane: ControlPlane,
    asking: Callable[[Asked], AbstractContextManager[str]],
    case_certificates: Path,
    tmp_path_factory: pytest.TempPathFactory,
    scale: Scale,
) -> Iterator[Soaked]:
    """Run replicas with files of their own, which the API server asks about one namespace."""
    folder = tmp_path_factory.mktemp("soak")
    certificates, policy = folder / "certificates", folder / "policy.yaml"
    shutil.copytree(case_certificates, certificates)
    policy.write_text(policy_text(classes=1), "utf-8")

    def make(name: str) -> Replica:
        return serving_file(policy, certificates, name)

    with (
        Balancer(lag=0.0) as service,
        Deployment(service, make, replicas=scale.of(short=1, long=3)) as deployment,
        asking(deployment) as team,
    ):
        yield Soaked(control_plane, team, deployment, policy, certificates)


def burst(soaked: Soaked, namespace: str, verdict: Verdict, *, pods: int, clients: int) -> Arrivals:
    """Create many pods at once, each of another shape, as a large StatefulSet or a pipeline does."""

    def pod(number: int) -> dict[str, Any]:
        return gpu_pod(namespace, f"pod-{number}", f"7500m/{60_000 + number}Mi/1")

    with pod_creations(soaked.cluster, pod, rate=100_000, threads=clients, verdict=verdict) as found:
        until(lambda: len(found.outcomes) >= pods, what="the pods of a burst", seconds=120)
    return found


def test_a_burst_of_new_pods_is_created_whole(soaked: Soaked, scale: Scale, figures: Figures) -> None:
    pods, clients = scale.of(short=(60, 8), long=(500, 100))
    without = burst(soaked, "kube-system", created, pods=pods, clients=clients)
    found = burst(soaked, soaked.team, created_and_judged, pods=pods, clients=clients)

    figures.add("F1", f"burst of {pods} creations by {clients} clients: failed", len(found.failed))
    figures.add("F1", "burst: creations a second", found.offered)
    figures.add("F1", "burst: creations a second without numagate", without.offered)
    assert (found.errors, without.errors) == ({}, {})


def test_a_soak_leaks_nothing_and_fails_nothing(
    soaked: Soaked, scale: Scale, figures: Figures, pytestconfig: pytest.Config
) -> None:
    minutes = scale.of(short=0.05, long=pytestconfig.getoption("minutes"))
    first = soaked.deployment.replicas[0]
    serial = first.serial()
    idle = descriptors(soaked.pid)
    with ExitStack() as stack:
        creations = stack.enter_context(
            pod_creations(soaked.cluster, lambda number: gpu_pod(soaked.team, f"pod-{number}", REPAIRED), rate=RATE)
        )
        churn = stack.enter_context(reviews(first, lambda _: gpu_pod("team"), rate=CHURN, threads=4, kept_alive=False))
        while creations.seconds < minutes * 60:
            if creations.seconds >= soaked.reloads * RELOAD_SECONDS:
                soaked.change_policy()
            if creations.seconds >= soaked.rotations * ROTATION_SECONDS:
                soaked.rotate()
            soaked.look(creations.seconds)
            time.sleep(scale.of(short=0.2, long=1.0))
        if scale.long:  # files are looked at every five seconds
            until(lambda: first.serial() != serial and first.policy() != "default", what="the changes in force")
    until(lambda: descriptors(soaked.pid) <= idle + SPARE, what="closed connections")

    figures.add("F2", "minutes", minutes)
    figures.add("F2", "creations", len(creations.outcomes))
    figures.add("F2", "failed", len(creations.failed), at_most=0)
    figures.add("F2", "reviews over short-lived connections", len(churn.outcomes))
    figures.add("F2", "of them failed", len(churn.failed), at_most=0)
    figures.add("F2", "policy reloads", soaked.reloads)
    figures.add("F2", "certificate rotations", soaked.rotations)
    figures.add("F2", "RSS at the first third (MiB)", soaked.samples[len(soaked.samples) // 3][1])
    figures.add("F2", "RSS at the end (MiB)", soaked.samples[-1][1], at_most=128)
    figures.add("F2", "RSS slope (MiB/h)", soaked.slope(), at_most=MOST_SLOPE if minutes >= LONG_ENOUGH else math.inf)
    figures.add("F2", "descriptors, most", max(one[2] for one in soaked.samples))
    figures.add("F2", "descriptors at the end", descriptors(soaked.pid))
    figures.add("F2", "p99 of a creation (s)", creations.percentile(99))
    assert (creations.errors, churn.errors) == ({}, {})
