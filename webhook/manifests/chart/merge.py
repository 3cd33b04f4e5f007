"""Makes one tree of objects that were rendered for every combination of choices: what is equal is said once."""

import json
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import TypeAlias

from webhook.manifests.chart.choice import CHOICES
from webhook.manifests.chart.choice import Some
from webhook.manifests.chart.choice import chain
from webhook.manifests.chart.nodes import Entries
from webhook.manifests.chart.nodes import Expression
from webhook.manifests.chart.nodes import Fork
from webhook.manifests.chart.nodes import Items
from webhook.manifests.chart.nodes import Map

Variants: TypeAlias = Sequence[tuple[Some, Any]]
"""Values, each with the combinations of choices for which it was rendered."""
_Pairs: TypeAlias = list[tuple[object, Any]]


class ApartError(Exception):
    """Variants cannot be told apart by any chain of conditions: a choice is missing, or renders too much at once."""


def documents(variants: Variants) -> Entries:
    """Merge lists of objects, which are told apart by kind and name.

    Raises:
        ApartError: they cannot be told apart.
    """
    return _values_only(_entries([(some, [(_object_name(one), one) for one in objects]) for some, objects in variants]))


def grouped(variants: Iterable[tuple[Some, Any]], alike: Callable[[Any], str]) -> list[tuple[Some, Any]]:
    """Put variants for which `alike` answers the same together, with the first of their values."""
    groups: dict[str, tuple[Some, Any]] = {}
    for some, value in variants:
        before, first = groups.get(key := alike(value), (frozenset(), value))
        groups[key] = (before | some, first)
    return list(groups.values())


def text(value: object) -> str:
    """Answer the same text for equal values, and for no others."""
    return json.dumps(value, default=repr)


def _merged(variants: Variants) -> object:
    """Answer one value for all `variants`: plain where they are equal, else with forks."""
    different = grouped(variants, text)
    if len(different) == 1:
        return different[0][1]
    told = _told_by(different)
    if told is not None:
        return told
    if len(grouped(different, _shape)) > 1:
        # An empty list must be written as one: a field with nothing below it would be null.
        return _choice(different, _shape)
    match different[0][1]:
        case dict():
            return Map(_entries([(some, list(value.items())) for some, value in different]))
        case list():
            items = _items([(some, _named(value)) for some, value in different])
            return _choice(different, text) if items is None else Items(items)
    return _choice(different, text)


def _items(variants: Sequence[tuple[Some, _Pairs]]) -> Entries | None:
    """Merge the items of lists one by one; None where their order differs, or a name stands twice."""
    names = [[name for name, _ in pairs] for _, pairs in variants]
    if any(len(set(some)) < len(some) for some in names) or _order(names) is None:
        return None
    return _values_only(_entries(variants))


def _entries(variants: Sequence[tuple[Some, _Pairs]]) -> Entries:
    """Merge pairs by their first part; neighbours that come and go together share a fork."""
    names = [[name for name, _ in pairs] for _, pairs in variants]
    # The order of a map says nothing.
    order = _order(names) or list(dict.fromkeys(name for some in names for name in some))
    groups: list[tuple[Some, list[object]]] = []
    for name in order:
        present = [(some, value) for some, pairs in variants for one, value in pairs if one == name]
        there = _union(some for some, _ in present)
        if not groups or groups[-1][0] != there:
            groups.append((there, []))
        groups[-1][1].append((name, _merged(present)))
    return _forked(groups, _union(some for some, _ in variants))


def _forked(groups: Sequence[tuple[Some, list[object]]], everywhere: Some) -> Entries:
    """Put conditions around groups; disjoint neighbours become branches of one fork."""
    made: list[object] = []
    waiting: list[tuple[Some, list[object]]] = []
    for there, entries in (*groups, (everywhere, [])):
        if waiting and any(there & other for other, _ in waiting):
            made.append(_fork(waiting, everywhere))
            waiting = []
        if there == everywhere:
            made += entries
        else:
            waiting.append((there, entries))
    return tuple(made)


def _choice(variants: Variants, alike: Callable[[Any], str]) -> Fork:
    """Make one branch of all variants for which `alike` answers the same."""
    groups = [
        (whole, [_merged([(some, value) for some, value in variants if some <= whole])])
        for whole, _ in grouped(variants, alike)
    ]
    return _fork(groups, _union(some for some, _ in variants))


def _fork(groups: Sequence[tuple[Some, list[object]]], everywhere: Some) -> Fork:
    entries = dict(groups)
    openings = chain(entries, everywhere)
    if openings is None:
        raise ApartError(str([one for group in entries.values() for one in group])[:200])
    return Fork(tuple((opening, tuple(entries[some])) for opening, some in openings))


def _told_by(variants: Variants) -> Expression | None:
    """Answer the choice whose options are the variants themselves."""
    for index, choice in enumerate(CHOICES):
        if all(value == combination[index] for some, value in variants for combination in some):
            return Expression(choice.value)
    return None


def _shape(value: object) -> str:
    return type(value).__name__ + " without anything" * (value in ([], {}))


def _values_only(entries: Entries) -> Entries:
    """Leave the names out that items of a list were merged by."""
    made: list[object] = []
    for entry in entries:
        match entry:
            case Fork(branches):
                made.append(Fork(tuple((opening, _values_only(inner)) for opening, inner in branches)))
            case (_, value):
                made.append(value)
    return tuple(made)


def _order(sequences: Sequence[Sequence[object]]) -> list[object] | None:
    """Answer one order that keeps those of all `sequences`, None where they contradict each other."""
    order: list[object] = []
    for sequence in sequences:
        place = 0
        for name in sequence:
            if name not in order:
                order.insert(place, name)
            elif order.index(name) < place:
                return None
            place = order.index(name) + 1
    return order


def _named(items: Iterable[object]) -> _Pairs:
    """Pair the items of a list with what tells them apart: their name, else all they say."""
    return [(one["name"] if isinstance(one, dict) and "name" in one else text(one), one) for one in items]


def _object_name(manifest: Mapping[str, Any]) -> str:
    return f"{manifest['kind']} {manifest['metadata']['name']}"


def _union(sets: Iterable[Some]) -> Some:
    return frozenset[Any]().union(*sets)
