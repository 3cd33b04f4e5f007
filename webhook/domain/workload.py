"""A workload kind: where its objects keep their pods."""

from collections.abc import Iterator
from dataclasses import dataclass
from dataclasses import replace

from webhook.domain import pod_path
from webhook.domain.loose_container import LooseContainer
from webhook.domain.pod_count import Factor
from webhook.domain.pod_location import PodLocation
from webhook.domain.pod_source import PodSource
from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject


@dataclass(frozen=True, slots=True)
class Workload:
    """One kind that carries pods.

    `name` is unique in the registry; `resource` is the plural that webhook rules name. `required` means that the API
    server refuses an object without a template; otherwise its operator may find the pods elsewhere: for a known reason
    if something lies at `elsewhere`. Only a few kinds are not `namespaced`; None
    means that this is not known.
    """

    name: str
    group: str
    versions: tuple[str, ...]
    kind: str
    resource: str
    pods: tuple[PodSource, ...]
    required: bool = False
    elsewhere: Path | None = None
    namespaced: bool | None = True

    def locate(self, obj: JsonObject) -> Iterator[PodLocation]:
        """Yield the pods of `obj`, in order; a part that is absent or no object is left out."""
        for source in self.pods:
            yield from source.locate(obj)

    def is_elsewhere(self, obj: JsonObject) -> bool:
        """Tell whether `obj` names another object that its pods come from."""
        return self.elsewhere is not None and pod_path.at(obj, self.elsewhere) is not None


def template(
    path: str, count: tuple[Factor, ...] = (), *, completed_by: str = "", labels: tuple[tuple[str, str], ...] = ()
) -> PodSource:
    """Read a PodTemplateSpec (metadata and spec) at `path`."""
    return PodSource(base=pod_path.parse(path), count=count, completed_by=completed_by, labels=labels)


def pod_spec(
    path: str, count: tuple[Factor, ...] = (), *, completed_by: str = "", labels: tuple[tuple[str, str], ...] = ()
) -> PodSource:
    """Read a PodSpec at `path`, with no metadata of the pod beside it."""
    return replace(template(path, count, completed_by=completed_by, labels=labels), spec=(), metadata=None)


def fields_only(
    path: str,
    *containers: LooseContainer,
    count: tuple[Factor, ...] = (),
    completed_by: str,
    labels: tuple[tuple[str, str], ...] = (),
) -> PodSource:
    """Read a pod of which only some fields are written, at `path`; where they name no resource, none can be seen."""
    return PodSource(
        base=pod_path.parse(path),
        spec=None,
        metadata=None,
        containers=containers,
        labels=labels,
        count=count,
        completed_by=completed_by,
        presets=True,
    )
