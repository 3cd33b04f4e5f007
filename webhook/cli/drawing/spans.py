"""Styled lines of text: what is laid out once, and then printed plain or in colour.

A span is (text, style); the text is ready to print, so foreign text comes here through `foreign`.
"""

from collections.abc import Iterable
from collections.abc import Iterator
from itertools import zip_longest
from typing import Final
from typing import TypeAlias

from rich.cells import cell_len
from rich.cells import chop_cells
from rich.cells import set_cell_size

from webhook.domain.visible import visible

Span: TypeAlias = tuple[str, str]
Line: TypeAlias = tuple[Span, ...]

PLAIN: Final = ""
TITLE: Final = "bold"
DIM: Final = "dim"
LONGEST_NAME: Final = 64
"""Longer names are cut: the API server allows 63 characters in most."""


def line(*spans: Span | str) -> Line:
    """Make a line; bare text has no style."""
    return tuple((span, PLAIN) if isinstance(span, str) else span for span in spans)


def foreign(text: str, longest: int = LONGEST_NAME) -> str:
    """Answer text from a manifest or profile as it may be printed: visible, in one line, cut to `longest` columns."""
    shown = visible(text)
    return shown if cell_len(shown) <= longest else set_cell_size(shown, longest - 1) + "…"


def width(one: Line) -> int:
    """Answer how many columns a line takes."""
    return sum(cell_len(text) for text, _ in one)


def pad(one: Line, columns: int) -> Line:
    """Fill a line with spaces up to `columns`; a longer one is cut."""
    missing = columns - width(one)
    if missing >= 0:
        return (*one, (" " * missing, PLAIN)) if missing else one
    kept: list[Span] = []
    for text, style in one:
        size = min(cell_len(text), columns)
        kept.append((set_cell_size(text, size), style))
        columns -= size
    return tuple(kept)


def wrap(text: str, columns: int, *, indent: str = "", hang: str = "", style: str = PLAIN) -> Iterator[Line]:
    """Break text at spaces into lines of at most `columns`, the first after `indent`, the others after `hang`.

    A word that is too long for a line is broken too. No line starts with "::", which CI runners take for a command.
    """
    start, row = indent, ""
    for word in text.split(" "):
        room = max(columns - cell_len(start), 1)
        if row and cell_len(row) + 1 + cell_len(word) > room:
            yield line(start, (_tamed(row), style))
            start, row = hang, ""
            room = max(columns - cell_len(start), 1)
        *full, rest = chop_cells(word, room) or [""]
        for piece in full:
            yield line(start, (_tamed(f"{row} {piece}" if row else piece), style))
            start, row = hang, ""
        row = f"{row} {rest}" if row else rest
    yield line(start, (_tamed(row), style))


def _tamed(row: str) -> str:
    return f".{row[1:]}" if row.startswith("::") else row


def beside(blocks: Iterable[list[Line]], gap: str = " ") -> Iterator[Line]:
    """Put blocks of lines next to each other; shorter ones end in blanks."""
    boxes = list(blocks)
    widths = [max(map(width, box), default=0) for box in boxes]
    for row in zip_longest(*boxes, fillvalue=()):
        spans: list[Span] = []
        for index, (one, columns) in enumerate(zip(row, widths, strict=True)):
            spans += [(gap, PLAIN)] if index else []
            spans += pad(one, columns)
        yield tuple(spans)


def plain(lines: Iterable[Line]) -> str:
    """Answer the lines without their styles."""
    return "\n".join("".join(text for text, _ in one).rstrip() for one in lines)
