"""Draws a machine in lines of text: a box per NUMA node, a column per core, a letter per container."""

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final

from webhook.cli.drawing import spans
from webhook.cli.drawing.spans import Line
from webhook.cli.drawing.spans import Span
from webhook.cli.drawing.wording import letter
from webhook.cli.drawing.wording import size
from webhook.domain import cpuset
from webhook.domain.drawing import Bar
from webhook.domain.drawing import CellDrawing
from webhook.domain.drawing import Fold
from webhook.domain.drawing import MachineDrawing
from webhook.domain.drawing import Mark
from webhook.domain.drawing import Part
from webhook.domain.drawing import State

LEGEND: Final = "a letter: taken by that container   · free   ▒ reserved   ! unhealthy"
COLOURS: Final = ("green", "cyan", "magenta", "yellow", "blue", "red", "bright_green", "bright_cyan")
GROUP: Final = 8
"""Cores in a row are set off by eights."""
MOST_COLUMNS: Final = 4
MOST_MARKS: Final = 24
"""More devices of one resource on a NUMA node are counted."""

_SIGNS: Final = {State.FREE: "·", State.RESERVED: "▒", State.UNHEALTHY: "!"}
_STYLES: Final = {State.FREE: spans.DIM, State.RESERVED: "bright_black", State.UNHEALTHY: "red"}
_NARROWEST: Final = 22
_USUAL: Final = 44

_FRAME: Final = 4


def boxes(drawing: MachineDrawing, columns: int) -> Iterator[Line]:
    """Yield the drawing in lines of at most `columns`."""
    cells = [(socket.name, cell) for socket in drawing.sockets for cell in socket.cells]
    if cells:
        number, inner = _arrangement([cell for _, cell in cells], columns)
        for start in range(0, len(cells), number):
            row = [list(_box(name, cell, inner)) for name, cell in cells[start : start + number]]
            tallest = max(map(len, row))
            yield from spans.beside([[*box[:-1], *[_row((), inner)] * (tallest - len(box)), box[-1]] for box in row])
    for fold in drawing.folds:
        yield from spans.wrap(told(fold), columns)
    for resource, marks in drawing.loose.items():
        yield from _named(f"{spans.foreign(resource)} on no single NUMA node:", _devices(marks), columns)


def told(fold: Fold) -> str:
    """Say in words what the NUMA nodes of a fold have.

    NUMA nodes without CPUs usually hold the memory of a GPU.
    """
    cell = fold.sample
    has = [f"{len(tuple(cell.cpus)) or 'no'} CPUs"]
    has += [f"{size(bar.size) if bar.size else 'no'} {bar.resource}" for bar in cell.bars]
    has += [f"{len(marks)} {spans.foreign(name)}" for name, marks in cell.devices.items()]
    ids = cpuset.format(sum(1 << one for one in fold.cells))
    nodes = f"NUMA nodes {ids}" if len(fold.cells) > 1 else f"NUMA node {ids}"
    return f"{nodes}, nothing placed: {'each ' if len(fold.cells) > 1 else ''}{', '.join(has)}"


