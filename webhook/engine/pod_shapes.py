"""Finds what looks like a pod in an object of an unknown kind: pod specs, and containers with accelerators.

Operators hide their pods in many places (`spec.template.spec`, `spec.predictor`, `spec.engineConfig.runner`); whatever
holds a list of containers, or a container's resources with an accelerator in them, may become a pod.
"""

from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass

from webhook.domain.pod_location import PodLocation
from webhook.domain.pointer import Path
from webhook.domain.policy import Accelerators
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text

_CONTAINER_KEYS = frozenset({"name", "image", "resources"})
_RESOURCES = frozenset({"resources", "limits", "requests"})
_CLAIMS = ("resourceClaimName", "resourceClaimTemplateName")
_OWN_WORDS = frozenset({"gpu", "gpus", "npu", "npus", "accelerator", "accelerators"})
"""What operators with a vocabulary of their own call accelerators in a map of resources."""
_NO_AMOUNT = ("", "0", 0, None, False)


@dataclass(frozen=True, slots=True)
class Shape:
    """Something that may become a pod: `pod` looks like one, `root` is where it lies in the object.

    `place` turns a path inside `pod` into one inside the object. `pod` is None where the amounts are in a vocabulary
    that only the operator understands. `location` says more about a pod of a known kind.
    """

    pod: JsonObject | None
    root: Path
    place: Callable[[Path], Path]
    location: PodLocation | None = None


def of(location: PodLocation) -> Shape:
    """Answer the shape of a pod that a known kind locates."""
    return Shape(pod=location.pod, root=location.root, place=location.place, location=location)


def find(content: JsonObject, accelerators: Accelerators) -> Iterator[Shape]:
    """Yield the shapes in `content`, outermost first, in the order of the object."""
    yield from _walk(content, (), {}, accelerators)


def _walk(value: object, path: Path, parent: JsonObject, accelerators: Accelerators) -> Iterator[Shape]:
    if isinstance(value, list):
        for index, member in enumerate(value):
            yield from _walk(member, (*path, index), {}, accelerators)
        return
    if not isinstance(value, dict):
        return
    if _is_pod_spec(value):
        yield _spec_shape(value, path, parent)
        return
    yield from _container_shapes(value, path, accelerators)
    for key, member in value.items():
        if key not in _RESOURCES:
            yield from _walk(member, (*path, key), value, accelerators)


def _is_pod_spec(value: JsonObject) -> bool:
    return any(not _CONTAINER_KEYS.isdisjoint(as_object(item)) for item in get_list(value, "containers"))


def _spec_shape(spec: JsonObject, path: Path, parent: JsonObject) -> Shape:
    """A pod spec; its sibling `metadata` is the pod's, unless it is the object's own."""
    has_metadata = len(path) > 1 and path[-1] == "spec" and "metadata" in parent
    metadata = (*path[:-1], "metadata") if has_metadata else path

    def place(inner: Path) -> Path:
        return (*(metadata if inner[:1] == ("metadata",) else path), *inner[1:])

    pod: JsonObject = {"metadata": parent["metadata"], "spec": spec} if has_metadata else {"spec": spec}
    return Shape(pod=pod, root=path, place=place)


def _container_shapes(value: JsonObject, path: Path, accelerators: Accelerators) -> Iterator[Shape]:
    """Yield the shape of `value` if it is a container, or the resources of one, that asks for an accelerator."""
    resources = get_object(value, "resources")
    if _asks(_amounts(resources), accelerators):
        yield _container_shape(value, path, 3, accelerators)
    elif _asks(_amounts(value), accelerators):
        yield _container_shape({"resources": value}, path, 4, accelerators)
    elif _asks(resources, accelerators) or any(get_text(value, key) for key in _CLAIMS):
        # neither requests nor limits, or devices by claim: only the operator knows what its pods will ask for
        yield Shape(pod=None, root=path, place=lambda _: path)


def _amounts(resources: JsonObject) -> JsonObject:
    return {**get_object(resources, "requests"), **get_object(resources, "limits")}


def _asks(amounts: JsonObject, accelerators: Accelerators) -> bool:
    return any(
        amount not in _NO_AMOUNT and (accelerators.includes(name) or name.lower() in _OWN_WORDS)
        for name, amount in amounts.items()
    )


def _container_shape(container: JsonObject, path: Path, depth: int, accelerators: Accelerators) -> Shape:
    """A container without a pod around it, or (`depth` 4) a map of resources without a container around it."""

    def place(inner: Path) -> Path:
        return (*path, *inner[depth:]) if inner[:3] == ("spec", "containers", 0) else path

    if not any(map(accelerators.includes, _amounts(get_object(container, "resources")))):
        return Shape(pod=None, root=path, place=place)
    name = get_text(container, "name") or str(path[-1] if path else "container")
    return Shape(pod={"spec": {"containers": [{**container, "name": name}]}}, root=path, place=place)
