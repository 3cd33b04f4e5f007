"""Prints styled lines: in colour in a terminal, plain anywhere else, in ASCII where that is all there is."""

import shutil
from collections.abc import Iterable
from typing import Final
from typing import TextIO

from webhook.cli.drawing import spans
from webhook.cli.drawing.spans import Line

_PIPED_COLUMNS: Final = 100

_ASCII: Final = str.maketrans("┌┐└┘─│·▒…", "++++-|.%~")


def width() -> int:
    """Answer how many columns a page may have: the terminal's, or a fixed number where there is none."""
    return shutil.get_terminal_size(fallback=(_PIPED_COLUMNS, 0)).columns


def write(lines: Iterable[Line], stream: TextIO) -> None:
    """Write the lines to `stream`."""
    if stream.isatty():
        _write_rich(lines, stream)
        return
    text = spans.plain(lines) + "\n"
    stream.write(text if _takes_boxes(stream.encoding) else text.translate(_ASCII))


def _write_rich(lines: Iterable[Line], stream: TextIO) -> None:
    from rich.console import Console  # noqa: PLC0415 - only a terminal pays for it
    from rich.text import Text  # noqa: PLC0415

    boxes = _takes_boxes(stream.encoding)
    console = Console(file=stream, highlight=False, markup=False, emoji=False)
    for one in lines:
        text = Text(no_wrap=True, overflow="ignore")
        for part, style in one:
            text.append(part if boxes else part.translate(_ASCII), style or None)
        console.print(text, soft_wrap=True)


def _takes_boxes(encoding: str | None) -> bool:
    try:
        "┌▒·".encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
