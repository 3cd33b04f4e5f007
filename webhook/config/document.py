"""Reads a YAML stream into plain values that still know their lines.

Stricter than YAML: a key written twice, a tag, a merge key and an anchor bomb are errors, because a policy must not
mean something else than what a reader sees. Map keys are text, as in JSON. A null counts as not written. What is
written for a program of Kubernetes can be read as that program does (see `go_yaml`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from typing import Protocol

import yaml

from webhook.config import go_yaml
from webhook.config.words import printable
from webhook.config.words import shorten
from webhook.domain.errors import PolicyError
from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_text

MAX_BYTES = 3 * 1024 * 1024
"""More than fits into a ConfigMap; a larger text is not a policy."""

_MAX_NODES = 100_000
_MAX_DEPTH = 64
_LONGEST_STEP = 80
_LOADER: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_SCALARS = yaml.constructor.SafeConstructor()
_TAG = "tag:yaml.org,2002:"


class Lines(Protocol):
    """The 1-based line of every place in a document; a dict will do."""

    def __contains__(self, path: object, /) -> bool:
        """Tell whether there is such a place."""

    def get(self, path: Path, default: int, /) -> int:
        """Answer its line."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a stream: its content, and where each place in it is; `repeated` are keys written twice."""

    data: JsonObject
    lines: Lines
    source: str
    repeated: tuple[Path, ...] = ()

    @property
    def kind(self) -> str:
        """The document's kind, or ""."""
        return get_text(self.data, "kind")

    def error(self, path: Path, message: str) -> PolicyError:
        """Make the error about the value at `path`; its line is that of the nearest place that is written."""
        return PolicyError(message, source=self.source, line=self.line(path), field=field_text(path))

    def line(self, path: Path) -> int:
        """Answer the line of `path`, or of its nearest parent."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 0)


def read_stream(text: str, source: str, *, as_go: bool = False) -> tuple[Document, ...]:
    """Read every document of a YAML (or JSON) stream; empty ones are left out.

    `as_go` is for what a program of Kubernetes reads: plain scalars mean what they mean there, and of a key that is
    written twice the last one counts.

    Raises:
        PolicyError: the text is no YAML, or says something that JSON could not.
    """
    return tuple(_read(text, source, as_go=as_go))


def from_object(data: JsonObject, source: str) -> Document:
    """Make a document of an object that comes from the API, and so has no lines.

    Raises:
        PolicyError: it is nested too deep.
    """
    return Document(data=data, lines=dict.fromkeys(_places(data, (), source), 0), source=source)


def _places(value: object, path: Path, source: str) -> Iterator[Path]:
    if len(path) > _MAX_DEPTH:
        message = "nested too deep: numagate's documents need few levels"
        raise PolicyError(message, source=source, field=field_text(path[:8]))
    yield path
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, member in members:
        yield from _places(member, (*path, step), source)


def _read(text: str, source: str, *, as_go: bool) -> Iterator[Document]:
    if len(text) > MAX_BYTES:
        message = f"{len(text)} characters are too many for a policy: write at most {MAX_BYTES}"
        raise PolicyError(message, source=source)
    try:
        for root in yaml.compose_all(text, Loader=go_yaml.GoLoader if as_go else _LOADER):
            walk = _GoWalk(source, is_json=text.lstrip().startswith("{")) if as_go else _Walk(source)
            data = walk.value(root, ())
            if data is None:
                continue
            if not isinstance(data, dict):
                message = f"a document must be a map with apiVersion and kind, not {_noun(data)}"
                raise PolicyError(message, source=source, line=_line(root))
            yield Document(data=data, lines=walk.lines, source=source, repeated=tuple(walk.repeated))
    except yaml.YAMLError as error:
        raise _syntax_error(error, source) from None
    except RecursionError:  # only without libyaml, which has a limit of its own
        message = "nested too deep: a policy needs few levels"
        raise PolicyError(message, source=source) from None


def field_text(path: Path) -> str:
    """Write a path as messages do: fields behind dots, list positions and keys with other signs in brackets.

    >>> field_text(("spec", "devices", "nvidia.com/gpu", 0, "id"))
    'spec.devices[nvidia.com/gpu][0].id'
    """
    text = ""
    for step in path:
        if isinstance(step, str) and step.isidentifier():
            text += f".{step}" if text else step
        else:
            text += f"[{printable(str(step)[:_LONGEST_STEP])}]"
    return text


class _Walk:
    """Turns composed nodes into plain values and notes where each was."""

    def __init__(self, source: str) -> None:
        self.lines: dict[Path, int] = {}
        self.repeated: list[Path] = []
        self._source = source
        self._nodes = 0

    def value(self, node: Any, path: Path) -> object:
        """Answer the plain value of `node`."""
        self._nodes += 1
        if self._nodes > _MAX_NODES or len(path) > _MAX_DEPTH:
            raise self._error(node, path[:8], "too large or too deep: aliases may repeat each other without end")
        self.lines.setdefault(path, _line(node))
        if node.tag == _TAG + "map":
            return self._map(node, path)
        if node.tag == _TAG + "seq":
            return [self.value(item, (*path, index)) for index, item in enumerate(node.value)]
        return self._scalar(node, path)

    def _map(self, node: Any, path: Path) -> dict[str, object]:
        members: dict[str, tuple[Any, Any]] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self._error(key_node, path, "a key must be plain text")
            if key_node.tag == _TAG + "merge":
                raise self._error(key_node, path, "merge keys (<<) are not read: write the fields out")
            key = self._key(key_node, path)
            if key in members:
                self._repeat(key_node, (*path, key), members[key][0])
            members[key] = key_node, value_node
        result: dict[str, object] = {}
        for key, (key_node, value_node) in members.items():
            here = (*path, key)
            self.lines[here] = _line(key_node)
            result[key] = self.value(value_node, here)
        return result

    def _key(self, node: Any, path: Path) -> str:  # noqa: ARG002 - another dialect names the place of a bad key
        return str(node.value)

    def _repeat(self, node: Any, path: Path, first: Any) -> None:
        """Refuse a key that is written twice."""
        raise self._error(node, path, f"written twice (first in line {_line(first)}): keep one")

    def _scalar(self, node: Any, path: Path) -> object:
        kind = str(node.tag).removeprefix(_TAG)
        if kind in {"str", "timestamp", "value"}:
            return str(node.value)
        if kind not in {"null", "bool", "int", "float"}:
            tag = printable(str(node.tag))
            raise self._error(node, path, f"the tag {tag} is not read: write plain text, a number or a boolean")
        try:
            return self._construct(kind, node)
        except ValueError:
            raise self._error(node, path, f"{shorten(node.value)} cannot be read as a number: quote it") from None

    def _construct(self, kind: str, node: Any) -> object:
        match kind:
            case "bool":
                return bool(_SCALARS.construct_yaml_bool(node))
            case "int":
                return int(_SCALARS.construct_yaml_int(node))
            case "float":
                return float(_SCALARS.construct_yaml_float(node))
        return None

    def _error(self, node: Any, path: Path, message: str) -> PolicyError:
        return PolicyError(message, source=self._source, line=_line(node), field=field_text(path))


class _GoWalk(_Walk):
    """The same as Kubernetes' own programs read it; `is_json` is a text that they read as JSON."""

    def __init__(self, source: str, *, is_json: bool) -> None:
        super().__init__(source)
        self._is_json = is_json

    def _key(self, node: Any, path: Path) -> str:
        key = go_yaml.key(str(node.tag).removeprefix(_TAG), str(node.value))
        if key is None:
            raise self._error(node, path, "null is no key: quote it, or write another")
        return key

    def _repeat(self, node: Any, path: Path, first: Any) -> None:  # noqa: ARG002 - the other dialect names the places
        self.repeated.append(path)

    def _construct(self, kind: str, node: Any) -> object:
        return go_yaml.construct(kind, str(node.value), is_json=self._is_json)


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _noun(value: object) -> str:
    return shorten(value)


def _syntax_error(error: yaml.YAMLError, source: str) -> PolicyError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
    line = int(mark.line) + 1 if mark is not None else 0
    return PolicyError(f"not valid YAML: {problem}", source=source, line=line)
