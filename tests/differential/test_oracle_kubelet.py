"""Compares the simulated kubelet with the real one's managers: recorded cases, and scenarios made up from a seed.

NUMAGATE_KUBERNETES sets with the kubelet of which version.
"""

import pytest
from differential.admissions import differs
from differential.kubelet_comparison import Cases
from differential.kubelet_comparison import Scenarios
from differential.kubelet_comparison import asked
from differential.older import VERSION
from differential.older import of_version
from differential.oracle import Oracle
from differential.scenarios import Scenario
from differential.scenarios import read
from differential.scenarios import scenarios
from kubelets import app
from kubelets import raw_pod
from unit.domain.kubelet.test_pod_bubble import AS_ONE
from unit.domain.kubelet.test_pod_bubble import CONTAINERS
from unit.domain.kubelet.test_pod_bubble import REFUSALS
from unit.domain.kubelet.test_pod_bubble import whole

COUNT = 3000
SEED = 1


def test_pods_are_admitted_and_placed_as_by_the_real_managers(kubelet_oracle: Oracle) -> None:
    compared = Scenarios(kubelet_oracle.ask, SEED, VERSION)
    for first in range(0, COUNT, compared.batch):
        found = compared.compare(first, compared.batch)
        assert [text() for text in found.differences[:1]] == []
        assert found.outcomes["admitted"] > compared.batch // 4


def test_recorded_cases_are_what_the_real_managers_answer(kubelet_oracle: Oracle) -> None:
    cases = Cases(kubelet_oracle.ask, VERSION)
    found = cases.compare(0, len(cases.chosen))
    assert [text() for text in found.differences] == []


def test_pods_with_resources_of_their_own_are_answered_as_by_the_real_managers(kubelet_oracle: Oracle) -> None:
    made = [
        Scenario(name, node, (raw_pod(*containers, **spec),) * 2, start=True)
        for name, (node, containers, spec, _) in CONTAINERS.items()
    ]
    made += [
        Scenario(name, node, (raw_pod(*containers, **whole("10", "8Gi")),) * 2)
        for name, (node, containers, _, _) in REFUSALS.items()
    ]
    made.append(Scenario("two pods get the same GPUs", AS_ONE, (raw_pod(app("2/4Gi/4"), **whole("2", "4Gi")),) * 3))
    made = [of_version(one, VERSION) for one in made]
    assert [one for one, answer in asked(kubelet_oracle.ask, made) if differs(one, answer)] == []


@pytest.mark.parametrize("number", [0, 7])
def test_a_scenario_can_be_made_again_by_its_seed_and_number(number: int) -> None:
    few, many = list(scenarios(1, SEED, number)), list(scenarios(number + 5, SEED))
    assert few[0].as_question() == many[number].as_question()


def test_what_is_written_can_be_read_again() -> None:
    for scenario in scenarios(200, SEED):
        assert read(scenario.as_question()).as_question() == scenario.as_question()
