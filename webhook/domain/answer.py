"""Writes the answer to a scenario as a JSON value; docs/kubelet.md has the fields. What is empty is left out."""

from webhook.domain import cpuset
from webhook.domain.kubelet.admit import Holding
from webhook.domain.kubelet.admit import MemoryBlock
from webhook.domain.kubelet.admit import Placement
from webhook.domain.scenario import Answer
from webhook.domain.scenario import PodAnswer


def as_json(answer: Answer) -> dict[str, object]:
    """Write a whole answer."""
    error = {} if answer.error is None else {"error": answer.error}
    return {"name": answer.name, **error, "pods": [pod_as_json(pod) for pod in answer.pods]}


def pod_as_json(pod: PodAnswer) -> dict[str, object]:
    """Write what was said to one pod: who refused it and why, or where its containers landed."""
    said = pod.admission
    head = {"name": pod.name, "admit": said.admitted}
    if not said.admitted:
        return {
            **head,
            "handler": said.handler,
            "reason": said.reason,
            "message": said.message,
            "qos": pod.qos.value,
        }
    containers = {placement.container: placement_as_json(placement) for placement in said.placements}
    whole = {} if said.pod is None else {"pod": holding_as_json(said.pod)}
    return {**head, "qos": pod.qos.value, **whole, "containers": containers}


def holding_as_json(holding: Holding) -> dict[str, object]:
    """Write what belongs to a pod and not to one of its containers alone."""
    fields: dict[str, object] = {"cpus": cpuset.format(holding.cpus), "memory": _blocks(holding.memory)}
    return {name: value for name, value in fields.items() if value}


def placement_as_json(placement: Placement) -> dict[str, object]:
    """Write where a container landed."""
    fields: dict[str, object] = {
        "cpus": cpuset.format(placement.cpus),
        "cpuNuma": list(placement.cpu_cells),
        "memory": _blocks(placement.memory),
        "pool": None if placement.pool is None else holding_as_json(placement.pool),
        "devices": {resource: list(ids) for resource, ids in placement.devices.items()},
    }
    return {**{name: value for name, value in fields.items() if value}, "hint": placement.hint}


def _blocks(blocks: tuple[MemoryBlock, ...]) -> list[dict[str, object]]:
    return [{"type": block.type, "numa": list(block.cells), "size": block.size} for block in blocks]
