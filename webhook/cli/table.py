"""Shows tables: by rich in a terminal, as plain aligned lines where the output goes elsewhere."""

import io
import sys
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from webhook.domain.visible import visible

_WIDE = 10_000


def show(columns: Sequence[str], rows: Iterable[Sequence[str]], *, narrow: Collection[str]) -> None:
    """Print a table; what comes from a document is made visible.

    Where a terminal is too small the columns wrap, those of `narrow` last.
    """
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column in narrow)
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    if sys.stdout.isatty():
        Console(highlight=False).print(table)
        return
    plain = io.StringIO()
    Console(file=plain, width=_WIDE, no_color=True).print(table)
    sys.stdout.writelines(f"{line.rstrip()}\n" for line in plain.getvalue().splitlines())
