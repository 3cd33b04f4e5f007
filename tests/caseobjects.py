"""Writes the shorthand of the table out: pods from their notation, and the objects that hold them."""

import itertools
import re
from collections.abc import Mapping
from typing import Any
from typing import TypeAlias

GPU = "nvidia.com/gpu"

Object: TypeAlias = dict[str, Any]
Steps: TypeAlias = tuple[str | int, ...]

_TRIPLE = re.compile(r"(?P<cpu>[^/ ]+)/(?P<memory>[^/ ]+)(?:/(?P<gpu>[^/ ]+))?")
_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_POD_KEYS = {"init", "sidecars", "containers", "labels", "annotations", "generateName", "shm"}
_IMAGE = "registry.example/app:1"

KINDS: Mapping[str, tuple[str, str]] = {
    "Pod": ("v1", ""),
    "PodTemplate": ("v1", "template.spec"),
    "ReplicationController": ("v1", "spec.template.spec"),
    "Deployment": ("apps/v1", "spec.template.spec"),
    "ReplicaSet": ("apps/v1", "spec.template.spec"),
    "StatefulSet": ("apps/v1", "spec.template.spec"),
    "DaemonSet": ("apps/v1", "spec.template.spec"),
    "Job": ("batch/v1", "spec.template.spec"),
    "CronJob": ("batch/v1", "spec.jobTemplate.spec.template.spec"),
}
"""Kinds of the API server: version, and the field path of the pod spec ("" where the object is the pod)."""


def slug(identifier: str) -> str:
    """Write an identifier as the API server wants names."""
    return re.sub(r"[^a-z0-9]+", "-", identifier.lower())


def pod(raw: Object) -> Object:
    """Write a pod out: shorthand containers, labels and annotations, and every other key as a field of the spec."""
    spec: Object = {key: value for key, value in raw.items() if key not in _POD_KEYS}
    init = [_container(name, value) for name, value in raw.get("init", {}).items()]
    init += [_container(name, value) | {"restartPolicy": "Always"} for name, value in raw.get("sidecars", {}).items()]
    if init:
        spec["initContainers"] = init
    spec["containers"] = [_container(name, value) for name, value in raw["containers"].items()]
    if "shm" in raw:
        memory = {"medium": "Memory", **({"sizeLimit": raw["shm"]} if raw["shm"] else {})}
        spec["volumes"] = [*spec.get("volumes", []), {"name": "shm", "emptyDir": memory}]
    metadata = {key: raw[key] for key in ("labels", "annotations", "generateName") if key in raw}
    return {"metadata": metadata, "spec": spec} if metadata else {"spec": spec}


def _container(name: str, value: object) -> Object:
    """Write a container out: None (no resources), "CPU/MEMORY/GPUS", "REQUESTS -> LIMITS", or a map of its fields."""
    head: Object = {"name": name, "image": _IMAGE}
    if value is None:
        return head
    if isinstance(value, str):
        requests, _, limits = value.partition(" -> ")
        return head | {"resources": {"requests": _resources(requests), "limits": _resources(limits or requests)}}
    if not isinstance(value, dict):
        message = f"container {name}: {value!r}"
        raise TypeError(message)
    fields = dict(value)
    equal = fields.pop("equal", None)
    sides = {side: _resources(fields.pop(side)) for side in ("requests", "limits") if side in fields}
    if equal is not None:
        sides = {"requests": _resources(equal), "limits": _resources(equal)}
    if "claims" in fields:
        sides["claims"] = fields.pop("claims")
    return head | ({"resources": sides} if sides else {}) | fields


def _resources(value: object) -> object:
    if not isinstance(value, str):
        return value
    match = _TRIPLE.fullmatch(value)
    if match is None:
        message = f"{value!r} is not CPU/MEMORY or CPU/MEMORY/GPUS"
        raise ValueError(message)
    names = {"cpu": "cpu", "memory": "memory", "gpu": GPU}
    return {names[key]: text for key, text in match.groupdict().items() if text not in {None, "-"}}


def builtin(kind: str, pod: Object, name: str, extra: Object) -> Object:
    """Put a pod into an object of a built-in kind, complete enough for the API server."""
    if kind == "Pod":
        return {**extra, **pod}
    metadata = pod.get("metadata", {})
    labels = {"case": name, **metadata.get("labels", {})}
    template: Object = {"metadata": {**metadata, "labels": labels}, "spec": dict(pod["spec"])}
    if kind in {"Job", "CronJob"}:
        template["spec"].setdefault("restartPolicy", "Never")
    selector: Object = {"selector": {"matchLabels": {"case": name}}}
    match kind:
        case "PodTemplate":
            return {**extra, "template": template}
        case "CronJob":
            job = {"spec": {"template": template}}
            return {"spec": {"schedule": "0 0 1 1 *", **extra.get("spec", {}), "jobTemplate": job}}
        case "Job":
            return {"spec": {**extra.get("spec", {}), "template": template}}
        case "ReplicationController":
            selector = {"selector": {"case": name}}
        case "StatefulSet":
            selector |= {"serviceName": "cases"}
        case _:
            pass
    return {"spec": {**selector, **extra.get("spec", {}), "template": template}}


def put_template(root: Object, path: str, form: str, pod: Object) -> None:
    """Put a pod, or the container or the raw value in its place, into an object of an unknown kind."""
    steps = path_steps(path)
    value: object = pod
    if form == "pod":
        value = pod["spec"]
        if "metadata" in pod and steps[-1] == "spec":
            _put(root, (*steps[:-1], "metadata"), pod["metadata"])
    elif form == "container":
        container = pod["spec"]["containers"][0]
        nameless = container["name"] == steps[-1]  # lint takes the name from the path
        value = {"resources": container["resources"]} if nameless else container
    elif form == "resources":
        value = pod["spec"]["containers"][0]["resources"]
    _put(root, steps, value)


def path_steps(path: str) -> Steps:
    """Split a field path.

    >>> path_steps("spec.roles[0].template.spec")
    ('spec', 'roles', 0, 'template', 'spec')
    """
    return tuple(int(index) if index else name for name, index in _STEP.findall(path))


def follow(document: object, steps: Steps) -> object:
    """Answer what lies at a path."""
    value: Any = document
    for step in steps:
        value = value[step]
    return value


def _put(root: Object, steps: Steps, value: object) -> None:
    place: Any = root
    for step, following in itertools.pairwise(steps):
        empty: object = [] if isinstance(following, int) else {}
        if isinstance(place, list):
            place.extend({} for _ in range(int(step) + 1 - len(place)))
            place = place[int(step)]
        else:
            place = place.setdefault(step, empty)
    if isinstance(place, list):
        place.extend({} for _ in range(int(steps[-1]) + 1 - len(place)))
    present = follow(place, steps[-1:]) if isinstance(place, list) or steps[-1] in place else {}
    merged = {**present, **value} if isinstance(present, dict) and isinstance(value, dict) else value
    place[steps[-1]] = merged


def copied(value: Any) -> Any:
    """Copy maps and lists, so that rows that share a part stay apart."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    return [copied(item) for item in value] if isinstance(value, list) else value
