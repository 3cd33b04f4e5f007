"""Compares the simulated kubelet with the real one's managers: recorded cases, and scenarios made up from a seed.

NUMAGATE_KUBERNETES sets with the kubelet of which version.
"""

import pytest
from differential.kubelet_comparison import Cases
from differential.kubelet_comparison import Scenarios
from differential.older import VERSION
from differential.oracle import Oracle
from differential.scenarios import read
from differential.scenarios import scenarios

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


@pytest.mark.parametrize("number", [0, 7])
def test_a_scenario_can_be_made_again_by_its_seed_and_number(number: int) -> None:
    few, many = list(scenarios(1, SEED, number)), list(scenarios(number + 5, SEED))
    assert few[0].as_question() == many[number].as_question()


def test_what_is_written_can_be_read_again() -> None:
    for scenario in scenarios(200, SEED):
        assert read(scenario.as_question()).as_question() == scenario.as_question()
