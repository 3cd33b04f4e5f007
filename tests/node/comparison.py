"""Answers to a pod in one form: the simulation's, and what the real kubelet has written down and says of the pod."""

import json
from collections.abc import Mapping
from typing import Any

from differential.admissions import Form
from differential.admissions import block_form
from differential.admissions import by_home
from differential.admissions import determined
from differential.admissions import holding_form
from differential.admissions import refusal_form
from node.kubelet import States

from webhook.domain import cpuset
from webhook.domain.kubelet.admit import Admission
from webhook.domain.kubelet.admit import Placement
from webhook.domain.topology import NodeClass

REJECTED = "Pod was rejected: "
"""What the kubelet puts before the message of its handler."""


def simulated(said: Admission, pod: Form, node: NodeClass) -> Form:
    """Take over of our answer what the kubelet's files show."""
    if not said.admitted:
        return _seen(determined(refusal_form(said.handler, said.reason, said.message), pod))
    containers = {one.container: _placed(one, node) for one in said.placements}
    return {"admit": True, "containers": containers, "pod": holding_form(said.pod)}


def _placed(one: Placement, node: NodeClass) -> Form:
    """Show a container: its file entries hold what is its own, or else what it shares within its pod."""
    cpus, memory = one.cpus, one.memory
    if one.pool is not None:
        cpus, memory = cpus or one.pool.cpus, memory or one.pool.memory
    devices = {name: by_home(name, ids, node) for name, ids in one.devices.items() if ids}
    return {"cpus": cpuset.format(cpus), "memory": sorted(map(block_form, memory)), "devices": devices}


def real(states: States, status: Mapping[str, Any], pod: Form, node: NodeClass) -> Form:
    """Take over what the kubelet says of a pod that it has judged, and what its managers have for it."""
    if status["phase"] == "Failed":
        form = refusal_form(None, status["reason"], status["message"].removeprefix(REJECTED))
        return _seen(determined({**form, "handler": _handler(status["reason"])}, pod))
    uid = pod["metadata"]["uid"]
    cpus, memory = _data(states.cpus), _data(states.memory)
    owned = [one for one in states.devices["Data"]["PodDeviceEntries"] or () if one["PodUID"] == uid]
    spec = pod["spec"]
    containers = {
        name: {
            "cpus": cpus.get("entries", {}).get(uid, {}).get(name, ""),
            "memory": _blocks(memory.get("entries", {}).get(uid, {}).get(name, ())),
            "devices": {
                one["ResourceName"]: by_home(one["ResourceName"], _ids(one), node)
                for one in owned
                if one["ContainerName"] == name
            },
        }
        for name in (one["name"] for one in (*spec.get("initContainers", ()), *spec["containers"]))
    }
    return {"admit": True, "containers": containers, "pod": _whole(cpus, memory, uid)}


def _data(state: Mapping[str, Any] | None) -> dict[str, Any]:
    """Answer the part of a state file that counts: the rest is there for older kubelets."""
    return {} if state is None else json.loads(state["data"])


def _whole(cpus: Mapping[str, Any], memory: Mapping[str, Any], uid: str) -> Form | None:
    held = cpus.get("podEntries", {}).get(uid, {}).get("cpuSet", "")
    blocks = _blocks(memory.get("podEntries", {}).get(uid, {}).get("memoryBlocks", ()))
    return {"cpus": held, "memory": blocks} if held or blocks else None


def _blocks(blocks: Any) -> list[tuple[str, list[int], int]]:
    return sorted((block["type"], sorted(block["numaAffinity"]), block["size"]) for block in blocks)


def _ids(entry: Mapping[str, Any]) -> list[str]:
    """Answer the devices of an entry, which has them by NUMA node: each but once."""
    return sorted({name for names in entry["DeviceIDs"].values() for name in names})


def _handler(reason: str) -> str:
    return "scheduler-fit" if reason.startswith("OutOf") else "topology-manager"


def _seen(form: Form) -> Form:
    """Leave out which handler refused: the kubelet does not tell."""
    return {key: value for key, value in form.items() if key != "handler"}
