"""The scopes of the topology manager: who asks whom, in which order."""

from dataclasses import dataclass
from dataclasses import field

import pytest
from kubelets import app
from kubelets import init
from kubelets import pod

from webhook.domain.kubelet import topology_manager
from webhook.domain.kubelet.hint_merger import HintMerger
from webhook.domain.kubelet.hints import IMPOSSIBLE
from webhook.domain.kubelet.hints import Affinity
from webhook.domain.kubelet.hints import Hints
from webhook.domain.kubelet.refusal import RefusedError
from webhook.domain.pod import Container
from webhook.domain.pod import PodFacts

POD = pod(init("1/1Gi"), app("1/1Gi"))


@dataclass
class Recorder:
    """A provider that writes down what it is asked, with hints for one mask."""

    name: str
    log: list[str] = field(default_factory=list)
    mask: int = 0b01

    def container_hints(self, _pod: PodFacts, container: Container) -> list[Hints | None]:
        """Write the question down."""
        self.log.append(f"{self.name} hints {container.name}")
        return [self.hints()]

    def pod_hints(self, _pod: PodFacts) -> list[Hints | None]:
        """Write the question down."""
        self.log.append(f"{self.name} hints pod")
        return [self.hints()]

    def allocate(self, _pod: PodFacts, container: Container, affinity: Affinity) -> None:
        """Write the order down."""
        self.log.append(f"{self.name} takes {affinity.mask} for {container.name}")

    def hints(self) -> Hints:
        """Answer hints for the one mask."""
        return Hints(0b11, 1, lambda mask: mask == self.mask) if self.mask else IMPOSSIBLE


def run(policy: str, scope: str = "container", second: int = 0b01) -> tuple[list[str], object]:
    """Admit the pod and answer what was asked, and the affinities or the reason of the refusal."""
    log: list[str] = []
    providers = [Recorder("a", log), Recorder("b", log, second)]
    try:
        return log, topology_manager.admit(POD, HintMerger(policy, 0b11), scope, providers)
    except RefusedError as refusal:
        return log, refusal.reason


def test_without_a_policy_nobody_is_asked() -> None:
    log, answer = run("none")

    assert log == ["a takes None for init", "b takes None for init", "a takes None for app", "b takes None for app"]
    assert answer == dict.fromkeys(("init", "app"), Affinity(None, preferred=False))


def test_in_container_scope_each_container_is_settled_before_the_next() -> None:
    log, answer = run("restricted")

    assert log[:4] == ["a hints init", "b hints init", "a takes 1 for init", "b takes 1 for init"]
    assert log[4:] == ["a hints app", "b hints app", "a takes 1 for app", "b takes 1 for app"]
    assert answer == dict.fromkeys(("init", "app"), Affinity(0b01, preferred=True))


def test_in_pod_scope_one_affinity_holds_for_all() -> None:
    log, answer = run("single-numa-node", "pod")

    assert log[:2] == ["a hints pod", "b hints pod"]
    assert log[2:] == ["a takes 1 for init", "b takes 1 for init", "a takes 1 for app", "b takes 1 for app"]
    assert answer == dict.fromkeys(("init", "app"), Affinity(0b01, preferred=True))


@pytest.mark.parametrize("scope", ["container", "pod"])
@pytest.mark.parametrize("second", [0b10, 0])
def test_hints_that_do_not_meet_refuse_the_pod_before_anything_is_taken(scope: str, second: int) -> None:
    log, answer = run("restricted", scope, second)

    assert answer == "TopologyAffinityError"
    assert not any("takes" in line for line in log)