def banded(cores: int, most: int) -> int:
    """Answer how many cores stand in a row so that the rows are even: at most `most`, whole groups if several.

    >>> banded(20, 32), banded(56, 39), banded(72, 32), banded(9, 5)
    (20, 32, 24, 5)
    """
    rows = -(-cores // most)
    return cores if rows == 1 else min(most, -(-cores // rows // GROUP) * GROUP)


def style(owner: int) -> str:
    """Answer the style of what a container has taken."""
    return f"black on {COLOURS[owner % len(COLOURS)]}"


def _arrangement(cells: Sequence[CellDrawing], columns: int) -> tuple[int, int]:
    """Answer how many boxes stand in a row, and the columns inside each."""
    full = max(_grouped(len(cell.cores)) for cell in cells)
    wanted = max(_NARROWEST, min(full, _grouped(4 * GROUP)))
    for number in range(min(MOST_COLUMNS, len(cells)), 1, -1):
        inner = (columns + 1) // number - 1 - _FRAME
        if inner >= wanted:
            return number, min(inner, max(full, _USUAL))
    return 1, max(1, min(columns - _FRAME, max(full, _USUAL)))


def _grouped(cores: int) -> int:
    return cores + max(0, cores - 1) // GROUP


def _box(socket: str, cell: CellDrawing, inner: int) -> Iterator[Line]:
    title = f" NUMA node {cell.id}{f', {socket}' if socket else ''} "
    yield spans.line(
        "┌─", spans.pad(((title, spans.TITLE),), min(len(title), inner))[0], f"{'─' * (inner - len(title))}─┐"
    )
    for one in _content(cell, inner):
        yield _row(one, inner)
    yield spans.line(f"└{'─' * (inner + 2)}┘")


def _row(one: Line, inner: int) -> Line:
    return (("│ ", spans.PLAIN), *spans.pad(one, inner), (" │", spans.PLAIN))


def _content(cell: CellDrawing, inner: int) -> Iterator[Line]:
    if cell.cores:
        yield from spans.wrap(f"CPUs {_counts(cell)}", inner)
        yield from _cores(cell, inner)
    for bar in cell.bars:
        free, taken = bar.of(State.FREE), bar.of(State.TAKEN)
        text = f"{bar.resource} {f'{size(taken)} taken, ' if taken else ''}{size(free)} free"
        yield from spans.wrap(text, inner)
        yield _bar(bar, inner)
    for resource, marks in cell.devices.items():
        yield from _named(spans.foreign(resource, inner), _devices(marks), inner)


def _named(name: str, marks: Sequence[Span], columns: int) -> Iterator[Line]:
    """Yield marks behind their name, or below it where there is no room."""
    together = spans.line(f"{name} ", *marks)
    if spans.width(together) <= columns:
        yield together
        return
    yield from spans.wrap(name, columns)
    yield spans.pad(tuple(marks), min(columns, spans.width(tuple(marks))))


def _counts(cell: CellDrawing) -> str:
    counts = {state: sum(cpu.state is state for cpu in cell.cpus) for state in State}
    return ", ".join(f"{number} {state.value}" for state, number in _order(counts) if number)


def _order(counts: Mapping[State, int]) -> Iterator[tuple[State, int]]:
    return ((state, counts[state]) for state in (State.TAKEN, State.FREE, State.RESERVED, State.UNHEALTHY))


def _cores(cell: CellDrawing, inner: int) -> Iterator[Line]:
    """Yield a row of marks per hardware thread, siblings below each other, in as few and even bands as fit."""
    per_band = banded(len(cell.cores), next(number for number in range(inner, 0, -1) if _grouped(number) <= inner))
    for start in range(0, len(cell.cores), per_band):
        band = cell.cores[start : start + per_band]
        for thread in range(max(map(len, band))):
            yield tuple(_separated([_mark(core[thread]) if thread < len(core) else (" ", "") for core in band]))


def _separated(marks: Sequence[Span]) -> Iterator[Span]:
    for index, mark in enumerate(marks):
        if index and index % GROUP == 0:
            yield " ", spans.PLAIN
        yield mark


def _mark(mark: Mark | Part) -> Span:
    if mark.owner is not None:
        return letter(mark.owner), style(mark.owner)
    return _SIGNS[mark.state], _STYLES[mark.state]


def _bar(bar: Bar, inner: int) -> Line:
    """Divide the columns among the parts; as long as there are few, whatever is there shows at least once."""
    least = 1 if len(bar.parts) <= inner // 4 else 0
    made: list[Span] = []
    done, shown = 0, 0
    for number, part in enumerate(bar.parts, start=1):
        done += part.size
        left = least * (len(bar.parts) - number)
        end = min(inner - left, max(shown + least, round(done * inner / bar.size)))
        sign, how = _mark(part)
        made.append((sign * (end - shown), how))
        shown = end
    return tuple(made)


def _devices(marks: Sequence[Mark]) -> list[Span]:
    if len(marks) <= MOST_MARKS:
        return [_mark(mark) for mark in marks]
    counts: dict[Span, int] = {}
    for mark in map(_mark, marks):
        counts[mark] = counts.get(mark, 0) + 1
    return [(f"{sign}x{number} ", how) for (sign, how), number in counts.items()]
