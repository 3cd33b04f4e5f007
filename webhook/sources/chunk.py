"""Cuts a file into its documents, the way kubectl does: at every line that starts with `---`."""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from webhook.domain.errors import InputError

_SEPARATOR = re.compile(r"^---(.*)$", re.MULTILINE)
_CONFLICT = re.compile(r"^(?:<{7}|>{7}|\|{7}|={7})(?=[ \r\n]|\Z)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Chunk:
    """The text of one document; `breaks` are the offsets of its newlines, `first_line` is 1-based."""

    file: str
    document: int
    text: str
    first_line: int
    breaks: tuple[int, ...]

    def line(self, offset: int) -> int:
        """Answer the line of the file that the character at `offset` of the text is on."""
        return self.first_line + bisect_left(self.breaks, offset)

    @property
    def body(self) -> int:
        """The offset of what follows the separator line."""
        separator = _SEPARATOR.match(self.text)
        return separator.end() if separator else 0

    def error(self, message: str, offset: int) -> InputError:
        """Make the error that names this place."""
        return InputError(message, file=self.file, document=self.document, line=self.line(offset))


def split(file: str, text: str) -> Iterator[Chunk]:
    """Yield the documents of `text`, numbered from 0; comments before the first `---` are no document."""
    starts = [match.start() for match in _SEPARATOR.finditer(text)]
    head = text[: starts[0]] if starts else text
    said = _said(head)
    if starts and said and all(line.startswith("%") for line in said):
        starts[0] = 0  # directives belong to the document that follows
    elif said:
        starts.insert(0, 0)
    line = 1 + text.count("\n", 0, starts[0]) if starts else 1
    for document, (start, end) in enumerate(pairwise([*starts, len(text)])):
        part = text[start:end]
        breaks = tuple(match.start() for match in re.finditer("\n", part))
        yield Chunk(file=file, document=document, text=part, first_line=line, breaks=breaks)
        line += len(breaks)


def refuse_what_is_no_yaml(chunk: Chunk) -> None:
    """Refuse text that a YAML parser may take for something else.

    Raises:
        InputError: a merge conflict is left in the document, or content follows its `---`.
    """
    conflict = _CONFLICT.search(chunk.text)
    if conflict:
        message = f"merge-conflict marker {conflict[0]}: resolve the conflict and remove the marker"
        raise chunk.error(message, conflict.start())
    separator = _SEPARATOR.search(chunk.text)
    after = separator[1].strip() if separator else ""
    if separator and after and not after.startswith("#"):
        message = f"{after[:40]!r} behind the separator ---: kubectl refuses this, start a new line"
        raise chunk.error(message, separator.start())


def _said(text: str) -> list[str]:
    """Answer the lines of `text` that are neither blank nor a comment."""
    return [line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")]
