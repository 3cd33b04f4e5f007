"""What a template holds beside plain values: expressions of Helm's language, and parts that may be missing.

`Expression`, `Block`, `Optional`, `Each` and `More` are put into objects where a value of the chart goes; `Map`,
`Items` and `Fork` are what `merge` makes of objects that differ between choices. `write` turns all of them into text.
"""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Expression:
    """One value, computed; `text` answers YAML on one line."""

    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """A map or a list, or (`literal`) a long text, computed; `text` answers lines that are not indented yet."""

    text: str
    literal: bool = False


HERE = Block("toYaml .")
"""Inside `Optional`: the value itself."""


@dataclass(frozen=True, slots=True)
class Optional:
    """A field or an item that is `then` where `text` is set, else `otherwise`, else (None) not there."""

    text: str
    then: object = HERE
    otherwise: object = None


@dataclass(frozen=True, slots=True)
class Each:
    """One item for each that `text` answers."""

    text: str
    item: object


@dataclass(frozen=True, slots=True)
class More:
    """Further fields, where `text` is set; a field with this value stands for them, and its key is not written."""

    text: str


@dataclass(frozen=True, slots=True)
class Fork:
    """Entries of a map or a list that depend on something; each branch has its opening, such as `if .Values.a`.

    As the value of a field, each branch holds one value.
    """

    branches: tuple[tuple[str, "Entries"], ...]


@dataclass(frozen=True, slots=True)
class Map:
    """A map of which some entries are no plain ones: pairs of key and value, and forks."""

    entries: "Entries"


@dataclass(frozen=True, slots=True)
class Items:
    """A list of which some items are no plain ones."""

    entries: "Entries"


Entries: TypeAlias = tuple[object, ...]
"""Pairs of key and value (in a map) or values (in a list), and forks among them."""
