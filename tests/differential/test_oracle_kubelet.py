"""Compares the simulated kubelet with the real one's managers.

NUMAGATE_SCENARIOS sets over how many scenarios, NUMAGATE_KUBERNETES with the kubelet of which version.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator
from collections.abc import Sequence

import pytest
from differential.admissions import Form
from differential.admissions import real
from differential.admissions import simulated
from differential.older import VERSION
from differential.older import aged
from differential.older import of_version
from differential.oracle import Oracle
from differential.scenarios import Scenario
from differential.scenarios import scenarios
from kubelets import Raw
from kubelets import app
from kubelets import machine
from kubelets import raw_pod
from unit.domain.kubelet.test_admit import TRAPS

COUNT = int(os.environ.get("NUMAGATE_SCENARIOS", "300"))
SEED = int(os.environ.get("NUMAGATE_SEED", "1"))
BATCH = 500
"""Each node leaves some goroutines behind, so the program is started anew now and then."""
SHOWN = 3

WHOLE = {"resources": {"limits": {"cpu": "4", "memory": "8Gi"}}}
BARE: Raw = {"name": "init", "init": True}
LIMITS_ONLY: Raw = {"name": "app", "resources": {"limits": {"cpu": "2", "memory": "1Gi"}}}

MORE_TRAPS = {
    "3 pod-level resources: only devices are aligned": [raw_pod(app("4/8Gi/2"), **WHOLE)],
    "8 a third pod finds no node": [raw_pod(app("2/20Gi"))] * 3,
    "19 limits only": [raw_pod(LIMITS_ONLY)],
    "19 init container without resources": [raw_pod(BARE, app("2/1Gi"))],
    "19 CPU only": [raw_pod(app("2"))],
    "19 zeros": [raw_pod(app("0/0"))],
    "19 an empty block of the pod": [raw_pod(app("2/1Gi"), resources={})],
    "20 pod-level limits above the containers'": [raw_pod(app("2/1Gi"), **WHOLE)],
    "20 pod-level limits only": [raw_pod({"name": "app"}, **WHOLE)],
}
"""The traps that the unit tests do not keep in one table."""


def test_pods_are_admitted_and_placed_as_by_the_real_managers(kubelet_oracle: Oracle) -> None:
    found: list[str] = []
    outcomes: Counter[str] = Counter()
    made = [aged(scenario, VERSION) for scenario in scenarios(COUNT, SEED)]
    for start in range(0, COUNT, BATCH):
        for scenario, theirs in asked(kubelet_oracle, made[start : start + BATCH]):
            outcomes.update(map(outcome, theirs))
            found += differences(scenario, theirs)
    print(f"seed {SEED}, {COUNT} scenarios: {dict(outcomes.most_common())}")  # noqa: T201 - pytest -s shows it
    assert found[:SHOWN] == []
    assert outcomes["admitted"] > COUNT // 4


def test_the_traps_are_answered_as_by_the_real_managers(kubelet_oracle: Oracle) -> None:
    traps = [Scenario(name, node, (raw_pod(*containers),)) for name, (node, containers, _) in TRAPS.items()]
    traps += [Scenario(name, machine(), tuple(pods)) for name, pods in MORE_TRAPS.items()]
    traps = [of_version(trap, VERSION) for trap in traps]
    found = [line for trap, theirs in asked(kubelet_oracle, traps) for line in differences(trap, theirs)]
    assert found == []


@pytest.mark.parametrize("number", [0, 7])
def test_a_scenario_can_be_made_again_by_its_seed_and_number(number: int) -> None:
    few, many = list(scenarios(number + 1, SEED)), list(scenarios(number + 5, SEED))
    assert few[number].as_question() == many[number].as_question()


def asked(oracle: Oracle, batch: Sequence[Scenario]) -> Iterator[tuple[Scenario, list[Form]]]:
    """Yield each scenario with what the real managers answered."""
    answers = oracle.ask([scenario.as_question() for scenario in batch])
    for scenario, answer in zip(batch, answers, strict=True):
        yield scenario, real(answer, scenario)


def outcome(form: Form) -> str:
    """Name an answer, to be counted."""
    return "admitted" if form.get("admit") else form.get("reason", "the kubelet does not start")


def differences(scenario: Scenario, theirs: list[Form]) -> Iterator[str]:
    """Yield the scenario as the oracle reads it, and both answers, where they are not the same."""
    ours = simulated(scenario)
    if ours != theirs:
        yield f"{json.dumps(scenario.as_question())}\nanswered: {ours}\nshould be: {theirs}"
