"""Makes Pod objects of a node as the API server has them, with the status that the kubelet writes."""

from collections.abc import Mapping
from typing import Any

from builders import container
from builders import equal
from builders import pod
from nodetree import container_id
from nodetree import pod_uid

NODE = "node-1"
STARTED = "2026-11-30T08:00:00Z"


def running_pod(
    name: str = "llm-0",
    *containers: Mapping[str, Any],
    number: int = 1,
    ids: Mapping[str, int] | None = None,
    init: tuple[Mapping[str, Any], ...] = (),
    phase: str = "Running",
    **fields: Any,
) -> dict[str, Any]:
    """Make a pod whose containers of `ids` (by default all, numbered) run; `number` is that of its uid."""
    made = pod(*(containers or (container(**equal()),)), init=init, nodeName=NODE, **fields)
    made["metadata"] |= {"name": name, "uid": pod_uid(number)}
    everyone = [*init, *(containers or (container(),))]
    running = {one["name"]: at for at, one in enumerate(everyone, number)} if ids is None else ids
    statuses = [status(one["name"], running.get(one["name"])) for one in everyone]
    made["status"] = {
        "phase": phase,
        "initContainerStatuses": statuses[: len(init)],
        "containerStatuses": statuses[len(init) :],
    }
    return made


def status(name: str, number: int | None) -> dict[str, Any]:
    """Make the status of a container that runs, or, without a number, still waits."""
    if number is None:
        return {"name": name, "state": {"waiting": {"reason": "ContainerCreating"}}, "ready": False}
    identifier = f"containerd://{container_id(number)}"
    return {"name": name, "containerID": identifier, "state": {"running": {"startedAt": STARTED}}, "ready": True}
