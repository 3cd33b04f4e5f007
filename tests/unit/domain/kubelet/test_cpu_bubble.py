"""How a bubble of CPUs is divided."""

import pytest
from kubelets import Raw
from kubelets import app
from kubelets import init
from kubelets import machine
from kubelets import pod
from kubelets import sidecar

from webhook.domain import cpuset
from webhook.domain.kubelet import cpu_bubble
from webhook.domain.kubelet import cpu_topology
from webhook.domain.kubelet.cpu_assignment import NotEnoughCpusError
from webhook.domain.kubelet.options import CpuOptions

TOPOLOGY = cpu_topology.discover(machine().cells)
BUBBLE = cpuset.parse("1-3,9-11")


@pytest.mark.parametrize(
    ("containers", "problem"),
    [
        ((app("4/1Gi"),), None),
        ((app("2/1Gi"), app("500m/1Gi", "b")), None),
        ((app("4/1Gi"), app("500m/1Gi", "b")), "no cpus for shared containers"),
        ((init("4/1Gi"), app("500m/1Gi")), None),
        ((init("500m/1Gi"), app("4/1Gi")), None),
        ((sidecar("4/1Gi"), init("500m/1Gi"), app("1/1Gi")), "no cpus available for them"),
        ((sidecar("500m/1Gi"), app("4/1Gi")), "no cpus for shared containers"),
    ],
)
def test_nobody_may_share_an_empty_pool(containers: tuple[Raw, ...], problem: str | None) -> None:
    found = cpu_bubble.why_empty(pod(*containers), 4)

    assert found is None if problem is None else problem in str(found)


def test_slices_are_taken_in_order_and_the_rest_is_shared() -> None:
    division = cpu_bubble.divide(
        pod(init("4/1Gi"), sidecar("1/1Gi"), app("2/1Gi"), app("500m/1Gi", "b")), BUBBLE, TOPOLOGY, CpuOptions()
    )

    assert {name: cpuset.format(cpus) for name, cpus in division.own.items()} == {
        "init": "1-2,9-10",
        "sidecar": "1",
        "app": "2,10",
    }
    assert {name: cpuset.format(cpus) for name, cpus in division.pool.items()} == {"b": "3,9,11"}


def test_slices_follow_the_policy_options() -> None:
    spread = cpu_bubble.divide(pod(app("2/1Gi")), BUBBLE, TOPOLOGY, CpuOptions(across_cores=True))

    assert cpuset.format(spread.own["app"]) == "1-2"


def test_a_container_cannot_have_more_than_the_pod() -> None:
    with pytest.raises(NotEnoughCpusError, match="requested=8, available=6"):
        cpu_bubble.divide(pod(app("8/1Gi")), BUBBLE, TOPOLOGY, CpuOptions())
