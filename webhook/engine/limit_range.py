"""Fills in what LimitRanges would, defaults and the annotation that names them, and reads that annotation.

Mirrors the defaulting of LimitRanges (pkg/apis/core/v1/defaults.go:SetDefaults_LimitRangeItem) and of pods
(plugin/pkg/admission/limitranger/admission.go:mergePodResourceRequirements). Several LimitRanges in one namespace are
applied in the order of the input, and the annotation names the values of all of them.
"""

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass

from webhook.domain import keys
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text

_PREFIX = "LimitRanger plugin set: "
_LISTS = (("containers", "container"), ("initContainers", "init container"))


@dataclass(frozen=True, slots=True)
class ContainerDefaults:
    """What one LimitRange gives to a container that names nothing, by resource name."""

    requests: JsonObject
    limits: JsonObject


def read(limit_range: JsonObject) -> ContainerDefaults:
    """Read the container defaults of a LimitRange object; what is malformed counts as absent."""
    requests: dict[str, object] = {}
    limits: dict[str, object] = {}
    for item in get_list(as_object(limit_range.get("spec")), "limits"):
        if get_text(item, "type") != "Container":
            continue
        default = {**get_object(item, "max"), **get_object(item, "default")}
        limits |= default
        requests |= {**get_object(item, "min"), **default, **get_object(item, "defaultRequest")}
    return ContainerDefaults(requests=requests, limits=limits)


def apply(pod: JsonObject, ranges: Sequence[ContainerDefaults]) -> JsonObject:
    """Answer `pod` as the API server would hand it on; the same object where nothing is filled in."""
    spec = as_object(pod.get("spec"))
    notes: list[str] = []
    changed: dict[str, object] = {}
    for key, noun in _LISTS:
        containers = get_list(spec, key)
        filled = list(containers)
        for defaults in ranges:
            filled = [_fill(container, defaults, noun, notes) for container in filled]
        if filled != containers:
            changed[key] = filled
    if not changed:
        return pod
    metadata = as_object(pod.get("metadata"))
    annotations = {**get_object(metadata, "annotations"), keys.LIMIT_RANGER: _PREFIX + "; ".join(notes)}
    return {**pod, "metadata": {**metadata, "annotations": annotations}, "spec": {**spec, **changed}}


def filled_in(annotation: str) -> Iterator[tuple[str, str, str]]:
    """Read the annotation: yield container, side ("requests" or "limits") and resource of each value it names.

    >>> list(filled_in("LimitRanger plugin set: cpu, memory request for init container proxy"))
    [('proxy', 'requests', 'cpu'), ('proxy', 'requests', 'memory')]
    """
    for clause in annotation.removeprefix(_PREFIX).split("; "):
        what, _, where = clause.partition(" for ")
        resources, _, side = what.rpartition(" ")
        if side in {"request", "limit"}:
            for resource in resources.split(", "):
                yield where.rpartition(" ")[2], side + "s", resource


def _fill(container: object, defaults: ContainerDefaults, noun: str, notes: list[str]) -> object:
    if not isinstance(container, dict):
        return container
    resources = get_object(container, "resources")
    limits = get_object(resources, "limits")
    requests = get_object(resources, "requests")
    new_limits = {name: value for name, value in defaults.limits.items() if name not in limits}
    # a request follows the limit that the author wrote before LimitRanger sees the pod
    new_requests = {
        name: value for name, value in defaults.requests.items() if name not in requests and name not in limits
    }
    if not new_limits and not new_requests:
        return container
    notes.extend(_notes(new_requests, "request", noun, container))
    notes.extend(_notes(new_limits, "limit", noun, container))
    filled = {**resources, "limits": {**limits, **new_limits}, "requests": {**requests, **new_requests}}
    return {**container, "resources": filled}


def _notes(values: JsonObject, side: str, noun: str, container: JsonObject) -> Iterator[str]:
    if values:
        yield f"{', '.join(sorted(values))} {side} for {noun} {get_text(container, 'name')}"
