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
from webhook.domain.kubelet.admit import startup_error
from webhook.domain.topology import NodeClass

Form = dict[str, Any]

DOES_NOT_START: list[Form] = [{"the kubelet starts": False}]
PANIC = "panic"
CONTAINER_START = "container-start"
FIT = "scheduler-fit"
TOO_FEW_DEVICES = re.compile(r"(requested number of devices unavailable|no healthy devices present).*")
TOO_MUCH = re.compile(r"(OutOf|resource: )(hugepages-|\S+/).*")
USED_UP = re.compile(r"(but no|exclusive container) (memory|hugepages-\S+) ")


def simulated(scenario: Scenario) -> list[Form]:
    """Send the pods to our node; as the oracle does, stop after one that makes the kubelet's code fail."""
    if startup_error(scenario.node) is not None:
        return DOES_NOT_START
    node = Node(scenario.node)
    found: list[Form] = []
    for pod in scenario.pods:
        read = facts.read(pod, versions.rules(scenario.node.kubelet.version))
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
    }


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
