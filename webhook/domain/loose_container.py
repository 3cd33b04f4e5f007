"""A container that an object writes outside any list of containers, or only by its fields."""

from collections.abc import Iterator
from dataclasses import dataclass

from webhook.domain import pod_path
from webhook.domain.own_words import OwnWords
from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_text

_RESOURCES = "resources"


@dataclass(frozen=True, slots=True)
class LooseContainer:
    """Where the container lies, by paths from the place that the pod is read from.

    It lies at `at`, or else only its fields do: `resources` and `image`, which win over those at `at`. `name` is its
    name where it writes none. `words` translates what lies at `resources`. It is there if `at` is, or `always`; and
    only if what lies at `where` is not false.
    """

    name: str
    at: Path | None = None
    resources: Path | None = None
    image: Path | None = None
    words: OwnWords | None = None
    where: Path = ()
    always: bool = False

    def is_in(self, value: JsonObject) -> bool:
        """Tell whether the object at `value` has this container."""
        place = () if self.always or self.at is None else self.at
        there = (pod_path.at(value, path) for path in (place, self.where))
        return all(one is not None and one is not False for one in there)

    def read(self, value: JsonObject) -> tuple[JsonObject, dict[Path, Path]]:
        """Answer the container, and where its parts lie: paths inside it to paths inside `value`."""
        written = as_object(pod_path.at(value, self.at)) if self.at else {}
        container: dict[str, object] = {**written, "name": get_text(written, "name") or self.name}
        places: dict[Path, Path] = {(): self.at or ()}
        image = pod_path.at(value, self.image) if self.image else None
        if image is not None:
            container["image"] = image
        if self.resources is not None and (_RESOURCES not in written or pod_path.at(value, self.resources) is not None):
            places.update(self._read_resources(value, self.resources, container))
        return container, places

    def _read_resources(
        self, value: JsonObject, path: Path, container: dict[str, object]
    ) -> Iterator[tuple[Path, Path]]:
        block = pod_path.at(value, path)
        yield (_RESOURCES,), path
        if self.words is not None and (block is None or isinstance(block, dict)):
            block, inside = self.words.translate(as_object(block))
            yield from (((_RESOURCES, *ours), (*path, *theirs)) for ours, theirs in inside.items())
        if block is not None:
            container[_RESOURCES] = block
