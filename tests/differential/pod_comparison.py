"""Compares facts of pods with Kubernetes' own defaulting, QoS class and effective requests."""

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from differential.comparison import Found
from differential.oracle import Answer
from differential.oracle import Ask
from differential.pods import Pod
from differential.pods import pods

from webhook.domain import demand
from webhook.domain import facts
from webhook.domain.quantity import Quantity


@dataclass(frozen=True)
class Pods:
    """Pods: their resources after defaulting, their QoS class, and what they request as a whole."""

    ask: Ask
    seed: int
    name: str = "pods"
    batch: int = 2500

    def compare(self, first: int, count: int) -> Found:
        """Ask for pods, and compare what is stored of them."""
        found = Found()
        made = list(pods(count, f"{self.seed}/{first}"))
        answers = self.ask([{"op": "pod", "pod": pod} for pod in made])
        for pod, answer in zip(made, answers, strict=True):
            found.asked += 1
            found.outcomes[answer.get("qos", "unread")] += 1
            found.differences += (partial(str, f"{pod['spec']}: {line}") for line in differences(pod, answer))
        return found


def differences(pod: Pod, answer: Answer) -> Iterator[str]:
    """Yield what is not as Kubernetes says."""
    if not answer["ok"]:
        yield f"not read: {answer['error']}"
        return
    ours = facts.read(pod)
    spec = answer["pod"]["spec"]
    theirs = [*spec.get("initContainers", ()), *spec["containers"]]
    for container, stored in zip(ours.containers, theirs, strict=True):
        resources = stored.get("resources", {})
        yield from unequal(f"requests of {container.name}", container.requests, resources.get("requests", {}))
        yield from unequal(f"limits of {container.name}", container.limits, resources.get("limits", {}))
    block = spec.get("resources", {})
    yield from unequal_values("requests of the pod", ours.pod_requests, block.get("requests", {}))
    yield from unequal_values("limits of the pod", ours.pod_limits, block.get("limits", {}))
    yield from unequal_values("effective requests", demand.effective_requests(ours), answer["requests"])
    if ours.qos.value != answer["qos"]:
        yield f"QoS class is {ours.qos.value}, should be {answer['qos']}"


def unequal(what: str, ours: Mapping[str, Quantity], theirs: Mapping[str, str]) -> Iterator[str]:
    """Yield a line if two resource lists differ in a name or a canonical text."""
    written = {name: str(quantity) for name, quantity in ours.items()}
    if written != theirs:
        yield f"{what} are {written}, should be {dict(theirs)}"


def unequal_values(what: str, ours: Mapping[str, Quantity], theirs: Mapping[str, str]) -> Iterator[str]:
    """Yield a line if two resource lists differ by value: how a sum is written depends on the order of adding."""
    if ours != {name: Quantity.parse(text) for name, text in theirs.items()}:
        yield f"{what} are {dict(ours)}, should be {dict(theirs)}"
