"""Puts a pod together from parts that lie in several places, and remembers where each came from."""

from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field

from webhook.domain import pod_path
from webhook.domain.loose_container import LooseContainer
from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.rewrite import set_value

_CONTAINERS: Path = ("spec", "containers")
_LABELS: Path = ("metadata", "labels")


@dataclass(slots=True)
class PodAssembly:
    """A pod in the making: `moved` maps its parts to their places in the object."""

    pod: JsonObject
    moved: dict[Path, Path] = field(default_factory=dict)

    def put(self, inside: Path, found: object, place: Path) -> None:
        """Put in what was found at `place`, if anything; maps of the metadata are added to what is there."""
        if found is None:
            return
        if inside[0] == "metadata" and isinstance(found, dict):
            self.moved.update({(*inside, key): (*place, key) for key in found})
            found = {**as_object(pod_path.at(self.pod, inside)), **found}
        else:
            self.moved[inside] = place
        self.pod = as_object(set_value(self.pod, inside, found))

    def add_labels(self, labels: Mapping[str, str]) -> None:
        """Add labels under those that are written."""
        if labels:
            written = get_object(self.pod, *map(str, _LABELS))
            self.pod = as_object(set_value(self.pod, _LABELS, {**labels, **written}))

    def put_containers(self, loose: Iterable[LooseContainer], value: JsonObject, place: Path, spec_path: Path) -> None:
        """Put loose containers of `value` before those of the list; one that the list has too is the same."""
        listed = get_object(self.pod, "spec").get("containers")
        if listed is not None and not isinstance(listed, list):
            return
        names = [as_object(one).get("name") for one in listed or ()]  # what is no text may not be hashable
        found: list[object] = []
        for one in loose:
            container, places = one.read(value)
            if container["name"] not in names:
                here = (*_CONTAINERS, len(found))
                self.moved.update(((*here, *inside), (*place, *outside)) for inside, outside in places.items())
                found.append(container)
        if found:
            for index in range(len(listed or ())):
                self.moved[(*_CONTAINERS, len(found) + index)] = (*spec_path, "containers", index)
            self.pod = as_object(set_value(self.pod, _CONTAINERS, [*found, *(listed or ())]))

    def asks(self) -> bool:
        """Tell whether the pod names any resource."""
        spec = get_object(self.pod, "spec")
        containers = [*get_list(spec, "initContainers"), *get_list(spec, "containers")]
        blocks = [get_object(one, "resources") for one in (*containers, spec)]
        sides = ("requests", "limits", "claims")
        return bool(get_list(spec, "resourceClaims")) or any(block.get(side) for block in blocks for side in sides)
