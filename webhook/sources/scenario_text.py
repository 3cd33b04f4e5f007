"""Cuts a text into scenarios: lines of JSON, JSON documents over several lines, or YAML documents."""

import re
from collections.abc import Iterable
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from webhook.domain.errors import InputError
from webhook.domain.manifest import Positions
from webhook.domain.pointer import Path
from webhook.sources.chunk import Chunk
from webhook.sources.chunk import refuse_what_is_no_yaml
from webhook.sources.chunk import split
from webhook.sources.json_text import read_json
from webhook.sources.json_text import read_line
from webhook.sources.yaml_text import read_yaml

_JSON_START = re.compile(r"^\{", re.MULTILINE)
_SEPARATOR = re.compile(r"^---", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Place:
    """A value of a file, of any type, and where each part of it is."""

    file: str
    value: object
    positions: Positions

    def error(self, path: Path, message: str) -> InputError:
        """Make the error about the part at `path`, which the message names."""
        return InputError(message, file=self.file, line=self.positions.at(path))

    def __contains__(self, path: object) -> bool:
        """Tell whether there is a part at `path`."""
        here: object = self.value
        for step in path if isinstance(path, tuple) else ():
            match here, step:
                case dict(), str() if step in here:
                    here = here[step]
                case list(), int() if step < len(here):
                    here = here[step]
                case _:
                    return False
        return True

    def get(self, path: Path, default: int) -> int:
        """Answer the line of the part at `path`."""
        return self.positions.at(path) if path in self else default


def read_places(text: str, file: str) -> Iterator[Place | InputError]:
    """Yield the documents of a text, and an error for each that is no JSON or YAML.

    If a line starts with a brace and none with `---` the text is JSON, and each such line starts a document: so a line
    that is broken hides no other.
    """
    is_json = _JSON_START.search(text) is not None and _SEPARATOR.search(text) is None
    for chunk in _cut(file, text) if is_json else split(file, text):
        try:
            for value, positions in _json(chunk) if is_json else _yaml(chunk):
                yield Place(file, value, positions)
        except InputError as error:
            yield InputError(error.reason, file=file, line=error.line)


def _cut(file: str, text: str) -> Iterator[Chunk]:
    starts = sorted({0, *(match.start() for match in _JSON_START.finditer(text))})
    line = 1
    for document, (start, end) in enumerate(pairwise([*starts, len(text)])):
        part = text[start:end].rstrip()  # what is cut off is told where it ends, not on the next scenario's line
        breaks = tuple(match.start() for match in re.finditer("\n", part))
        yield Chunk(file=file, document=document, text=part, first_line=line, breaks=breaks)
        line += text.count("\n", start, end)


def _json(chunk: Chunk) -> Iterable[tuple[object, Positions]]:
    line = read_line(chunk)
    return read_json(chunk) if line is None else (line,)


def _yaml(chunk: Chunk) -> Iterator[tuple[object, Positions]]:
    refuse_what_is_no_yaml(chunk)
    value, positions = read_yaml(chunk)
    if value is not None:
        yield value, positions
