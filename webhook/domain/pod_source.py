"""Where an object keeps a pod: as a template, as a bare pod spec, or in parts that its operator puts together.

Every form is read into a `PodLocation`, whose pod looks like any other.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from webhook.domain import pod_path
from webhook.domain.loose_container import LooseContainer
from webhook.domain.pod_assembly import PodAssembly
from webhook.domain.pod_count import Factor
from webhook.domain.pod_count import count
from webhook.domain.pod_fields import POD_FIELDS
from webhook.domain.pod_location import PodLocation
from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object

_SPEC: Path = ("spec",)
_METADATA: Path = ("metadata",)

OF_THE_OBJECT: tuple[tuple[Path, Path], ...] = (
    (("metadata", "labels"), ("metadata", "labels")),
    (("metadata", "annotations"), ("metadata", "annotations")),
)
"""As `PodSource.shared`: the operator copies the labels and annotations of its object to the pods."""


@dataclass(frozen=True, slots=True)
class PodSource:
    """One place where the objects of a kind keep a pod.

    `base` leads there; `spec` and `metadata` lead on. () is the base itself, None means that there is no such part.
    `fields` are (path in the pod, path from the base) of what lies elsewhere, `shared` the same with paths from the
    root of the object. `containers` are those outside a list. `labels` are those that the operator will put on the
    pods. `count` says how many pods are made.

    `completed_by` names who adds values that are not written; "" means that the pod is complete. `lender` is where an
    object names the serving runtime that does, and the root of the pod there. With `presets` it chooses all resources
    where none are written.
    """

    base: Path
    spec: Path | None = _SPEC
    metadata: Path | None = _METADATA
    fields: tuple[tuple[Path, Path], ...] = ()
    shared: tuple[tuple[Path, Path], ...] = ()
    containers: tuple[LooseContainer, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    count: tuple[Factor, ...] = ()
    completed_by: str = ""
    lender: tuple[Path, Path] | None = None
    presets: bool = False

    @property
    def is_template(self) -> bool:
        """Whether the pod lies in one piece, as a PodTemplateSpec has it."""
        return (self.spec, self.metadata, self.fields, self.containers) == (_SPEC, _METADATA, (), ())

    def locate(self, obj: JsonObject) -> Iterator[PodLocation]:
        """Yield the pods of `obj`, in order; what is absent or no object is left out."""
        for place, value in pod_path.follow(obj, self.base):
            loose = [one for one in self.containers if isinstance(value, dict) and one.is_in(value)]
            if isinstance(value, dict) and (loose or self._has_spec(value)):
                yield self._read(obj, value, place, loose)

    def _read(self, obj: JsonObject, value: JsonObject, place: Path, loose: list[LooseContainer]) -> PodLocation:
        spec_path = (*place, *(self.spec or ()))
        made = PodAssembly(value if self.is_template else self._whole(value))
        for inside, outside in self.shared:
            made.put(inside, pod_path.at(obj, outside), outside)
        for inside, outside in self.fields:
            made.put(inside, pod_path.at(value, outside), (*place, *outside))
        made.put_containers(loose, value, place, spec_path)
        made.add_labels(dict(self.labels))
        return PodLocation(
            pod=made.pod,
            root=place if self.containers else spec_path,
            spec_path=spec_path,
            metadata_path=self._metadata_path(place),
            moved=made.moved,
            pods=count(obj, self.count, place) if self.count else None,
            completed_by=self.completed_by,
            lender=self._lender(obj, place),
            unseen=self.presets and not made.asks(),
        )

    def _metadata_path(self, place: Path) -> Path | None:
        if self.metadata is not None:
            return (*place, *self.metadata)
        return _METADATA if self.shared else None

    def _has_spec(self, value: JsonObject) -> bool:
        if self.spec is None:
            return False
        if not self.spec:  # a bare spec is one only with containers: whatever else lies there is the operator's own
            return "containers" in value
        return self.spec[-1] in as_object(pod_path.at(value, self.spec[:-1]))

    def _whole(self, value: JsonObject) -> JsonObject:
        """Answer the pod as far as it lies in one piece."""
        pod: dict[str, object] = {"spec": {} if self.spec is None else pod_path.at(value, self.spec)}
        if self.spec == ():  # a new number of replicas makes no other pods
            pod["spec"] = {name: part for name, part in value.items() if name in POD_FIELDS}
        if self.metadata is not None:
            pod["metadata"] = pod_path.at(value, self.metadata)
        return pod

    def _lender(self, obj: JsonObject, place: Path) -> tuple[str, Path] | None:
        if self.lender is None:
            return None
        name = pod_path.at(obj, pod_path.bind(self.lender[0], place))
        return (name, self.lender[1]) if isinstance(name, str) else None
