"""Writes objects as the text of a Helm template, indented as a person would write it."""

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping

from webhook.manifests.chart import expand
from webhook.manifests.chart.nodes import Block
from webhook.manifests.chart.nodes import Entries
from webhook.manifests.chart.nodes import Expression
from webhook.manifests.chart.nodes import Fork
from webhook.manifests.chart.nodes import Items
from webhook.manifests.chart.nodes import Map
from webhook.manifests.text import dump_one

_STEP = "  "


def template(documents: Entries) -> str:
    """Write objects, and forks of objects, as a stream of YAML documents."""
    return "".join(f"{line}\n" for line in _documents(expand.documents(documents)))


def _documents(entries: Entries) -> Iterator[str]:
    for entry in entries:
        if isinstance(entry, Fork):
            yield from _fork(entry, "", _documents)
        else:
            yield "---"
            yield from _map(entry, "")


def _map(value: object, indent: str) -> Iterator[str]:
    match value:
        case Map(entries):
            yield from _fields(entries, indent)
        case dict():
            yield from _plain(value, indent)


def _fork(fork: Fork, indent: str, write: Callable[[Entries], Iterator[str]]) -> Iterator[str]:
    for opening, inner in fork.branches:
        yield f"{indent}{{{{- {opening} }}}}"
        yield from write(inner)
    yield f"{indent}{{{{- end }}}}"


def _fields(entries: Entries, indent: str) -> Iterator[str]:
    for entry in entries:
        match entry:
            case Fork():
                yield from _fork(entry, indent, lambda inner: _fields(inner, indent))
            case Block():
                yield _block(entry, indent)
            case (key, value):
                yield from _field(str(key), value, indent)


def _field(key: str, value: object, indent: str) -> Iterator[str]:
    start = f"{indent}{key}:"
    match value:
        case Expression(text):
            yield f"{start} {{{{ {text} }}}}"
        case Fork(branches):
            yield f"{start} {_inline(branches)}"
        case Block(_, literal):
            yield start + " |" * literal
            yield _block(value, indent + _STEP)
        case Map(entries):
            yield start
            yield from _fields(entries, indent + _STEP)
        case Items(entries):
            yield start
            yield from _items(entries, indent)
        case _:
            yield from _plain({key: value}, indent)


def _items(entries: Entries, indent: str) -> Iterator[str]:
    for entry in entries:
        match entry:
            case Fork():
                yield from _fork(entry, indent, lambda inner: _items(inner, indent))
            case Expression(text):
                yield f"{indent}- {{{{ {text} }}}}"
            case Map() | dict():
                # The first field of an item has no condition: it is the name.
                first, *others = _map(entry, indent + _STEP)
                yield f"{indent}- {first.lstrip()}"
                yield from others
            case _:
                yield f"{indent}- {_scalar(entry)}"


def _block(block: Block, indent: str) -> str:
    return f"{indent}{{{{- {block.text} | nindent {len(indent)} }}}}"


def _inline(branches: tuple[tuple[str, Entries], ...]) -> str:
    return "".join(f"{{{{ {opening} }}}}{_scalar(inner[0])}" for opening, inner in branches) + "{{ end }}"


def _scalar(value: object) -> str:
    (line,) = _plain({_STEP: value}, "")
    return line.partition(": ")[2]


def _plain(fields: Mapping[str, object], indent: str) -> Iterator[str]:
    """Write what holds nothing of Helm's language; braces in it are only text."""
    for line in dump_one(fields).splitlines():
        yield indent + line.replace("{{", '{{ "{{" }}') if line else ""
