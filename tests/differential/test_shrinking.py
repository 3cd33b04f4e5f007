"""The shrinker, proven on an error that is planted in what the real kubelet is said to answer: no Go is needed."""

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
from differential.scenarios import Scenario
from differential.scenarios import read
from differential.scenarios import scenarios

from webhook.domain import cpuset
from webhook.domain import facts
from webhook.domain.kubelet.admit import Admission
from webhook.domain.kubelet.admit import Node
from webhook.domain.kubelet.admit import Placement
from webhook.domain.kubelet.admit import startup_error

REFUSED = {"admit": False, "handler": "topology-manager", "reason": "Planted", "message": ""}


def stand_in(questions: Sequence[Question]) -> list[Answer]:
    """Answer as the simulation does, but refuse pods that get both exclusive CPUs and devices in one container."""
    return [answer(read(question)) for question in questions]


def answer(scenario: Scenario) -> Answer:
    """Answer one scenario in the oracle's format."""
    if error := startup_error(scenario.node):
        return {"error": error, "pods": []}
    node = Node(scenario.node)
    pods = []
    for pod in map(facts.read, scenario.pods):
        said = node.admit(pod)
        pods.append({**(REFUSED if is_hit(said) else pod_answer(said)), "qos": pod.qos.value})
        if said.handler == "panic":
            break
    return {"pods": pods}


def is_hit(said: Admission) -> bool:
    """Tell whether the planted error strikes."""
    return any(placement.cpus and GPU in placement.devices for placement in said.placements)


def pod_answer(said: Admission) -> Answer:
    """Answer for one pod."""
    if not said.admitted:
        return {"admit": False, "handler": said.handler, "reason": said.reason, "message": said.message}
    return {"admit": True, "containers": {placement.container: placed(placement) for placement in said.placements}}


def placed(placement: Placement) -> Answer:
    """Answer for one container."""
    memory = [{"type": block.type, "numa": list(block.cells), "size": block.size} for block in placement.memory]
    devices = {name: list(ids) for name, ids in placement.devices.items()}
    return {"cpus": cpuset.format(placement.cpus), "memory": memory, "devices": devices, "hint": placement.hint}


SMALLEST = {"limits": {"cpu": "1", "memory": "1Mi", "nvidia.com/gpu": "1"}}


@pytest.mark.parametrize("number", range(2))
def test_a_difference_is_shrunk_to_what_shows_it_and_written_as_a_case_file(number: int, tmp_path: Path) -> None:
    hits = (one for one in scenarios(300, seed=5) if differs(one, answer(one)))
    file = tmp_path / "found.yaml"
    file.write_text(explain(stand_in, next(islice(hits, number, None))), "utf-8")

    (case,) = casefiles.load_file(file)
    node = case.scenario.node

    assert [pod["spec"].keys() for pod in case.scenario.pods] == [{"containers"}]
    assert [one["resources"] for one in case.scenario.pods[0]["spec"]["containers"]] == [SMALLEST]
    assert [len(cell.cores) <= 2 for cell in node.cells] == [True]
    assert [len(found) for found in node.devices.values()] == [1]
    assert node.kubelet.topology_manager_policy == "none"
    assert case.recorded != simulated(case.scenario)
    assert file.read_text("utf-8").splitlines()[-2].startswith("# The simulation answers: [{'admit': True")


def test_what_cannot_be_shrunk_stays_as_it_is() -> None:
    (scenario,) = scenarios(1, seed=5)

    small = explain(lambda questions: [{"error": "no kubelet starts", "pods": []} for _ in questions], scenario)

    assert "error: no kubelet starts" in small
