"""Scenarios as they are read: their machine, their pods, and what is wrong with them."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from differential.scenarios import scenarios
from kubelets import app
from kubelets import raw_pod

from webhook.domain import facts
from webhook.domain.answer import as_json
from webhook.domain.errors import InputError
from webhook.domain.pod import QOSClass
from webhook.domain.scenario import Arrival
from webhook.domain.scenario import Scenario
from webhook.domain.scenario import play
from webhook.sources.machines import load_machine
from webhook.sources.scenario import parse_scenarios
from webhook.sources.scenario import read_scenarios

NUMA = [{"id": 0, "memory": "8Gi", "coreCount": 4, "threadsPerCore": 1}]
SMALL: dict[str, Any] = {"name": "small", "numa": NUMA}
MALFORMED: dict[str, Any] = {
    "name": 1,
    "numa": {},
    "devices": [],
    "kubelet": "x",
    "pods": "y",
    "raw": 1,
    "skipPredicates": "no",
}


def read(**fields: Any) -> Scenario:
    """Read one scenario on the small machine."""
    (found,) = parse_scenarios(json.dumps({**SMALL, **fields}), "f")
    assert isinstance(found, Scenario), str(found)
    return found


def refusal(scenario: object) -> str:
    """Answer the only error about a scenario."""
    (found,) = parse_scenarios(json.dumps(scenario), "f")
    assert isinstance(found, InputError)
    return str(found)


def container(**fields: Any) -> dict[str, Any]:
    """Make a scenario with one pod of one container."""
    return {**SMALL, "pods": [{"spec": {"containers": [fields]}}]}


def test_made_up_scenarios_are_read_as_they_were_written() -> None:
    made = list(scenarios(60, 7))
    text = "\n".join(json.dumps(one.as_question()) for one in made)

    found = [as_json(play(one)) for one in parse_scenarios(text, "f") if isinstance(one, Scenario)]

    arrivals = [tuple(Arrival(pod["metadata"]["name"], facts.read(pod)) for pod in one.pods) for one in made]
    expected = [Scenario(one.name, one.node, pods, start=one.start) for one, pods in zip(made, arrivals, strict=True)]
    assert found == [as_json(play(one)) for one in expected]


def test_a_machine_of_the_library_is_laid_under_what_is_written() -> None:
    kubelet = '{version: "1.35", topologyManagerScope: null}'
    text = f"name: here\nprofile: h100-2x4\ndevices: {{a: [{{id: x}}]}}\nkubelet: {kubelet}\n"
    (found,) = parse_scenarios(text, "f")
    library = load_machine("generic-2x4")

    assert isinstance(found, Scenario)
    made = found.node_class
    assert (made.cells, list(made.devices)) == (library.cells, ["a"])
    assert (made.kubelet.version, made.kubelet.topology_manager_scope) == ((1, 35), "pod")


def test_pods_are_defaulted_unless_the_scenario_is_raw() -> None:
    bare = {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "resources": {"limits": {"cpu": "1"}}}]}}

    found = [read(pods=[bare], raw=raw).arrivals[0] for raw in (False, True)]

    assert [(one.name, list(one.pod.containers[0].requests)) for one in found] == [("p", ["cpu"]), ("p", [])]


@pytest.mark.parametrize(("version", "qos"), [("1.36", QOSClass.BEST_EFFORT), ("1.37", QOSClass.GUARANTEED)])
def test_pods_are_read_as_their_nodes_version_does(version: str, qos: QOSClass) -> None:
    answer = play(read(kubelet={"version": version}, pods=[raw_pod(app("1/1Gi"), resources={})]))

    assert [pod.qos for pod in answer.pods] == [qos]


def test_the_scheduler_fit_handler_is_left_out_where_the_scenario_says_so() -> None:
    assert [read(skipPredicates=value).skip_predicates for value in (True, False, None)] == [True, False, False]


def test_pods_may_be_absent_or_null_and_null_fields_of_pods_are_kept() -> None:
    pod = raw_pod(app("1/1Gi"))
    pod["spec"]["containers"][0]["resources"]["limits"]["cpu"] = None

    assert (read().arrivals, read(pods=None).arrivals) == ((), ())
    assert read(pods=[pod]).arrivals[0].pod.containers[0].limits["cpu"].is_zero


@pytest.mark.parametrize(
    ("kubelet", "error"),
    [
        ({"reservedSystemCPUs": "9"}, "reserved-cpus: 9 is not a subset of online-cpus: 0-3"),
        ({"memoryManagerPolicy": "Dynamic"}, 'unknown policy: "Dynamic"'),
        ({"cpuManagerPolicy": "static"}, "[cpumanager] unable to determine reserved CPU resources for static policy"),
    ],
)
def test_settings_that_a_kubelet_refuses_are_its_own_to_refuse(kubelet: dict[str, Any], error: str) -> None:
    assert play(read(kubelet=kubelet)).error == error


@pytest.mark.parametrize(
    ("scenario", "message"),
    [
        (5, "f:1: 5 is no scenario: write an object with name, numa and pods"),
        ([SMALL], "f:1: a list is no scenario: write an object with name, numa and pods"),
        (
            {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {}},
            'f:1: "Deployment" is no scenario: write pods into a list pods, or ask numagate explain',
        ),
        ({}, "f:1: name: required, but not written"),
        ({"name": "n"}, "f:1: no machine: write numa, or profile with a name from the library"),
        ({"name": "n", "profile": "generic-2x5"}, 'profile: "generic-2x5" is no machine of the library: did you mean'),
        ({**SMALL, "pod": []}, "f:1: pod: unknown field: did you mean pods?"),
        ({**SMALL, "kubelet": {"cpuManagerPolic": 1}}, "cpuManagerPolic: unknown field: did you mean cpuManagerPolicy"),
        ({**SMALL, "kubelet": {"version": 1.35}}, "f:1: kubelet.version: 1.35 is not text (quote it)"),
        ({**SMALL, "numa": [{"id": -1, "memory": 1}]}, "f:1: numa[0].id: -1: input should be greater than or equal"),
        ({**SMALL, "numa": [{"id": 2**80, "memory": 1}]}, "f:1: numa[0].id: 1.2089258196146292e+24 is not a whole"),
        ({**SMALL, "numa": [{"id": 0}]}, "f:1: numa[0].memory: required, but not written"),
        ({**SMALL, "numa": [{"id": n, "memory": 1} for n in range(1025)]}, "should have at most 1024 items"),
        ({**SMALL, "numa": NUMA * 2}, "f:1: numa[1].id: NUMA node 0 is written twice: give each its own id"),
        (MALFORMED, "f:1: numa: a map is not a list (+6 more)"),
        ({**SMALL, "pods": [1]}, "f:1: pods[0]: 1 is not a map"),
        ({**SMALL, "pods": [{}]}, "f:1: pods[0].spec.containers: required, but not written"),
        ({**SMALL, "pods": [{"kind": "Job"}]}, 'pods[0].kind: "Job" is no Pod: write the pod that comes from its'),
        (container(), "f:1: pods[0].spec.containers[0].name: required, but not written"),
        (container(name="c", resources=[]), "f:1: pods[0].spec.containers[0].resources is not an object"),
        (
            container(name="c", resources={"limits": {"cpu": "-1"}}),
            "f:1: pods[0].spec.containers[0].resources.limits[cpu]: -1 must not be negative",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place_and_a_remedy(scenario: object, message: str) -> None:
    assert message in refusal(scenario)


def test_errors_have_the_line_of_their_field() -> None:
    text = (
        "name: here\nnuma:\n- id: 0\n  memory: 1\n  core: []\n---\nname: here\nprofile: dgx-h100\npods:\n- spec: {}\n"
    )

    assert [str(found) for found in parse_scenarios(text, "f")] == [
        "f:5: numa[0].core: unknown field: did you mean cores?",
        "f:10: pods[0].spec.containers: required, but not written",
    ]


def test_a_file_or_standard_input_is_read(tmp_path: Path) -> None:
    file = tmp_path / "s.json"
    file.write_text(json.dumps(SMALL, indent=2), "utf-8")

    found = [*read_scenarios(str(file), stdin=io.BytesIO()), *read_scenarios("-", stdin=io.BytesIO(b"name: here"))]

    assert [getattr(one, "name", str(one)) for one in found] == [
        "small",
        "-:1: no machine: write numa, or profile with a name from the library",
    ]


@pytest.mark.parametrize("content", [b"", b"\n# nothing\n---\n", b"null"])
def test_a_file_without_a_scenario_is_refused(content: bytes) -> None:
    with pytest.raises(InputError, match=r"^-: no scenario in it: write at least one"):
        list(read_scenarios("-", stdin=io.BytesIO(content)))
