"""The recorded cases: the simulation answers each as the real kubelet did. Every file of tests/cases/kubelet counts."""

import pytest
from differential import casefiles
from differential.admissions import simulated
from differential.casefiles import Case


@pytest.mark.parametrize("case", casefiles.load(), ids=lambda case: case.id)
def test_a_recorded_case_is_answered_as_by_the_kubelet(case: Case) -> None:
    assert case.recorded
    assert simulated(case.scenario) == case.expected


def test_no_two_cases_have_one_name() -> None:
    names = [case.id for case in casefiles.load()]

    assert sorted(set(names)) == sorted(names)


def test_only_where_the_kubelet_does_not_work_we_answer_otherwise() -> None:
    others = [case for case in casefiles.load() if case.expected != case.recorded]

    assert {form.get("handler", "does not start") for case in others for form in case.expected} == {
        "does not start",
        "panic",
        "simulation",
    }
