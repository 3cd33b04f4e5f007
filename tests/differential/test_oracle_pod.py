"""Compares facts of pods with Kubernetes' own, over a few generated pods: `make differential` has more."""

import dataclasses

import pytest
from differential.oracle import Oracle
from differential.pod_comparison import Pods
from differential.pods import Pod
from differential.pods import pods

from webhook.domain import facts
from webhook.domain.pod import PodFacts

COUNT = 5000
SEED = 1
SHOWN = 5


def test_pods_are_defaulted_classed_and_summed_as_by_kubernetes(oracle: Oracle) -> None:
    found = Pods(oracle.ask, SEED).compare(0, COUNT)
    assert [text() for text in found.differences[:SHOWN]] == []


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
