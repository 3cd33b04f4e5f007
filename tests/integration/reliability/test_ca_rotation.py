"""The controller rotates the CA under load, again and again, and its leader is killed at every step."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from dataclasses import field
from datetime import UTC
from datetime import datetime
from pathlib import Path

import pytest
from controlplane.arrivals import pod_creations
from controlplane.balancer import Balancer
from controlplane.cluster import ControlPlane
from controlplane.deployment import Deployment
from controlplane.issuing import Issuer
from controlplane.issuing import aged
from controlplane.issuing import authorities
from controlplane.issuing import bundles
from controlplane.issuing import install
from controlplane.issuing import leader
from controlplane.issuing import put_secret
from controlplane.issuing import vacate
from controlplane.mounted import SECRET_PATH
from controlplane.mounted import Mounted
from controlplane.mounted import secret_data
from controlplane.process import until
from controlplane.replicas import serving_file
from gpupods import REPAIRED
from gpupods import gpu_pod
from promises import Figures

from webhook.tls.holdings import read

RATE = 100
SETTLE, OVERLAP = 3.0, 8.0
"""Seconds of both waits: a second for API servers, and for replicas the lag of the files and their looking."""

LAG_SECONDS = 1.0
ISSUERS = 2
ROTATIONS = 4


@dataclass(slots=True)
class Issuers:
    """The controllers that run; one of them leads."""

    cluster: ControlPlane
    running: dict[str, Issuer] = field(default_factory=dict)
    made: int = 0
    killed: int = 0

    def fill_up(self) -> None:
        """Start controllers until there are enough."""
        while len(self.running) < ISSUERS:
            self.made += 1
            name = f"issuer-{self.made}"
            self.running[name] = Issuer(self.cluster, name, short=True, settle=SETTLE, overlap=OVERLAP)

    def kill_the_leader(self) -> None:
        """Kill whoever leads, and start another controller."""
        name = until(lambda: leader(self.cluster) in self.running and leader(self.cluster), what="a leader", seconds=30)
        process = self.running.pop(str(name)).daemon.process
        process.kill()
        process.wait()
        self.killed += 1
        self.fill_up()

    def stop(self) -> None:
        """End all of them."""
        while self.running:
            self.running.popitem()[1].daemon.stop()


@pytest.fixture
def issuers(world_cluster: ControlPlane) -> Iterator[Issuers]:
    """Offer controllers; none runs yet."""
    made = Issuers(world_cluster)
    yield made
    made.stop()
    vacate(world_cluster)


def lose_the_key(cluster: ControlPlane) -> None:
    """Take the CA's key out of the Secret, so that the next leader has to make another CA."""
    patch = {"data": {"ca.key": None}}
    assert cluster.request("PATCH", SECRET_PATH, patch, content="application/merge-patch+json").status == 200


def rotate(cluster: ControlPlane, issuers: Issuers) -> None:
    """See a rotation through; each leader is killed after its first step."""
    before = read(secret_data(cluster)).holdings
    until(lambda: authorities(cluster) == 2, seconds=60, what="the next CA")
    assert read(secret_data(cluster)).holdings.leaf == before.leaf
    issuers.kill_the_leader()
    until(lambda: read(secret_data(cluster)).holdings.leaf != before.leaf, seconds=60, what="the next leaf")
    assert authorities(cluster) == 2
    issuers.kill_the_leader()
    until(lambda: authorities(cluster) == 1, seconds=60, what="the end of the old CA")
    issuers.kill_the_leader()
    final = read(secret_data(cluster)).holdings
    assert final.bundle != before.bundle
    until(lambda: bundles(cluster) == {final.bundle}, seconds=60, what="the bundle without it")


def test_rotations_of_the_ca_fail_no_creation_though_every_leader_is_killed(
    world_cluster: ControlPlane, issuers: Issuers, policy_file: Path, tmp_path: Path, figures: Figures
) -> None:
    old = aged(datetime.now(UTC))
    folder = tmp_path / "tls"
    folder.mkdir()
    (folder / "ca.crt").write_bytes(old.bundle)
    put_secret(world_cluster, old)
    with ExitStack() as stack:
        mounted = stack.enter_context(Mounted(world_cluster, folder, lag=LAG_SECONDS))
        until(lambda: mounted.filled, what="the files")
        service = stack.enter_context(Balancer())
        stack.enter_context(Deployment(service, lambda name: serving_file(policy_file, folder, name), replicas=2))
        install(world_cluster, service.url, old.bundle)
        stack.callback(issuers.stop)
        until(lambda: judged(world_cluster), what="an answer of numagate")
        found = stack.enter_context(
            pod_creations(world_cluster, lambda number: gpu_pod("default", f"pod-{number}", REPAIRED), rate=RATE)
        )
        for turn in range(ROTATIONS):
            if turn:
                issuers.stop()
                lose_the_key(world_cluster)
            issuers.fill_up()
            rotate(world_cluster, issuers)
        seen = found.seconds
        until(lambda: found.seconds > seen + 2, what="some more pods")

    figures.add("C3", "rotations of the CA", ROTATIONS)
    figures.add("C3", "creations", len(found.outcomes))
    figures.add("C3", "failed", len(found.failed))
    figures.add("C3", "p99 of a creation (s)", found.percentile(99))
    figures.add("B9", "leaders killed", issuers.killed)
    assert found.errors == {}


def judged(cluster: ControlPlane) -> bool:
    """Tell whether the API server has an answer about an accelerator pod."""
    path = "/api/v1/namespaces/default/pods?dryRun=All"
    return "numagate.io/level" in cluster.request("POST", path, gpu_pod("default")).body["metadata"].get("labels", {})
