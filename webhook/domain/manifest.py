"""A manifest: one object of an input file, with the line of every field.

>>> spec = Positions(line=3, children={"nodeName": Positions(line=4)})
>>> Positions(line=1, children={"spec": spec}).at(("spec", "nodeName"))
4
>>> Positions(line=1, children={"spec": spec}).at(("spec", "containers", 0))
3
"""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from types import MappingProxyType

from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject


@dataclass(frozen=True, slots=True)
class Positions:
    """The 1-based line of a value, and of what it holds: by key, or by list index."""

    line: int
    children: Mapping[str | int, "Positions"] = field(default_factory=lambda: MappingProxyType({}))

    def at(self, path: Path) -> int:
        """Answer the line of the deepest value on `path` that is written."""
        here = self
        for step in path:
            below = here.children.get(step)
            if below is None:
                break
            here = below
        return here.line


@dataclass(frozen=True, slots=True)
class Manifest:
    """One object: `place` is its path inside the document (a member of a List), `document` is 0-based.

    `positions` are those of the object itself.
    """

    file: str
    document: int
    place: Path
    content: JsonObject
    positions: Positions
