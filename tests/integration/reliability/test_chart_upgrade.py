"""A release is upgraded and rolled back while pods are created: chart, programs, and the snapshot between them."""

from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from typing import NoReturn

import pytest
import yaml
from controlplane import previous
from controlplane.arrivals import Arrivals
from controlplane.arrivals import pod_creations
from controlplane.balancer import Balancer
from controlplane.chart import CHART
from controlplane.chart import NAMESPACE
from controlplane.chart import RELEASE
from controlplane.chart import Helm
from controlplane.cluster import ControlPlane
from controlplane.deployment import Deployment
from controlplane.previous import Previous
from controlplane.process import until
from controlplane.replicas import Replica
from controlplane.replicas import controller
from controlplane.replicas import serving
from controlplane.replicas import snapshot_text
from controlplane.service import NUMAGATE
from gpupods import REPAIRED
from gpupods import gpu_pod
from promises import Figures
from promises import Scale

OURS = ("--namespace", NAMESPACE)
TEAM = "team"


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory, unavailable: Callable[[str], NoReturn]) -> Previous:
    """Unpack the release before this one."""
    try:
        return previous.unpack(tmp_path_factory.mktemp("previous"))
    except previous.NoHistoryError as error:
        unavailable(str(error))


@dataclass
class Installation:
    """What a release is about: the programs that the cluster would run, and the Service before the replicas."""

    cluster: ControlPlane
    helm: Helm
    service: Balancer
    certificates: Path
    program: Path
    """Which program new processes run."""
    drain_seconds: float

    def replica(self, name: str) -> Replica:
        """Make a serving replica."""
        return self._of(serving(self.cluster, self.certificates, name, drain_seconds=self.drain_seconds))

    def controller(self) -> Replica:
        """Make a controller."""
        return self._of(controller(self.cluster, self.certificates, f"controller-of-{self.program.parent.name}"))

    def _of(self, replica: Replica) -> Replica:
        replica.command[0] = str(self.program)
        return replica

    def values(self, policy: Path) -> dict[str, Any]:
        """Answer the values of the chart for what `--url`, `--ca-bundle` and `--policy` were to the release before."""
        bundle = (self.certificates / "ca.crt").read_text("utf-8")
        return {
            "mode": "enforce",
            "policy": {"documents": list(yaml.safe_load_all(policy.read_text("utf-8")))},
            "certificates": {"mode": "self-signed", "caBundle": bundle},
            "webhooks": {"url": self.service.url},
        }

    def is_asked(self, deployment: Deployment) -> bool:
        """Create a pod as a dry run, and tell whether a replica has seen any."""
        self.cluster.request("POST", f"/api/v1/namespaces/{TEAM}/pods?dryRun=All", gpu_pod(TEAM))
        return deployment.requests_seen() > 0


@pytest.fixture
def cluster(programs: dict[str, Path]) -> Iterator[ControlPlane]:
    """Run an API server of its own: a release has names that there are once."""
    with ControlPlane(programs=programs, controllers=False) as running:
        yield running


@pytest.fixture
def installed(
    *,
    cluster: ControlPlane,
    helm_program: Path,
    before: Previous,
    case_certificates: Path,
    policy_file: Path,
    scale: Scale,
) -> Iterator[Installation]:
    """Install the release before this one."""
    with Balancer(lag=scale.of(short=0.3, long=1.5), delay=scale.of(short=0.05, long=0.2)) as service:
        for name in (TEAM, NAMESPACE):
            cluster.create_namespace(name)
        options = (f"--url={service.url}", f"--ca-bundle={case_certificates / 'ca.crt'}", f"--policy={policy_file}")
        helm = Helm(helm_program, cluster.folder, cluster.kubeconfig())
        helm.run("install", RELEASE, str(before.chart(*options)), *OURS)
        # As shipped in the long form.
        drain_seconds = scale.of(short=2.0, long=15.0)
        yield Installation(cluster, helm, service, case_certificates, before.program, drain_seconds)


def lasts(found: Arrivals, seconds: float) -> bool:
    """Tell whether requests have been arriving for so long."""
    return found.seconds > seconds


def test_an_upgrade_and_a_rollback_fail_no_creation(
    installed: Installation, before: Previous, policy_file: Path, scale: Scale, figures: Figures
) -> None:
    cluster, helm = installed.cluster, installed.helm
    with (
        installed.controller() as old,
        Deployment(installed.service, installed.replica, replicas=scale.of(short=2, long=3)) as deployment,
    ):
        until(lambda: installed.is_asked(deployment), what="the first request")
        rate = scale.of(short=30, long=150)
        with pod_creations(cluster, lambda number: gpu_pod(TEAM, f"pod-{number}", REPAIRED), rate=rate) as found:
            until(partial(lasts, found, 1.0), what="some load")
            crds = helm.run("show", "crds", str(CHART)).stdout
            cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", input=crds)
            helm.run("upgrade", RELEASE, str(CHART), *OURS, values=installed.values(policy_file))
            installed.program = NUMAGATE
            statuses = deployment.roll()  # the new ones read what the old controller writes
            written = snapshot_text(cluster)
            statuses.append(old.stop())
            with installed.controller() as new:
                until(lambda: snapshot_text(cluster) != written, seconds=60, what="a snapshot of the new controller")
                helm.run("rollback", RELEASE, "1", *OURS)
                installed.program = before.program
                # The old ones read what the new controller writes; one of them shows it.
                statuses.append(deployment.replace(deployment.replicas[0]))
                statuses += deployment.roll() if scale.long else []
                until(partial(lasts, found, found.seconds + 1.0), what="some load")
                statuses.append(new.stop())
        for replica in deployment.replicas:
            replica.kill()  # nobody asks any more, and a drain would only take its time

    figures.add("B7", "creations during upgrade and rollback", len(found.outcomes))
    figures.add("B7", "failed during upgrade and rollback", len(found.failed), at_most=0)
    figures.add("B7", "p99 of a creation during upgrade and rollback (s)", found.percentile(99))
    assert found.errors == {}
    assert set(statuses) == {0}
