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
from webhook.domain.kubelet.admit import Holding
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
CONTAINER_START = "container-start"
FIT = "scheduler-fit"
TOO_FEW_DEVICES = re.compile(r"(requested number of devices unavailable|no healthy devices present).*")
TOO_MUCH = re.compile(r"(OutOf|resource: )(hugepages-|\S+/).*")
USED_UP = re.compile(r"(but no|exclusive container) (memory|hugepages-\S+) ")


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
    pods = [(pod, facts.read(pod, rules)) for pod in scenario.pods]
    if admit_on_empty(pods[0][1], scenario.node).handler == STARTUP:
        return DOES_NOT_START
    node = Node(scenario.node, skip_predicates=scenario.skip_predicates)
    found: list[Form] = []
    for pod, read in pods:
        said = node.admit(read)
        if scenario.start and said.admitted:
            said = node.start(read, said)
        form = {**admission_form(said, scenario.node), "qos": read.qos.value}
        found.append(determined(form, pod))
        if said.handler == PANIC:
            break
    return found


def real(answer: Answer, scenario: Scenario) -> list[Form]:
    """Answer what the oracle said; why a kubelet does not start is not compared, nor the text of a panic."""
    if answer.get("timeout"):
        return TOO_SLOW
    if answer.get("error"):
        return DOES_NOT_START
    answered = zip(answer["pods"], scenario.pods, strict=False)
    return [determined(real_form(said, scenario.node), pod) for said, pod in answered]


def admission_form(said: Admission, node: NodeClass) -> Form:
    """Take over what is compared of our answer."""
    if not said.admitted:
        return refusal_form(said.handler, said.reason, said.message)
    containers = {placement.container: placement_form(placement, node) for placement in said.placements}
    return {"admit": True, "containers": containers, "pod": holding_form(said.pod)}


def refusal_form(handler: str | None, reason: str | None, message: str | None) -> Form:
    """Answer a refusal.

    Where a container wants two resources and both lack, the kubelet names the first in the order of a Go map
    (DM/manager.go:Allocate): such texts are cut before it. So are those on memory of which nothing is left to share
    (MM/policy_static.go:validatePodScopeResources).
    """
    text = "" if handler in {PANIC, CONTAINER_START} else TOO_FEW_DEVICES.sub("too few devices", message or "")
    text = USED_UP.sub(r"\1 memory ", text)
    return {
        "admit": False,
        "handler": handler,
        "reason": reason or "",
        "message": text,
    }


def determined(form: Form, pod: Form) -> Form:
    """Leave out which resource the scheduler's sums lack, where the pod wants several that are walked as a Go map.

    These are huge pages and extended resources (scheduler, fit.go:fitsRequest).
    """
    spec = pod["spec"]
    blocks = [one.get("resources", {}) for one in (spec, *spec.get("initContainers", ()), *spec["containers"])]
    names = {name for block in blocks for side in block.values() for name in side}
    if form.get("handler") != FIT or sum("/" in name or name.startswith("hugepages-") for name in names) <= 1:
        return form
    return {**form, **{key: TOO_MUCH.sub(r"\1several", form[key]) for key in ("reason", "message")}}


def placement_form(placement: Placement, node: NodeClass) -> Form:
    """Take over where we put a container."""
    return {
        "cpus": cpuset.format(placement.cpus),
        "memory": sorted(block_form(block) for block in placement.memory),
        "devices": {name: by_home(name, ids, node) for name, ids in placement.devices.items() if ids},
        "hint": placement.hint,
        "pool": holding_form(placement.pool),
        "pinned": placement.pinned,
        "cells": placement.cells,
    }


def holding_form(holding: Holding | None) -> Form | None:
    """Take over what a pod holds as a whole, or a container shares within its pod."""
    if holding is None:
        return None
    return {"cpus": cpuset.format(holding.cpus), "memory": sorted(block_form(block) for block in holding.memory)}


def block_form(block: MemoryBlock) -> tuple[str, list[int], int]:
    """Take over a memory block."""
    return block.type, sorted(block.cells), block.size


def real_form(pod: Answer, node: NodeClass) -> Form:
    """Take over what is compared of the oracle's answer to one pod."""
    if not pod["admit"]:
        form = refusal_form(pod["handler"], pod.get("reason", ""), pod.get("message", ""))
    else:
        found = pod["containers"].items()
        containers = {name: real_placement(placement, node) for name, placement in found}
        form = {"admit": True, "containers": containers, "pod": real_holding(pod.get("pod"))}
    return {**form, "qos": pod["qos"]}


def real_placement(placement: Answer, node: NodeClass) -> Form:
    """Take over where the oracle put a container."""
    return {
        "cpus": placement.get("cpus", ""),
        "memory": real_blocks(placement),
        "devices": {name: by_home(name, ids, node) for name, ids in placement.get("devices", {}).items() if ids},
        "hint": placement["hint"],
        "pool": real_holding(placement.get("pool")),
        "pinned": bool(real_cpus(placement)),
        "cells": real_cells(placement, node),
    }


def real_cpus(placement: Answer) -> int:
    """Answer the CPUs that no other pod may use: the container's own and those that it shares within its pod."""
    return cpuset.parse(placement.get("cpus", "")) | cpuset.parse(placement.get("pool", {}).get("cpus", ""))


def real_cells(placement: Answer, node: NodeClass) -> tuple[int, ...]:
    """Answer the NUMA nodes of those CPUs, of the memory, and of devices that lie on exactly one."""
    cpus = real_cpus(placement)
    blocks = [*placement.get("memory", ()), *placement.get("pool", {}).get("memory", ())]
    found = {cell.id for cell in node.cells if cell.cpus & cpus} | {cell for block in blocks for cell in block["numa"]}
    for resource, ids in placement.get("devices", {}).items():
        homes = {device.id: set(device.numa or ()) for device in node.devices[resource]}
        found |= {cell for name in ids for cell in homes[name] if len(homes[name]) == 1}
    return tuple(sorted(found))


def real_holding(holding: Answer | None) -> Form | None:
    """Take over what the oracle says of a pod as a whole, or of a container's share in it."""
    return None if holding is None else {"cpus": holding.get("cpus", ""), "memory": real_blocks(holding)}


def real_blocks(holder: Answer) -> list[tuple[str, list[int], int]]:
    """Take over the oracle's memory blocks."""
    return sorted((block["type"], sorted(block["numa"]), block["size"]) for block in holder.get("memory", ()))


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
