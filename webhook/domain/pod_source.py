"""Where an object keeps a pod: as a template, as a bare pod spec, or in parts that its operator puts together.

Every form is read into a `PodLocation`, whose pod looks like any other.
"""

from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import replace

from webhook.domain import pod_path
from webhook.domain.loose_container import LooseContainer
from webhook.domain.pod_count import Factor
from webhook.domain.pod_count import count
from webhook.domain.pod_location import PodLocation
from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.rewrite import set_value

_SPEC: Path = ("spec",)
_METADATA: Path = ("metadata",)
_CONTAINERS: Path = ("spec", "containers")
_LABELS: Path = ("metadata", "labels")


@dataclass(frozen=True, slots=True)
class PodSource:
    """One place where the objects of a kind keep a pod.

    `base` leads there; the other paths start from it. () is the base itself, None means that there is no such part.
    `fields` are (path in the pod, path from the base) of what lies elsewhere, `containers` those outside a list.
    `labels` are those that the operator will put on the pods, `inherits` that it copies those of the object and its
    annotations. `count` says how many pods are made.

    `completed_by` names who adds values that are not written; "" means that the pod is complete. `lender` is where an
    object names the serving runtime that does, and the root of the pod there. With `presets` it chooses all resources
    where none are written.
    """

    base: Path
    spec: Path | None = _SPEC
    metadata: Path | None = _METADATA
    fields: tuple[tuple[Path, Path], ...] = ()
    containers: tuple[LooseContainer, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    inherits: bool = False
    count: tuple[Factor, ...] = ()
    completed_by: str = ""
    lender: tuple[Path, Path] | None = None
    presets: bool = False

    def locate(self, obj: JsonObject) -> Iterator[PodLocation]:
        """Yield the pods of `obj`, in order; what is absent or no object is left out."""
        for place, value in pod_path.follow(obj, self.base):
            found = self._read(value, place, obj) if isinstance(value, dict) else None
            if found is not None:
                pods = count(obj, self.count, place) if self.count else None
                yield replace(found, pods=pods, lender=self._lender(obj, place))

    def _read(self, value: JsonObject, place: Path, obj: JsonObject) -> PodLocation | None:
        loose = [one for one in self.containers if one.is_in(value)]
        if not loose and not self._has_spec(value):
            return None
        moved: dict[Path, Path] = {}
        pod = self._with_fields(self._whole(value, obj), value, moved)
        pod = self._with_labels(self._with_containers(pod, value, loose, moved))
        return PodLocation(
            pod=pod,
            root=(*place, *(() if self.containers else self.spec or ())),
            spec_path=(*place, *(self.spec or ())),
            metadata_path=_METADATA if self.inherits else None if self.metadata is None else (*place, *self.metadata),
            moved={inside: (*place, *outside) for inside, outside in moved.items()},
            completed_by=self.completed_by,
            unseen=self.presets and not _asks(pod),
        )

    def _lender(self, obj: JsonObject, place: Path) -> tuple[str, Path] | None:
        if self.lender is None:
            return None
        name = pod_path.at(obj, pod_path.bind(self.lender[0], place))
        return (name, self.lender[1]) if isinstance(name, str) else None

    def _has_spec(self, value: JsonObject) -> bool:
        if self.spec is None:
            return False
        if not self.spec:  # a bare spec is one only with containers: whatever else lies there is the operator's own
            return "containers" in value
        return self.spec[-1] in as_object(pod_path.at(value, self.spec[:-1]))

    def _whole(self, value: JsonObject, obj: JsonObject) -> JsonObject:
        """Answer the pod as far as it lies in one piece: a template is one already."""
        if (self.spec, self.metadata) == (_SPEC, _METADATA):
            return value
        pod: dict[str, object] = {"spec": {} if self.spec is None else pod_path.at(value, self.spec)}
        if self.inherits:
            pod["metadata"] = obj.get("metadata")
        elif self.metadata is not None:
            pod["metadata"] = pod_path.at(value, self.metadata)
        return pod

    def _with_fields(self, pod: JsonObject, value: JsonObject, moved: dict[Path, Path]) -> JsonObject:
        for inside, outside in self.fields:
            found = pod_path.at(value, outside)
            if found is None:
                continue
            if inside[0] == "metadata" and isinstance(found, dict):  # a map of many sources
                moved.update({(*inside, key): (*outside, key) for key in found})
                found = {**as_object(pod_path.at(pod, inside)), **found}
            else:
                moved[inside] = outside
            pod = as_object(set_value(pod, inside, found))
        return pod

    def _with_labels(self, pod: JsonObject) -> JsonObject:
        if not self.labels:
            return pod
        written = get_object(pod, "metadata", "labels")
        return as_object(set_value(pod, _LABELS, {**dict(self.labels), **written}))

    def _with_containers(
        self, pod: JsonObject, value: JsonObject, loose: Iterable[LooseContainer], moved: dict[Path, Path]
    ) -> JsonObject:
        """Put loose containers before those of the list; one that the list has too is another spelling of it."""
        listed = get_object(pod, "spec").get("containers")
        if listed is not None and not isinstance(listed, list):
            return pod
        names = {as_object(one).get("name") for one in listed or ()}
        found: list[object] = []
        for one in loose:
            container, places = one.read(value)
            if container["name"] not in names:
                moved.update(((*_CONTAINERS, len(found), *inside), outside) for inside, outside in places.items())
                found.append(container)
        if not found:
            return pod
        for index in range(len(listed or ())):
            moved[(*_CONTAINERS, len(found) + index)] = (*(self.spec or ()), "containers", index)
        return as_object(set_value(pod, _CONTAINERS, [*found, *(listed or ())]))


def _asks(pod: JsonObject) -> bool:
    """Tell whether the pod names any resource."""
    spec = get_object(pod, "spec")
    containers = [*get_list(spec, "initContainers"), *get_list(spec, "containers")]
    blocks = [get_object(one, "resources") for one in (*containers, spec)]
    sides = ("requests", "limits", "claims")
    return bool(get_list(spec, "resourceClaims")) or any(block.get(side) for block in blocks for side in sides)
