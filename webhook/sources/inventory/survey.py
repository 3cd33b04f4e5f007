"""What an inventory answers: the node classes as documents of the world snapshot, and what to know about them."""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from datetime import datetime

from webhook.domain.raw import JsonObject


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sources differ about `field`: `kept` is used; values are short texts for people."""

    field: str
    kept_source: str
    kept: str
    other_source: str
    other: str


@dataclass(frozen=True, slots=True)
class SurveyedClass:
    """A class as its document of the snapshot, and what `numagate topology --verbose` shows beside it.

    `assumed` says of each guessed field why; `distrust` why the class may neither deny nor repair, "" where it may;
    `outlier_of` names the class that most nodes of the same labels belong to; `examples` are a few of its nodes;
    `drivers` the devices that are handed out by claims, by driver and NUMA node. `free` is that of the document, which
    leaves it out where nobody says how old it is.
    """

    document: JsonObject
    assumed: Mapping[str, str]
    conflicts: tuple[Conflict, ...]
    problems: tuple[str, ...]
    distrust: str
    outlier_of: str
    examples: tuple[str, ...]
    drivers: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    free: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nodes of which no class could be made, and why; `examples` are a few of their names."""

    reason: str
    nodes: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """All classes in the order of their names, and all nodes without one; `nodes` counts both.

    `profiles` says of each NodeProfile, full or partial, how many nodes carry the labels of its selector. After
    `holds_until` an agent may have been silent for too long; None where that changes nothing.
    """

    classes: tuple[SurveyedClass, ...]
    unknown: tuple[Unknown, ...]
    nodes: int
    profiles: Mapping[str, int] = field(default_factory=dict)
    holds_until: datetime | None = None

    @property
    def documents(self) -> tuple[JsonObject, ...]:
        """The `classes` of the world snapshot."""
        return tuple(one.document for one in self.classes)
