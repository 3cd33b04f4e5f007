"""Answers to a scenario in one form, the simulation's and the kubelet oracle's, so that they can be compared."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from differential.oracle import Answer
from differential.scenarios import Scenario

from webhook.domain import cpuset
from webhook.domain import facts
from webhook.domain import versions
from webhook.domain.kubelet.admit import Admission
from webhook.domain.kubelet.admit import MemoryBlock
from webhook.domain.kubelet.admit import Node
from webhook.domain.kubelet.admit import Placement
from webhook.domain.kubelet.admit import admit_on_empty
from webhook.domain.kubelet.admit import cell_allocatable
from webhook.domain.kubelet.admit import node_allocatable
from webhook.domain.kubelet.admit import startup_error
from webhook.domain.kubelet.refusal import PANIC
from webhook.domain.kubelet.refusal import STARTUP
from webhook.domain.quantity import Quantity
from webhook.domain.topology import NodeClass

Form = dict[str, Any]

DOES_NOT_START: list[Form] = [{"the kubelet starts": False}]
TOO_SLOW: list[Form] = [{"the kubelet answers in time": False}]
ELSEWHERE = ("invalid configuration:", "invalid Node Allocatable configuration")
"""How those start-up errors begin that the kubelet finds before it makes its managers, or after."""
NOT_LIMITED = {"ephemeral-storage", "pods"}
"""What a node has of these is no part of a node class."""
TOO_FEW_DEVICES = re.compile(r"(requested number of devices unavailable|no healthy devices present).*")
TOO_FEW_PAGES = re.compile(r"(OutOf|resource: )hugepages-.*")


def differs(scenario: Scenario, answer: Answer) -> bool:
    """Tell whether the simulation answers otherwise, and where both can answer.

    A kubelet that is too slow has no answer; and some checks at start-up are in none of the managers.
    """
    theirs = real(answer, scenario)
    if theirs == TOO_SLOW or (startup_error(scenario.node) or "").startswith(ELSEWHERE):
        return False
    return simulated(scenario) != theirs or (
        "room" in answer and room(scenario.node) != real_room(answer, scenario.node)
    )


def simulated(scenario: Scenario) -> list[Form]:
    """Send the pods to our node; a simulation that fails gives an answer too, which no kubelet gives."""
    try:
        return admitted(scenario)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a difference to be shown and shrunk
        return [{"the simulation fails": repr(error)}]


def admitted(scenario: Scenario) -> list[Form]:
    """Send the pods to our node; as the oracle does, stop after one that makes the kubelet's code fail."""
    rules = versions.rules(scenario.node.kubelet.version)
    pods = [facts.read(pod, rules) for pod in scenario.pods]
    if admit_on_empty(pods[0], scenario.node).handler == STARTUP:
        return DOES_NOT_START
    node = Node(scenario.node, skip_predicates=scenario.skip_predicates)
    found: list[Form] = []
    for read in pods:
        said = node.admit(read)
        found.append({**admission_form(said, scenario.node), "qos": read.qos.value})
        if said.handler == PANIC:
            break
    return found


def real(answer: Answer, scenario: Scenario) -> list[Form]:
    """Answer what the oracle said; why a kubelet does not start is not compared, nor the text of a panic."""
    if answer.get("timeout"):
        return TOO_SLOW
    if answer.get("error"):
        return DOES_NOT_START
    return [real_form(pod, scenario.node) for pod in answer["pods"]]


def admission_form(said: Admission, node: NodeClass) -> Form:
    """Take over what is compared of our answer."""
    if not said.admitted:
        return refusal_form(said.handler, said.reason, said.message)
    containers = {placement.container: placement_form(placement, node) for placement in said.placements}
    return {"admit": True, "containers": containers}


def refusal_form(handler: str | None, reason: str | None, message: str | None) -> Form:
    """Answer a refusal.

    Where a container wants two resources and both lack, the kubelet names the first in the order of a Go map, for
    devices (DM/manager.go:Allocate) as for huge pages (scheduler, fit.go:fitsRequest): such texts are cut before it.
    """
    text = "" if handler == PANIC else TOO_FEW_DEVICES.sub("too few devices", message or "")
    return {
        "admit": False,
        "handler": handler,
        "reason": TOO_FEW_PAGES.sub(r"\1hugepages", reason or ""),
        "message": TOO_FEW_PAGES.sub(r"\1hugepages", text),
    }


def placement_form(placement: Placement, node: NodeClass) -> Form:
    """Take over where we put a container."""
    return {
        "cpus": cpuset.format(placement.cpus),
        "memory": sorted(block_form(block) for block in placement.memory),
        "devices": {name: by_home(name, ids, node) for name, ids in placement.devices.items() if ids},
        "hint": placement.hint,
    }


def block_form(block: MemoryBlock) -> tuple[str, list[int], int]:
    """Take over a memory block."""
    return block.type, sorted(block.cells), block.size


def real_form(pod: Answer, node: NodeClass) -> Form:
    """Take over what is compared of the oracle's answer to one pod."""
    if not pod["admit"]:
        form = refusal_form(pod["handler"], pod.get("reason", ""), pod.get("message", ""))
    else:
        found = pod["containers"].items()
        form = {"admit": True, "containers": {name: real_placement(placement, node) for name, placement in found}}
    return {**form, "qos": pod["qos"]}


def real_placement(placement: Answer, node: NodeClass) -> Form:
    """Take over where the oracle put a container."""
    blocks = placement.get("memory", ())
    return {
        "cpus": placement.get("cpus", ""),
        "memory": sorted((block["type"], sorted(block["numa"]), block["size"]) for block in blocks),
        "devices": {name: by_home(name, ids, node) for name, ids in placement.get("devices", {}).items() if ids},
        "hint": placement["hint"],
    }


def by_home(resource: str, ids: Iterable[str], node: NodeClass) -> Form:
    """Count devices by their NUMA nodes: which ones of a NUMA node are taken depends on the order of a Go map."""
    homes = {device.id: str(device.numa) for device in node.devices[resource]}
    return dict(Counter(homes[name] for name in ids))


def room(node: NodeClass) -> Form:
    """Answer what we say an empty node has: as a whole, and of CPUs by NUMA node where they can be pinned."""
    cpus = {cell.id: cell.cpus for cell in cell_allocatable(node)} if pins_cpus(node) else {}
    return {
        "node": {name: str(size) for name, size in node_allocatable(node).items() if not size.is_zero},
        "cpus": cpus,
    }


def real_room(answer: Answer, node: NodeClass) -> Form:
    """Take over what the oracle said of the empty node."""
    there = {name: Quantity.parse(size) for name, size in answer["room"]["node"].items() if name not in NOT_LIMITED}
    free = cpuset.parse(answer["room"].get("cpus", ""))
    return {
        "node": {name: str(size) for name, size in there.items() if not size.is_zero},
        "cpus": {cell.id: (cell.cpus & free).bit_count() for cell in node.cells} if pins_cpus(node) else {},
    }


def pins_cpus(node: NodeClass) -> bool:
    """Tell whether the CPU manager gives CPUs away at all."""
    return node.kubelet.cpu_manager_policy == "static"
