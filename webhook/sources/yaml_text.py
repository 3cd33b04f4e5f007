"""Reads one YAML document into JSON values, with the line of every field.

It listens to libyaml's events instead of building PyYAML's objects: aliases are shared and counted, so that a bomb
costs nothing, and whatever would need a guess (a key given twice, a key that is no text) is an error with its line.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from webhook.domain.errors import InputError
from webhook.domain.manifest import Positions
from webhook.sources.chunk import Chunk
from webhook.sources.yaml_scalar import resolve

MAX_DEPTH = 200
"""Nesting that no Kubernetes object comes near."""
MAX_ALIASED = 100_000
"""Values that may come from aliases in one document."""

_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
_MERGE_TAG = "tag:yaml.org,2002:merge"


@dataclass(frozen=True, slots=True)
class _Node:
    """A value, its places, and how many values it holds once aliases are written out."""

    value: object
    positions: Positions
    size: int


def read_yaml(chunk: Chunk) -> tuple[object, Positions]:
    """Answer the value of the document and the lines of its fields.

    Raises:
        InputError: it is no YAML that Kubernetes would read the same way.
    """
    composer = _Composer(chunk)
    try:
        return composer.document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise _explain(chunk, error.problem or "cannot be read", mark.index if mark else 0) from error
    except yaml.reader.ReaderError as error:
        message = f"control character U+{int(error.character):04X}: remove it"
        raise _explain(chunk, message, error.position) from error


def _explain(chunk: Chunk, problem: str, offset: int) -> InputError:
    line = chunk.text[chunk.text.rfind("\n", 0, offset) + 1 :].split("\n", 1)[0]
    if "\t" in line[: len(line) - len(line.lstrip())]:
        problem = "a tab in the indentation: use spaces"
    return _error(chunk, problem, offset)


def _error(chunk: Chunk, problem: str, offset: int) -> InputError:
    hint = "; this looks like a template: render it first (helm template CHART | numagate lint -)"
    return chunk.error(problem + (hint if "{{" in chunk.text else ""), offset)


class _Composer:
    """Turns the events of one document into nodes."""

    def __init__(self, chunk: Chunk) -> None:
        self._chunk = chunk
        self._events: Iterator[yaml.Event] = yaml.parse(chunk.text, Loader=_LOADER)
        self._anchors: dict[str, _Node] = {}
        self._aliased = 0

    def document(self) -> tuple[object, Positions]:
        """Answer the only document of the chunk."""
        for event in self._events:
            if isinstance(event, yaml.NodeEvent):
                node = self._node(event, 1)
                for _ in self._events:
                    pass  # to the end: what follows may still be no YAML
                return node.value, node.positions
        return None, Positions(line=self._chunk.first_line)

    def _node(self, event: yaml.Event, depth: int) -> _Node:
        if depth > MAX_DEPTH:
            raise self._error(event, f"nested more than {MAX_DEPTH} levels deep")
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        match event:
            case yaml.MappingStartEvent():
                node = self._mapping(event, depth)
            case yaml.SequenceStartEvent():
                node = self._sequence(event, depth)
            case yaml.ScalarEvent():
                node = self._scalar(event)
            case _:  # pragma: no cover - the parser sends no other event where a value stands
                raise self._error(event, "a value was expected")
        if event.anchor:
            self._anchors[event.anchor] = node
        return node

    def _alias(self, event: yaml.AliasEvent) -> _Node:
        node = self._anchors.get(str(event.anchor))
        if node is None:
            raise self._error(event, f"alias *{event.anchor} stands before the end of its anchor, or has none")
        self._aliased += node.size
        if self._aliased > MAX_ALIASED:
            raise self._error(event, f"aliases make more than {MAX_ALIASED} values of this document: write them out")
        return node

    def _scalar(self, event: yaml.ScalarEvent) -> _Node:
        try:
            value = resolve(event.value, plain=event.implicit[0], tag=event.tag)
        except ValueError as error:
            raise self._error(event, str(error)) from error
        return _Node(value, Positions(line=self._line(event)), 1)

    def _sequence(self, start: yaml.Event, depth: int) -> _Node:
        values: list[object] = []
        children: dict[str | int, Positions] = {}
        size = 1
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            node = self._node(event, depth + 1)
            children[len(values)] = Positions(line=self._line(event), children=node.positions.children)
            values.append(node.value)
            size += node.size
        return _Node(values, Positions(line=self._line(start), children=children), size)

    def _mapping(self, start: yaml.Event, depth: int) -> _Node:
        values: dict[str, object] = {}
        children: dict[str | int, Positions] = {}
        merged: dict[str, Positions] | None = None
        size = 1
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            if _is_merge(event) and merged is None:
                node = self._node(next(self._events), depth + 1)
                merged = self._merge(event, node, values, children)
            else:
                key = self._key(event, depth)
                if key in values and key not in (merged or ()):
                    raise self._error(event, f"key {key!r} is given twice: first on line {children[key].line}")
                if merged:
                    merged.pop(key, None)
                node = self._node(next(self._events), depth + 1)
                values[key] = node.value
                children[key] = Positions(line=self._line(event), children=node.positions.children)
            size += node.size + 1
        return _Node(values, Positions(line=self._line(start), children=children), size)

    def _key(self, event: yaml.Event, depth: int) -> str:
        key = self._node(event, depth + 1).value
        if isinstance(key, str):
            return key
        shown = repr(event.value) if isinstance(event, yaml.ScalarEvent) else "a list or an object"
        raise self._error(event, f"key {shown} is no text: quote it")

    def _merge(
        self, key: yaml.Event, node: _Node, values: dict[str, object], children: dict[str | int, Positions]
    ) -> dict[str, Positions]:
        """Put the members of `<<` in and answer them; the first of several objects wins (go-yaml v2 decode.go:merge).

        A key that stands before the `<<` and in it is refused: the YAML pages keep it, go-yaml overwrites it.
        """
        merged: dict[str, Positions] = {}
        sources = node.value if isinstance(node.value, list) else [node.value]
        for index, source in enumerate(sources):
            if not isinstance(source, dict):
                raise self._error(key, "the merge key << needs an object, or a list of objects")
            places = node.positions.children[index] if isinstance(node.value, list) else node.positions
            for name in source:
                if name in values and name not in merged:
                    raise self._error(key, f"key {name!r} stands before the merge key << that also sets it")
                if name not in merged:
                    values[name] = source[name]
                    children[name] = merged[name] = places.children[name]
        return merged

    def _line(self, event: yaml.Event) -> int:
        return self._chunk.line(_offset(event))

    def _error(self, event: yaml.Event, message: str) -> InputError:
        return _error(self._chunk, message, _offset(event))


def _offset(event: yaml.Event) -> int:
    return event.start_mark.index if event.start_mark else 0


def _is_merge(event: yaml.Event) -> bool:
    return (
        isinstance(event, yaml.ScalarEvent)
        and event.value == "<<"
        and (event.tag == _MERGE_TAG or (event.tag is None and event.implicit[0]))
    )
