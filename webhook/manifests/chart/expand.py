"""Puts the conditions of optional parts where the text has them: around whole fields and items."""

from collections.abc import Callable
from functools import partial

from webhook.manifests.chart.nodes import HERE
from webhook.manifests.chart.nodes import Block
from webhook.manifests.chart.nodes import Each
from webhook.manifests.chart.nodes import Entries
from webhook.manifests.chart.nodes import Expression
from webhook.manifests.chart.nodes import Fork
from webhook.manifests.chart.nodes import Items
from webhook.manifests.chart.nodes import Map
from webhook.manifests.chart.nodes import More
from webhook.manifests.chart.nodes import Optional

_SHORT = 40


def expanded(value: object) -> object:
    """Answer the same with nothing but maps, items, forks, expressions, blocks and plain values in it."""
    match value:
        case Map(entries):
            return Map(_fields(entries))
        case Items(entries):
            return Items(_items(entries))
        case dict() if not _is_plain(value):
            return Map(_fields(tuple(value.items())))
        case list() if not _is_plain(value):
            return Items(_items(tuple(value)))
    return value


def documents(entries: Entries) -> Entries:
    """Do the same to each document of a file."""
    return _items(entries)


def is_inline(fork: Fork) -> bool:
    """Tell whether a choice between values is short enough to stand in the line of its field."""
    values = [inner[0] for _, inner in fork.branches]
    ends = fork.branches[-1][0] == "else"
    return ends and all(
        isinstance(one, str | int) and len(str(one)) < _SHORT and "\n" not in str(one) for one in values
    )


def _fields(entries: Entries) -> Entries:
    made: list[object] = []
    for entry in entries:
        match entry:
            case Fork():
                made.append(_in_branches(entry, _fields))
            case (_, More(text)):
                made.append(Fork(((f"with {text}", (HERE,)),)))
            case (key, Optional() as optional):
                made.append(_in_branches(_fork(optional), partial(_field, key)))
            case (key, Fork() as fork) if not is_inline(fork):
                made.append(_in_branches(fork, partial(_field, key)))
            case (key, value):
                made.append((key, expanded(value)))
    return tuple(made)


def _field(key: object, values: Entries) -> Entries:
    return _fields(tuple((key, value) for value in values))


def _items(entries: Entries) -> Entries:
    made: list[object] = []
    for entry in entries:
        match entry:
            case Fork():
                made.append(_in_branches(entry, _items))
            case Optional():
                made.append(_in_branches(_fork(entry), _items))
            case Each(text, item):
                made.append(Fork(((f"range {text}", _items((item,))),)))
            case _:
                made.append(expanded(entry))
    return tuple(made)


def _in_branches(fork: Fork, change: Callable[[Entries], Entries]) -> Fork:
    return Fork(tuple((opening, change(inner)) for opening, inner in fork.branches))


def _fork(optional: Optional) -> Fork:
    there = (f"with {optional.text}", (optional.then,))
    return Fork((there,) if optional.otherwise is None else (there, ("else", (optional.otherwise,))))


def _is_plain(value: object) -> bool:
    if isinstance(value, dict):
        return all(map(_is_plain, value.values()))
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return not isinstance(value, Block | Each | Expression | Fork | Items | Map | More | Optional)
