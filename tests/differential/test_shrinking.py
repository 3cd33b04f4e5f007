"""The shrinker, proven on an error that is planted in what the real kubelet is said to answer: no Go is needed."""

import json
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pytest
from differential import casefiles
from differential.admissions import differs
from differential.admissions import simulated
from differential.kubelet_comparison import explain
from differential.nodes import GPU
from differential.oracle import Answer
from differential.oracle import Question
from differential.scenarios import scenarios

from webhook.domain.answer import as_json
from webhook.domain.errors import InputError
from webhook.domain.scenario import play
from webhook.sources.scenario import parse_scenarios

REFUSED = {"admit": False, "handler": "topology-manager", "reason": "Planted", "message": ""}


def stand_in(questions: Sequence[Question]) -> list[Answer]:
    """Answer as the simulation does, but refuse pods that get both exclusive CPUs and GPUs in one container."""
    return [answer(question) for question in questions]


def answer(question: Question) -> Answer:
    """Answer one scenario in the oracle's format."""
    scenario = next(parse_scenarios(json.dumps(question), "scenario"))
    if isinstance(scenario, InputError):
        return {"error": str(scenario), "pods": []}
    said = as_json(play(scenario))
    return {**said, "pods": [{"qos": pod["qos"], **REFUSED} if is_hit(pod) else pod for pod in said["pods"]]}


def is_hit(pod: Answer) -> bool:
    """Tell whether the planted error strikes."""
    return any("cpus" in one and GPU in one.get("devices", {}) for one in pod.get("containers", {}).values())


SMALLEST = {"limits": {"cpu": "1", "memory": "1Mi", "nvidia.com/gpu": "1"}}


@pytest.mark.parametrize("number", range(2))
def test_a_difference_is_shrunk_to_what_shows_it_and_written_as_a_case_file(number: int, tmp_path: Path) -> None:
    hits = (one for one in scenarios(300, seed=5) if differs(one, answer(one.as_question())))
    file = tmp_path / "found.yaml"
    file.write_text(explain(stand_in, next(islice(hits, number, None))), "utf-8")

    (case,) = casefiles.load_file(file)
    node = case.scenario.node

    assert [pod["spec"].keys() for pod in case.scenario.pods] == [{"containers"}]
    assert [one["resources"] for one in case.scenario.pods[0]["spec"]["containers"]] == [SMALLEST]
    assert sum(len(cell.cores) for cell in node.cells) <= 2
    assert [len(found) for found in node.devices.values()] == [1]
    assert node.kubelet.topology_manager_policy == "none"
    assert case.recorded != simulated(case.scenario)
    assert file.read_text("utf-8").splitlines()[-2].startswith("# The simulation answers: [{'admit': True")


def test_what_cannot_be_shrunk_stays_as_it_is() -> None:
    (scenario,) = scenarios(1, seed=5)

    small = explain(lambda questions: [{"error": "no kubelet starts", "pods": []} for _ in questions], scenario)

    assert "error: no kubelet starts" in small
