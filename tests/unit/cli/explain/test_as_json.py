"""The JSON of explain: its fields, and nothing that a terminal would obey."""

import json
from typing import Any

from builders import GPU
from builders import container
from builders import equal
from builders import pod
from explanations import HOSTILE
from explanations import explained
from explanations import explained_text
from kubelets import machine

from webhook.cli.explain import as_json
from webhook.domain.facts import MAX_NAME
from webhook.domain.topology import Device
from webhook.engine.explanation import Explanation

TWO = pod(container(**equal("16", "64Gi", 2)))


def told(explanation: Explanation) -> Any:
    return json.loads(as_json.write(explanation))


def test_a_class_tells_verdict_placement_hints_and_machine() -> None:
    (template,) = told(explained(TWO))["templates"]
    (one,) = template["classes"]

    assert (one["name"], one["fits"], one["replicas"], one["shapes"]) == ("two-socket-32c", "yes", 2, [])
    assert one["kubelet"] == {"admitted": True, "handler": None, "reason": None, "message": None}
    assert one["placements"] == [
        {
            "container": "server",
            "cpus": "0-15",
            "cpuCells": [0],
            "memory": [{"type": "memory", "cells": [0], "bytes": 64 << 30}],
            "devices": {GPU: ["gpu-0", "gpu-1"]},
            "deviceCells": [0],
            "hint": "01/true",
        }
    ]
    assert one["merges"][0]["merged"] == {"cells": [0], "preferred": True, "admitted": True}
    assert one["merges"][0]["hints"][0] == {
        "manager": "devices",
        "resource": GPU,
        "hints": [
            {"cells": [0], "preferred": True},
            {"cells": [1], "preferred": True},
            {"cells": [0, 1], "preferred": False},
        ],
        "count": 3,
        "preferred": 2,
        "complete": True,
    }


def test_a_numa_node_tells_who_has_what() -> None:
    cell = told(explained(TWO))["templates"][0]["classes"][0]["machine"]["cells"][0]

    assert cell == {
        "id": 0,
        "socket": "socket 0",
        "cpus": {"free": "16-30", "taken": "0-15", "reserved": "31"},
        "memory": [{"type": "memory", "bytes": 256 << 30, "free": 176 << 30, "taken": 64 << 30, "reserved": 16 << 30}],
        "devices": {
            GPU: [
                {"id": "gpu-0", "state": "taken", "container": "server"},
                {"id": "gpu-1", "state": "taken", "container": "server"},
                {"id": "gpu-2", "state": "free", "container": None},
                {"id": "gpu-3", "state": "free", "container": None},
            ]
        },
    }


def test_what_is_not_drawn_is_told_once_with_the_numbers_of_its_numa_nodes() -> None:
    machine_told = told(explained(TWO, machine="gb200-tray-numa"))["templates"][0]["classes"][0]["machine"]

    assert [cell["id"] for cell in machine_told["cells"]] == [0, 1]
    assert [fold["cells"] for fold in machine_told["idle"]] == [list(range(2, 34))]


def test_no_preference_is_null_and_devices_without_a_numa_node_stand_apart() -> None:
    devices = {GPU: (Device("a"),)}
    helper = container("proxy", image="registry.example/proxy:1", **equal("100m", "1Gi", None))
    classes = (machine(devices=devices),)
    one = told(explained(pod(container(**equal("4", "8Gi", 1)), helper), classes=classes))["templates"][0]["classes"][0]

    assert one["machine"]["devices"] == {GPU: [{"id": "a", "state": "taken", "container": "server"}]}
    assert [hints["hints"] for hints in one["merges"][1]["hints"] if hints["resource"] == "cpu"] == [None]


def test_a_refusal_tells_handler_reason_and_message() -> None:
    one = told(explained(pod(container(**equal("8", "32Gi", 9)))))["templates"][0]["classes"][0]

    assert one["kubelet"]["reason"] == "TopologyAffinityError"
    assert (one["placements"], one["merges"][0]["merged"]["cells"]) == ([], None)


def test_shapes_that_fit_are_told_with_their_edits() -> None:
    one = told(explained(pod(container(**equal("8", "32Gi", 8)))))["templates"][0]["classes"][0]

    assert one["shapes"][0] == {
        "kind": "fewer-accelerators",
        "text": "run 2 replicas of 4 GPUs, 4 CPUs and 16Gi each",
        "edits": [
            {"container": "server", "resource": GPU, "old": "8", "new": "4"},
            {"container": "server", "resource": "cpu", "old": "8", "new": "4"},
            {"container": "server", "resource": "memory", "old": "32Gi", "new": "16Gi"},
        ],
        "numaNodes": 1,
        "replicas": 2,
        "nodeSelector": {},
        "tolerations": [],
    }


def test_edits_and_what_was_left_out_are_told() -> None:
    unequal = pod(container(**{**equal("8"), "requests": {"cpu": "4", "memory": "32Gi", GPU: "1"}}))
    document = told(explained({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}, unequal))

    assert [edit["new"] for edit in document["templates"][0]["edits"]] == ["8"]
    assert document["skipped"] == [
        {"file": "-", "document": 0, "line": 1, "kind": "Service", "name": "s", "reason": "holds no pods"}
    ]
    assert document["summary"] == {
        "files": 1,
        "templates": 1,
        "skipped": 1,
        "errors": 0,
        "policy": "default",
        "assumedClasses": [],
    }


def test_errors_are_told_with_their_place() -> None:
    assert told(explained_text("a: 1\na: 2\n"))["errors"] == [
        {"file": "-", "document": 0, "line": 2, "message": "key 'a' is given twice: first on line 1"}
    ]


def test_hostile_text_is_escaped_and_kept() -> None:
    named = container(HOSTILE, limits={GPU: "1", "cpu": "4", "memory": "8Gi"})
    text = as_json.write(explained(pod(named)))

    assert all(character.isprintable() and character.isascii() for character in text.replace("\n", ""))
    assert json.loads(text)["templates"][0]["containers"][0]["name"] == HOSTILE[:MAX_NAME]


def test_an_invalid_pod_and_one_without_a_class_are_valid_json() -> None:
    document = told(explained(pod(container(limits={GPU: "one"})), pod(), machine="aurora-pvc"))

    assert [template["classes"] for template in document["templates"]] == [[], []]
    assert document["templates"][1]["ineligible"] == [{"name": "aurora-pvc", "reason": "has no nvidia.com/gpu"}]
