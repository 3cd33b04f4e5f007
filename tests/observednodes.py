"""Makes what a node shows, from a notation that leaves out what is as it should be; docs/cases.md describes it."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from builders import GPU
from builders import INSTANT
from caseobjects import pod

from webhook.domain import cpuset
from webhook.domain.observation import Machine
from webhook.domain.observation import Observation
from webhook.domain.observation import ObservedCgroup
from webhook.domain.observation import ObservedContainer
from webhook.domain.observation import ObservedDevice
from webhook.domain.observation import ObservedPod
from webhook.domain.observation import ObservedProcess
from webhook.domain.observation import Pages
from webhook.domain.observation import ProcessMemory
from webhook.domain.observation import StateFile
from webhook.domain.observation import Unread
from webhook.domain.topology import Cell
from webhook.domain.topology import Core
from webhook.domain.topology import KubeletSettings

UNREAD = "?"
"""In the place of a value: it could not be read."""
WHY = "permission denied"
TWO_CELLS: Mapping[int, str] = {0: "0-7", 1: "8-15"}
ALIGNING = {"cpu": "static", "memory": "Static", "topology": "single-numa-node"}
MIB = 1 << 20
_SETTINGS = {
    "cpu": "cpu_manager_policy",
    "memory": "memory_manager_policy",
    "topology": "topology_manager_policy",
    "scope": "topology_manager_scope",
    "options": "topology_manager_policy_options",
    "gates": "feature_gates",
    "version": "version",
}


def observation(raw: Mapping[str, Any]) -> Observation:
    """Write a whole node out."""
    cells = machine(raw.get("machine", TWO_CELLS), raw.get("distances", {}))
    kubelet = settings(raw.get("kubelet", {}))
    return Observation(
        node=raw.get("node", "gpu-1"),
        instant=INSTANT,
        machine=cells,
        kubelet=kubelet,
        version=None if kubelet is None or raw.get("version") == UNREAD else kubelet.version,
        pods=tuple(_pod(name, one) for name, one in raw.get("pods", {}).items()),
        state_files=tuple(StateFile(name, **one) for name, one in raw.get("state_files", {}).items()),
    )


def machine(cells: Mapping[int, str], distances: Mapping[int, list[int]]) -> Machine:
    """Make a machine of CPU lists by NUMA node, one core for each CPU."""
    made = tuple(
        Cell(
            id=number,
            memory=64 << 30,
            cores=tuple(Core((cpu,), socket=number) for cpu in cpuset.ids(cpuset.parse(cpus))),
            distances=tuple(distances.get(number, ())),
        )
        for number, cpus in cells.items()
    )
    online = 0
    for cell in made:
        online |= cell.cpus
    return Machine(made, online)


def settings(raw: Mapping[str, Any] | str) -> KubeletSettings | None:
    """Answer the settings of a kubelet that aligns, with others in their place; "?" for none that are known."""
    if isinstance(raw, str):
        return None
    told = {**ALIGNING, **raw, **({"version": tuple(raw["version"])} if "version" in raw else {})}
    return KubeletSettings(**{_SETTINGS[key]: value for key, value in told.items()})


def _pod(name: str, raw: Mapping[str, Any]) -> ObservedPod:
    namespace, _, short = name.partition("/")
    shown = {one: seen or {} for one, seen in raw["shows"].items()}
    fields = {key: value for key, value in raw.items() if key not in {"shows", "guests", "status"}}
    written = pod(fields)
    identity = {**written.get("metadata", {}), "name": short, "namespace": namespace, "uid": f"uid-{short}"}
    return ObservedPod(
        namespace=namespace,
        name=short,
        uid=f"uid-{short}",
        raw={**written, "metadata": identity, "status": {"phase": "Running", **raw.get("status", {})}},
        containers=tuple(container(one, seen) for one, seen in shown.items()),
        guests=tuple(container(one, seen) for one, seen in raw.get("guests", {}).items()),
    )


def container(name: str, raw: Mapping[str, Any]) -> ObservedContainer:
    """Write a container out: what the cgroup allows is what the kubelet gave, unless it says otherwise."""
    given = _set(raw.get("cpus"))
    mems = _set(raw.get("mems", "0"))
    unread = tuple(Unread(field, WHY) for field in ("exclusive_cpus", "devices", "cgroup") if _lacks(raw, field))
    started = raw.get("started", 600)
    return ObservedContainer(
        name=name,
        id=f"containerd://{name}",
        started=None if started is None else INSTANT - timedelta(seconds=started),
        exclusive_cpus=None if raw.get("cpus") == UNREAD else given or 0,
        pinned_memory={"memory": (1 << 30, _set(raw["pinned"]) or 0)}
        if raw.get("pinned")
        else ({"memory": (1 << 30, mems)} if mems else {}),
        devices=None if raw.get("devices") == UNREAD else _devices(raw.get("devices", {})),
        cgroup=None if raw.get("cgroup") == UNREAD else _cgroup(raw, given, mems),
        processes=tuple(_process(100 + number, one, raw) for number, one in enumerate(raw.get("processes", [{}]))),
        ended=raw.get("ended", False),
        unread=(*unread, *(Unread(field, why) for field, why in raw.get("unread", {}).items())),
    )


def _lacks(raw: Mapping[str, Any], field: str) -> bool:
    return raw.get("cpus" if field == "exclusive_cpus" else field) == UNREAD


def _cgroup(raw: Mapping[str, Any], given: int | None, mems: int | None) -> ObservedCgroup:
    allowed = _set(raw["allowed"]) if "allowed" in raw else given
    files = {"cpus": "allowed", "effective_cpus": "effective", "cells": "mems", "quota": "quota"}
    unread = [field for field, name in files.items() if raw.get(name) == UNREAD]
    return ObservedCgroup(
        path="/kubepods/x",
        cpus=allowed,
        effective_cpus=_set(raw["effective"]) if "effective" in raw else allowed,
        cells=mems,
        effective_cells=mems,
        own_quota=_quota(raw.get("quota")),
        pod_quota=_quota(raw.get("pod_quota")),
        usage=raw.get("usage"),
        unread=tuple(Unread(field, WHY) for field in unread),
    )


def _quota(raw: Any) -> tuple[int, int] | None:
    return None if raw in (None, UNREAD) else (raw[0], raw[1])


def _devices(raw: Mapping[str, Any]) -> tuple[ObservedDevice, ...]:
    """Read `{gpu-0: 0, gpu-1: ?}`; a device of another resource than GPUs is `RESOURCE=ID`."""
    found = []
    for name, cells in raw.items():
        resource, _, identifier = name.rpartition("=")
        found.append(ObservedDevice(resource or GPU, identifier, _set(cells)))
    return tuple(found)


def _process(pid: int, raw: Mapping[str, Any], around: Mapping[str, Any]) -> ObservedProcess:
    usual = around.get("cpus", "0-15") if around.get("allowed") in {None, UNREAD} else around["allowed"]
    allowed = raw.get("cpus", usual)
    kinds = ("anonymous", "heap", "stack", "huge", "files")
    own = raw.get("memory", {"anonymous": {_first(around.get("mems", "0")): 1000}})
    memory = None if own == UNREAD else ProcessMemory(**{kind: _pages(own.get(kind, {})) for kind in kinds})
    unread = [key for key in ("cpus", "memory") if raw.get(key) == UNREAD]
    return ObservedProcess(
        pid=raw.get("pid", pid),
        command=raw.get("command", "python"),
        cpus=_set(allowed),
        cells=None,
        memory=memory,
        unread=tuple(Unread(field, WHY) for field in unread),
    )


def _first(cells: object) -> int:
    found = cpuset.ids(_set(cells) or 1)
    return found[0]


def _pages(mebibytes: Mapping[int, int]) -> Pages:
    return Pages({cell: size * MIB for cell, size in mebibytes.items()})


def _set(value: object) -> int | None:
    """Read a list of CPUs or NUMA nodes; None for what was not read, or for an empty text, as of a cgroup."""
    return None if value is None or value in {UNREAD, ""} else cpuset.parse(str(value))
