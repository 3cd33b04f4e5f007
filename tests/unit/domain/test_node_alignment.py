"""The document that the agent writes of a pass."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from builders import INSTANT
from observations import cell
from observations import found
from observations import gpus
from observations import machine
from observations import observed

from webhook.config.alignment_schema import NodeAlignment
from webhook.config.document import from_object
from webhook.config.schema import model_errors
from webhook.domain.node_alignment import MOST_DEVICES
from webhook.domain.node_alignment import MOST_FAULTS
from webhook.domain.node_alignment import MOST_PODS
from webhook.domain.node_alignment import MOST_RESOURCES
from webhook.domain.node_alignment import MOST_RULES
from webhook.domain.node_alignment import MOST_UNREAD
from webhook.domain.node_alignment import document
from webhook.domain.observation import Observation
from webhook.domain.observation import ObservedDevice
from webhook.domain.observation import StateFile
from webhook.domain.observation import Unread
from webhook.domain.topology import Cell
from webhook.domain.verdict import NodeFault
from webhook.domain.verdict import Outcome
from webhook.domain.verdict import PodVerdict


def write(observation: Observation | None = None, *verdicts: PodVerdict, **more: Any) -> dict[str, Any]:
    return dict(document(observation or observed(), verdicts, version="1.0.0", **more))


def faults(written: dict[str, Any]) -> list[str]:
    return [str(error) for error in model_errors(from_object(written, "node-a"), NodeAlignment)]


def test_a_pass_is_written_in_the_words_of_a_profile() -> None:
    written = write(None, found(Outcome.ALIGNED), started=INSTANT - timedelta(hours=1), owner="uid-of-node")

    assert (written["apiVersion"], written["kind"]) == ("numagate.io/v1alpha1", "NodeAlignment")
    owner = {"apiVersion": "v1", "kind": "Node", "name": "node-a", "uid": "uid-of-node"}
    assert written["metadata"] == {"name": "node-a", "ownerReferences": [owner]}
    spec = written["spec"]
    assert (spec["observed"], spec["agent"]) == (
        "2026-11-29T00:00:00Z",
        {"version": "1.0.0", "started": "2026-11-28T23:00:00Z"},
    )
    assert spec["numaNodes"] == len(spec["numa"]) == 2
    assert spec["kubelet"]["topologyManagerPolicy"] == "single-numa-node"
    assert spec["devices"]["nvidia.com/gpu"][3] == {"id": "GPU-3", "numa": [1]}
    assert [block["numaNode"] for block in spec["free"]] == [0, 1]
    assert spec["pods"] == {"aligned": 1, "misaligned": 0, "unknown": 0}
    assert faults(written) == []


def test_a_version_that_nobody_told_is_not_written() -> None:
    assert write(observed(version=(1, 37)))["spec"]["kubelet"]["version"] == "1.37"
    assert "version" not in write(observed(version=None))["spec"]["kubelet"]


def test_a_device_of_which_nobody_says_where_it_is_is_never_on_numa_node_0() -> None:
    spec = write(observed(devices=gpus(None, 0b1, 0b11)))["spec"]

    assert [device.get("numa") for device in spec["devices"]["nvidia.com/gpu"]] == [None, [0], [0, 1]]


def test_what_could_not_be_read_is_left_out_and_said() -> None:
    nothing = replace(machine(), cells=(), unread=(Unread("cells", "/sys is not mounted"),))
    blind = observed(machine=nothing, kubelet=None, devices=None, unread=(Unread("kubelet", "\x1b[2Jno\naccess"),))
    written = write(blind)

    assert written["spec"].keys() == {"observed", "agent", "pods", "unread"}
    assert written["spec"]["unread"] == [
        {"field": "kubelet", "reason": "\\x1b[2Jno\\naccess"},
        {"field": "cells", "reason": "/sys is not mounted"},
    ]
    assert faults(written) == []


@pytest.mark.parametrize("file", [StateFile("cpu_manager_state", "none"), StateFile("memory_manager_state", "None")])
def test_settings_that_the_running_kubelet_does_not_have_are_left_out(file: StateFile) -> None:
    written = write(observed(state_files=(file,)))

    assert written["spec"].keys().isdisjoint({"kubelet", "free"})
    (unread,) = written["spec"]["unread"]
    assert unread["field"] == "kubelet"
    assert unread["reason"].startswith(f"{file.name} was written by policy {file.policy}, but ")
    assert faults(written) == []


def test_settings_that_the_running_kubelet_has_are_written() -> None:
    files = StateFile("cpu_manager_state", "static"), StateFile("memory_manager_state", "Static"), StateFile("x", "y")

    assert {"kubelet", "free"} <= write(observed(state_files=files))["spec"].keys()


def test_misaligned_pods_are_named_with_what_is_wrong() -> None:
    bad = replace(found(Outcome.MISALIGNED, reasons={"memory": "30 % elsewhere"}), forged=True)
    spec = write(None, found(Outcome.UNKNOWN, "b"), bad, found(Outcome.ALIGNED, "c"))["spec"]

    assert spec["pods"] == {
        "aligned": 1,
        "misaligned": 1,
        "unknown": 1,
        "misalignedPods": [
            {
                "namespace": "team-a",
                "name": "llm",
                "uid": "uid-llm",
                "reason": "container server: 30 % elsewhere",
                "forged": True,
                "rules": [
                    {
                        "rule": "memory",
                        "container": "server",
                        "reason": "30 % elsewhere",
                        "wanted": "4 exclusive CPUs",
                        "seen": "0-3",
                    }
                ],
            }
        ],
    }


def test_what_is_wrong_with_the_node_itself_is_named_with_the_remedy() -> None:
    fault = NodeFault(code="state-file", reason="written by policy none", remedy="drain,\ndelete it")
    written = write(None, faults=[fault] * (2 * MOST_FAULTS))

    assert faults(written) == []
    assert len(written["spec"]["faults"]) == MOST_FAULTS
    assert written["spec"]["faults"][0] == {
        "code": "state-file",
        "reason": "written by policy none",
        "remedy": "drain,\\ndelete it",
    }


def test_a_document_is_bounded_whatever_a_node_holds() -> None:
    shares = tuple(ObservedDevice("a.b/share", str(number), 1) for number in range(MOST_DEVICES + 1))
    kinds = tuple(ObservedDevice(f"a.b/kind-{number}", "one", 1) for number in range(2 * MOST_RESOURCES))
    unread = tuple(Unread("f" * 500, "r" * 5000) for _ in range(2 * MOST_UNREAD))
    reasons = {f"rule-{number}": "x" * 5000 for number in range(2 * MOST_RULES)}
    pods = [found(Outcome.MISALIGNED, f"pod-{number:03}", reasons=reasons) for number in range(3 * MOST_PODS)]
    written = write(observed(devices=shares + kinds, unread=unread), *reversed(pods))
    spec = written["spec"]

    assert faults(written) == []
    assert "a.b/share" not in spec["devices"]
    assert spec["pods"]["misaligned"] == 3 * MOST_PODS
    assert [one["name"] for one in spec["pods"]["misalignedPods"]][:2] == ["pod-000", "pod-001"]
    assert len(spec["pods"]["misalignedPods"]) == MOST_PODS
    assert spec["pods"]["misalignedPods"][0]["reason"].endswith("x…")


@pytest.mark.parametrize(
    "cells",
    [
        (cell(0), cell(1), Cell(2, 96 << 30), Cell(3, 96 << 30)),
        tuple(cell(number, of=34) if number < 2 else Cell(number, 1 << 30) for number in range(34)),
        (Cell(0, 1 << 30),),
    ],
    ids=["memory of GPUs", "34 NUMA nodes", "no CPU"],
)
def test_machines_of_every_kind_are_written_as_the_schema_wants_them(cells: tuple[Cell, ...]) -> None:
    assert faults(write(observed(machine=machine(*cells)))) == []
