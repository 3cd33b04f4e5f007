"""A pod inside an object: what it looks like, and where each part of it is written."""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from types import MappingProxyType

from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject


@dataclass(frozen=True, slots=True)
class PodLocation:
    """A pod template inside an object: `pod` looks like a Pod (metadata, spec), wherever its parts lie.

    `root` is the part of the object that is told of, mostly the pod spec. `metadata_path` is None where the form has no
    metadata of its own (a bare PodSpec). `moved` maps parts of the pod to the places of those that lie elsewhere.
    `pods` is how many such pods the object makes, None where it does not say.

    `completed_by` names who may still add values; "" means that what is written is all. `lender` is the name of the
    runtime that does, and the root of its pod. `unseen` means that nothing is asked for here: the operator will choose.
    """

    pod: JsonObject
    root: Path
    spec_path: Path
    metadata_path: Path | None
    moved: Mapping[Path, Path] = field(default_factory=lambda: MappingProxyType({}))
    pods: int | None = None
    completed_by: str = ""
    lender: tuple[str, Path] | None = None
    unseen: bool = False

    def place(self, path: Path) -> Path:
        """Turn a path inside `pod` into the path inside the whole object."""
        for length in range(len(path), 0, -1) if self.moved else ():
            elsewhere = self.moved.get(path[:length])
            if elsewhere is not None:
                return (*elsewhere, *path[length:])
        root = self.metadata_path if path and path[0] == "metadata" else self.spec_path
        return (*(root if root is not None else self.spec_path), *path[1:])
