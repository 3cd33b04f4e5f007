"""A workload kind: where its pod templates live."""

from collections.abc import Iterator
from dataclasses import dataclass

from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object

EACH = "*"
"""In a template path: every member of the list or map at that place."""


@dataclass(frozen=True, slots=True)
class PodLocation:
    """A pod template inside an object: `pod` looks like a Pod (metadata, spec), wherever its parts lie.

    `metadata_path` is None where the form has no metadata of its own (a bare PodSpec).
    """

    pod: JsonObject
    spec_path: Path
    metadata_path: Path | None

    def place(self, path: Path) -> Path:
        """Turn a path inside `pod` into the path inside the whole object."""
        root = self.metadata_path if path and path[0] == "metadata" else self.spec_path
        return (*(root if root is not None else self.spec_path), *path[1:])


@dataclass(frozen=True, slots=True)
class Workload:
    """One kind that carries pods. `templates` are paths of PodTemplateSpecs; () is the object itself.

    `name` is unique in the registry; `resource` is the plural that webhook rules name.
    """

    name: str
    group: str
    versions: tuple[str, ...]
    kind: str
    resource: str
    templates: tuple[Path, ...]

    def locate(self, obj: JsonObject) -> Iterator[PodLocation]:
        """Yield the pod templates of `obj`, in order; a template that is absent or no object is left out."""
        for template in self.templates:
            for path, value in _follow(obj, template, ()):
                if "spec" in value:
                    yield PodLocation(pod=value, spec_path=(*path, "spec"), metadata_path=(*path, "metadata"))


def _follow(value: object, steps: Path, done: Path) -> Iterator[tuple[Path, JsonObject]]:
    if not steps:
        if isinstance(value, dict):
            yield done, value
        return
    step, rest = steps[0], steps[1:]
    if step != EACH:
        yield from _follow(as_object(value).get(str(step)), rest, (*done, step))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _follow(member, rest, (*done, index))
    else:
        for key, member in as_object(value).items():
            yield from _follow(member, rest, (*done, key))
