"""Names classes so that a person knows them again, today and tomorrow."""

import re
from collections.abc import Iterable
from collections.abc import Sequence
from typing import NamedTuple

from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_text_map
from webhook.sources import node_tables
from webhook.sources.evidence import Pairs
from webhook.sources.inventory.shape import shape_of
from webhook.sources.specs import cell_memory

_STRANGE = re.compile(r"[^a-z0-9.-]+")
_LONGEST = 100
_VENDOR = re.compile(r"^(?:nvidia|amd)[-_]", re.IGNORECASE)


class Nameless(NamedTuple):
    """A class without a name: `stem` is what it would be called if it were the only one; `weight` its nodes.

    One that is `declared` has the name of its profile.
    """

    stem: str
    identity: Pairs
    shape: str
    memory: int
    weight: int
    declared: bool = False


def stem_of(identity: Pairs, title: str) -> str:
    """Make a name of a profile's name, or of instance type or product, and pool."""
    if title:
        return slug(title)
    labels = dict(identity)
    kind = node_tables.first_of(labels, node_tables.INSTANCE_TYPES)
    product = _VENDOR.sub("", node_tables.first_of(labels, node_tables.PRODUCTS))
    pool = node_tables.first_of(labels, node_tables.POOLS)
    count = labels.get("nvidia.com/gpu.count", "")
    first = kind or (f"{product}-x{count}" if product and count else product)
    parts = [slug(part) for part in (first, pool) if part]
    return slug("-".join(dict.fromkeys(parts))) or "node"


def slug(text: str) -> str:
    """Make a text fit for the name of a Kubernetes object."""
    return _STRANGE.sub("-", text.lower())[:_LONGEST].strip(".-")


def name_all(classes: Sequence[Nameless], before: Iterable[JsonObject], reserved: Iterable[str] = ()) -> list[str]:
    """Name each class: as it was named before, else by its stem, numbered where that is taken; most nodes first.

    `reserved` names are those of classes without nodes, which want them back; only a profile's class may take one.
    """
    known: dict[tuple[Pairs, str], list[tuple[int, str]]] = {}
    for document in before:
        name = get_text(document, "name")
        spec = get_object(document, "spec")
        labels = tuple(sorted(get_text_map(get_object(spec, "selector"), "matchLabels").items()))
        size = sum(map(cell_memory, get_list(spec, "numa")))
        known.setdefault((node_tables.identity(labels), shape_of(spec)), []).append((size, name))
    names: dict[int, str] = {}
    order = sorted(range(len(classes)), key=lambda index: _rank(classes[index]))
    for index in order:
        one = classes[index]
        alike = known.get((one.identity, one.shape), [])
        candidates = [candidate for candidate in alike if _is_numbered(candidate[1], one.stem)]
        if candidates:
            nearest = min((abs(size - one.memory), size, name) for size, name in candidates)[1:]
            alike.remove(nearest)
            names[index] = nearest[1]
    taken = set(names.values())
    kept = set(reserved)
    for index in order:
        if index not in names:
            one = classes[index]
            names[index] = _free_name(one.stem, taken if one.declared else taken | kept)
            taken.add(names[index])
    return [names[index] for index in range(len(classes))]


def _rank(one: Nameless) -> tuple[object, ...]:
    return (one.stem, -one.weight, one.identity, one.shape, one.memory)


def _free_name(stem: str, taken: set[str]) -> str:
    number = 1
    while (name := stem if number == 1 else f"{stem}-{number}") in taken:
        number += 1
    return name


def _is_numbered(name: str, stem: str) -> bool:
    """Tell whether `_free_name` could have made the name of this stem."""
    return name == stem or (name.startswith(f"{stem}-") and name.removeprefix(f"{stem}-").isdigit())
