"""Changes JSON documents by their structure, so that most of what is tried gets past the parser.

Words of the seeds land in wrong places, and values with a history in right ones.
"""

import copy
import json
from collections.abc import Callable
from collections.abc import Iterable
from random import Random
from typing import Any

from differential.quantities import HOSTILE

STRANGE: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63) - 1, 2**70, 10**400, 0.5, -0.0, 1e308, 1e-320, "", " ", "\x00",
    "\n", "\x1b[31m", "\u2028", "\u202e", "\ufeff", "\U0001f600", "a" * 300, "\u00e9" * 300, "<script>", "{{x}}",
    "::error::x", "~", "/", "~1", "a/b~c", "-", "9" * 4301, "null", "true", [], {}, [[]], [{}], {"": ""}, [None],
    {"a": None}, *(text for text in HOSTILE if len(text) < 100),
)  # fmt: skip
"""Values that were a bug somewhere."""

_MOST_PLACES = 4000
_MOST_REPEATS = 24

_Place = tuple[Any, Any]
"""A container and the key or index of one of its members."""


class Mutator:
    """Changes documents with the words of some seeds."""

    def __init__(self, seeds: Iterable[bytes]) -> None:
        """Learn the keys and values of the seeds that are JSON."""
        keys: dict[str, None] = {}
        values: dict[str, Any] = {}
        for document in filter(None, map(_read, seeds)):
            for parent, step in _places(document):
                keys.update({step: None} if isinstance(step, str) else {})
                value = parent[step]
                if len(text := json.dumps(value)) < 400:  # words, not whole objects
                    values[text] = value
        self._keys = (*keys, "", "a/b~c", "a\nb", "\u00e9")
        self._values = (*values.values(), *STRANGE)

    def mutate(self, data: bytes, random: Random) -> bytes | None:
        """Answer a changed document; None where `data` is no JSON object or array."""
        document = _read(data)
        if document is None:
            return None
        for _ in range(random.choice((1, 1, 1, 2, 4))):
            places = _places(document)
            if not places:
                return None
            self._change(document, *random.choice(places), random)
        return json.dumps(document, ensure_ascii=random.random() < 0.5).encode("utf-8", "surrogatepass")

    def _change(self, document: Any, parent: Any, step: Any, random: Random) -> None:
        changes: tuple[Callable[[], None], ...] = (
            lambda: self._replace(parent, step, random),
            lambda: self._replace(parent, step, random),
            lambda: _drop(parent, step),
            lambda: self._add(parent, random),
            lambda: self._rename(parent, step, random),
            lambda: _move(document, parent, step, random),
            lambda: _repeat(parent, step, random),
            lambda: _spoil(parent, step, random),
        )
        random.choice(changes)()

    def _replace(self, parent: Any, step: Any, random: Random) -> None:
        parent[step] = copy.deepcopy(random.choice(self._values))

    def _add(self, parent: Any, random: Random) -> None:
        value = copy.deepcopy(random.choice(self._values))
        if isinstance(parent, dict):
            parent[random.choice(self._keys)] = value
        else:
            parent.insert(random.randrange(len(parent) + 1), value)

    def _rename(self, parent: Any, step: Any, random: Random) -> None:
        if isinstance(parent, dict):
            parent[random.choice(self._keys)] = parent.pop(step)


def _read(data: bytes) -> Any:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict | list) else None


def _places(document: Any) -> list[_Place]:
    """List every member of a document, with what holds it."""
    found: list[_Place] = []
    left = [document]
    while left and len(found) < _MOST_PLACES:
        parent = left.pop()
        for step in list(parent) if isinstance(parent, dict) else range(len(parent)):
            found.append((parent, step))
            if isinstance(parent[step], dict | list):
                left.append(parent[step])
    return found


def _drop(parent: Any, step: Any) -> None:
    del parent[step]


def _move(document: Any, parent: Any, step: Any, random: Random) -> None:
    """Put a copy of another part of the document here."""
    other, there = random.choice(_places(document))
    parent[step] = copy.deepcopy(other[there])


def _repeat(parent: Any, step: Any, random: Random) -> None:
    times = random.randrange(2, _MOST_REPEATS)
    if isinstance(parent, list):
        parent[step:step] = [copy.deepcopy(parent[step]) for _ in range(times)]
    else:
        parent.update({f"{step}{number}": copy.deepcopy(parent[step]) for number in range(times)})


def _spoil(parent: Any, step: Any, random: Random) -> None:
    """Change a text or a number a little."""
    value = parent[step]
    if isinstance(value, str):
        at = random.randrange(len(value) + 1)
        piece = random.choice([one for one in STRANGE if isinstance(one, str)])
        parent[step] = value[:at] + piece + value[at + random.randrange(2) :]
    elif isinstance(value, int | float):
        parent[step] = random.choice((-value, value + 1, str(value), [value]))
    else:
        parent[step] = random.choice(([value], {"": value}, json.dumps(value)))
