"""Case files as they are written: read again, they are the same scenario."""

from pathlib import Path

from differential import casefiles
from differential.oracle import Answer
from differential.scenarios import scenarios

ANSWER: Answer = {"name": "", "error": "the kubelet does not start", "pods": []}


def test_a_scenario_written_as_a_case_file_is_the_same_when_read(tmp_path: Path) -> None:
    file = tmp_path / "made.yaml"
    for scenario in scenarios(20, seed=2):
        file.write_text(casefiles.text(scenario.as_question(), ANSWER), "utf-8")
        (case,) = casefiles.load_file(file)
        assert case.scenario.as_question() == scenario.as_question()


def test_a_case_file_is_narrow_and_leaves_out_what_says_nothing() -> None:
    (scenario,) = scenarios(1, seed=2)
    text = casefiles.text(scenario.as_question(), ANSWER)

    assert max(map(len, text.splitlines())) <= casefiles.WIDTH
    assert [word for word in ("null", "healthy: true", "skipPredicates") if word in text] == []
