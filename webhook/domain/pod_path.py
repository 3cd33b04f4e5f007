"""Where something lies in objects of a kind: field names, and `[*]` for every member of a list or map.

>>> parse(".spec.roles[*].template")
('spec', 'roles', '*', 'template')
>>> write(parse(".spec.roles[*].template"))
'.spec.roles[*].template'
"""

import re
from collections.abc import Iterator

from webhook.domain.pointer import Path
from webhook.domain.raw import as_object

EACH = "*"
"""A step that stands for every member of the list or map at that place."""

_PATH = re.compile(r"(\.[A-Za-z][A-Za-z0-9_-]*(\[\*\])?)+")
_STEP = re.compile(r"[A-Za-z0-9_-]+|\*")


def parse(text: str) -> Path:
    """Read a path; `.` alone is the object itself.

    Raises:
        ValueError: the text is no path; the message says how one is written.
    """
    if text == ".":
        return ()
    if not _PATH.fullmatch(text):
        message = f"{text[:64]!r} is no path: write field names like .spec.roles[*].template, [*] for every member"
        raise ValueError(message)
    return tuple(_STEP.findall(text))


def write(path: Path) -> str:
    """Write a path as `parse` reads it."""
    return "".join("[*]" if step == EACH else f".{step}" for step in path) or "."


def follow(value: object, path: Path) -> Iterator[tuple[Path, object]]:
    """Yield each value that lies at `path`, in the order of the object, with the place where it was found."""
    yield from _follow(value, path, ())


def at(value: object, path: Path) -> object:
    """Answer what lies at a place, or None; `path` holds no EACH."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and step < len(value) else None
        else:
            value = as_object(value).get(step)
    return value


def bind(path: Path, place: Path) -> Path:
    """Put the members that `place` went through into `path`, which takes the same way as long as it has EACH.

    >>> bind(("spec", "roles", "*", "replicas"), ("spec", "roles", 1, "template"))
    ('spec', 'roles', 1, 'replicas')
    """
    return tuple(place[index] if step == EACH else step for index, step in enumerate(path))


def _follow(value: object, steps: Path, done: Path) -> Iterator[tuple[Path, object]]:
    if not steps:
        yield done, value
        return
    step, rest = steps[0], steps[1:]
    if step != EACH:
        found = as_object(value)
        if step in found:
            yield from _follow(found[str(step)], rest, (*done, step))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from _follow(member, rest, (*done, index))
    else:
        for key, member in as_object(value).items():
            yield from _follow(member, rest, (*done, key))
