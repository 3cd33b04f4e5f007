"""Compares facts of pods with Kubernetes' own defaulting, QoS class and requests; NUMAGATE_PODS sets how many."""

import dataclasses
import os
from collections.abc import Iterator
from collections.abc import Mapping

import pytest
from differential.oracle import Answer
from differential.oracle import Oracle
from differential.pods import Pod
from differential.pods import pods

from webhook.domain import demand
from webhook.domain import facts
from webhook.domain.pod import PodFacts
from webhook.domain.quantity import Quantity

COUNT = int(os.environ.get("NUMAGATE_PODS", "5000"))
SEED = int(os.environ.get("NUMAGATE_SEED", "1"))
BATCH = 10_000
SHOWN = 5


def test_pods_are_defaulted_classed_and_summed_as_by_kubernetes(oracle: Oracle) -> None:
    made = list(pods(COUNT, SEED))
    found: list[str] = []
    for start in range(0, COUNT, BATCH):
        batch = made[start : start + BATCH]
        answers = oracle.ask([{"op": "pod", "pod": pod} for pod in batch])
        for pod, answer in zip(batch, answers, strict=True):
            found += (f"{pod['spec']}: {line}" for line in differences(pod, answer))
    assert found[:SHOWN] == []


@pytest.mark.parametrize("view", ["decoded", "pod"])
def test_a_pod_gives_the_same_facts_before_and_after_the_api_server_defaulted_it(oracle: Oracle, view: str) -> None:
    made = list(pods(1000, SEED + 1))
    answers = oracle.ask([{"op": "pod", "pod": pod} for pod in made])
    unequal = [
        pod["spec"] for pod, answer in zip(made, answers, strict=True) if comparable(pod) != comparable(answer[view])
    ]
    assert unequal[:SHOWN] == []


def comparable(pod: Pod) -> PodFacts:
    """Read a pod; malformed values are found only before the API server has seen them."""
    return dataclasses.replace(facts.read(pod), unreadable=())


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
