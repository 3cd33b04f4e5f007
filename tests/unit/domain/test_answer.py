"""Answers to scenarios as JSON values."""

from kubelets import GIB
from kubelets import GPU
from kubelets import app
from kubelets import machine
from kubelets import pod

from webhook.domain.answer import as_json
from webhook.domain.scenario import Answer
from webhook.domain.scenario import Arrival
from webhook.domain.scenario import Scenario
from webhook.domain.scenario import play
from webhook.domain.topology import POD_LEVEL_GATE

REFUSED = "Resources cannot be allocated with Topology locality"


def test_an_admitted_pod_has_its_containers_and_a_refused_one_the_kubelets_words() -> None:
    pods = [pod(app("2/1Gi/1"), app("500m/1Gi", "helper")), pod(app("20/1Gi"))]
    arrivals = (Arrival("a", pods[0]), Arrival("b", pods[1]))

    written = as_json(play(Scenario("two", machine(), arrivals)))

    memory = [{"type": "memory", "numa": [0], "size": GIB}]
    server = {"cpus": "1,9", "cpuNuma": [0], "memory": memory, "devices": {GPU: ["0-0"]}, "hint": "01/true"}
    reason = "TopologyAffinityError"
    assert written == {
        "name": "two",
        "pods": [
            {
                "name": "a",
                "admit": True,
                "qos": "Guaranteed",
                "containers": {"app": server, "helper": {"memory": memory, "hint": "01/true"}},
            },
            {
                "name": "b",
                "admit": False,
                "handler": "topology-manager",
                "reason": reason,
                "message": REFUSED,
                "qos": "Guaranteed",
            },
        ],
    }


def test_an_error_comes_with_an_empty_list_of_pods() -> None:
    assert as_json(Answer("s", error="does not start")) == {"name": "s", "error": "does not start", "pods": []}
    assert as_json(Answer("s")) == {"name": "s", "pods": []}


def test_what_a_pod_holds_as_a_whole_and_its_containers_share_is_written() -> None:
    gated = machine(scope="pod", feature_gates={POD_LEVEL_GATE: True})
    block = {"limits": {"cpu": "4", "memory": "2Gi"}, "requests": {"cpu": "4", "memory": "2Gi"}}
    whole = pod(app("2/1Gi/1"), {"name": "helper"}, resources=block)

    started = as_json(play(Scenario("one", gated, (Arrival("a", whole),), start=True)))

    memory, rest = ([{"type": "memory", "numa": [0], "size": size}] for size in (2 * GIB, GIB))
    server = {"cpus": "1,9", "cpuNuma": [0], "memory": rest, "devices": {GPU: ["0-0"]}, "hint": "01/true"}
    helper = {"cpuNuma": [0], "pool": {"cpus": "2,10", "memory": rest}, "hint": "01/true"}
    assert started["pods"] == [
        {
            "name": "a",
            "admit": True,
            "qos": "Guaranteed",
            "pod": {"cpus": "1-2,9-10", "memory": memory},
            "containers": {"app": server, "helper": helper},
        }
    ]
