"""Draws a machine in HTML: a card per NUMA node, a square per CPU with siblings below each other, a bar per memory."""

from collections.abc import Iterator
from collections.abc import Sequence
from typing import Final

from webhook.cli.drawing import wording
from webhook.cli.drawing.boxes import banded
from webhook.cli.drawing.boxes import told
from webhook.cli.drawing.html_tags import Html
from webhook.cli.drawing.html_tags import join
from webhook.cli.drawing.html_tags import svg_title
from webhook.cli.drawing.html_tags import tag
from webhook.domain.drawing import Bar
from webhook.domain.drawing import CellDrawing
from webhook.domain.drawing import MachineDrawing
from webhook.domain.drawing import Mark
from webhook.domain.drawing import Part
from webhook.domain.drawing import State

COLOURS: Final = 8
"""How many colours of containers the style sheet has."""
MOST_MARKS: Final = 32
"""More devices of one resource on a NUMA node are counted."""

_SIDE, _STEP, _GROUP, _GAP = 16, 18, 8, 6
_PER_BAND: Final = 32
_BETWEEN_BANDS: Final = 8
_BAR_WIDTH, _BAR_HEIGHT = 600, 14
_LEGEND: Final = ((State.FREE, "free"), (State.RESERVED, "reserved for the system"), (State.UNHEALTHY, "unhealthy"))


def machine(drawing: MachineDrawing, owners: Sequence[str]) -> Html:
    """Draw the machine; `owners` are the containers' names, by their position."""
    sockets = [
        tag(
            "section",
            tag("h5", socket.name) if socket.name else None,
            tag("div", *[_cell(cell, owners) for cell in socket.cells], class_="cells"),
            class_="socket",
        )
        for socket in drawing.sockets
    ]
    folds = [tag("p", told(fold), class_="fold") for fold in drawing.folds]
    loose = [
        tag("div", tag("span", f"{name} on no single NUMA node "), _devices(name, marks, owners), class_="row")
        for name, marks in drawing.loose.items()
    ]
    return tag("div", tag("div", *sockets, class_="sockets"), *folds, *loose, _legend(drawing), class_="machine")


def colour(owner: int) -> str:
    """Answer the class of what a container has taken."""
    return f"own own{owner % COLOURS}"


def badge(owner: int) -> Html:
    """Show the letter and colour of a container."""
    return tag("span", wording.letter(owner), class_=f"badge {colour(owner)}")


def _legend(drawing: MachineDrawing) -> Html:
    cells = [cell for socket in drawing.sockets for cell in socket.cells]
    states = {mark.state for cell in cells for marks in cell.devices.values() for mark in marks}
    states |= {cpu.state for cell in cells for cpu in cell.cpus} | {
        part.state for c in cells for b in c.bars for part in b.parts
    }
    items = [
        join([tag("span", class_=f"badge {state.value}"), f" {text} "]) for state, text in _LEGEND if state in states
    ]
    return tag("p", "a letter: taken by that container ", *items, class_="legend")


def _cell(cell: CellDrawing, owners: Sequence[str]) -> Html:
    parts: list[Html] = [tag("h6", f"NUMA node {cell.id}")]
    if cell.cores:
        parts += [_label("CPUs", _counts(list(cell.cpus))), _cores(cell, owners)]
    for bar in cell.bars:
        taken = bar.of(State.TAKEN)
        numbers = f"{f'{wording.size(taken)} taken, ' if taken else ''}{wording.size(bar.of(State.FREE))} free"
        parts += [_label(bar.resource, numbers), _bar(bar, owners)]
    for resource, marks in cell.devices.items():
        parts += [_label(resource, _counts(marks)), _devices(resource, marks, owners)]
    return tag("div", *parts, class_="cell", data_cell=cell.id)


def _label(name: str, numbers: str) -> Html:
    return tag("div", tag("b", name), tag("span", numbers), class_="label")


def _counts(marks: Sequence[Mark]) -> str:
    order = (State.TAKEN, State.FREE, State.RESERVED, State.UNHEALTHY)
    counts = ((state, sum(mark.state is state for mark in marks)) for state in order)
    return ", ".join(f"{number} {state.value}" for state, number in counts if number)


def _cores(cell: CellDrawing, owners: Sequence[str]) -> Html:
    """Draw bands of cores; where the machine has hardware threads, those of a core stand below each other."""
    threads = max(map(len, cell.cores))
    height = threads * _STEP + _BETWEEN_BANDS
    columns = banded(len(cell.cores), _PER_BAND)
    bands = -(-len(cell.cores) // columns)
    shapes = [
        _square(cpu, _left(index % columns), index // columns * height + thread * _STEP, owners)
        for index, core in enumerate(cell.cores)
        for thread, cpu in enumerate(core)
    ]
    right, bottom = _left(columns - 1) + _SIDE, bands * height - _BETWEEN_BANDS
    view = f"0 0 {right} {bottom}"
    return tag("svg", *shapes, class_="cpus", viewBox=view, width=right, height=bottom, role="img")


def _left(column: int) -> int:
    return column * _STEP + column // _GROUP * _GAP


def _square(cpu: Mark, left: int, top: int, owners: Sequence[str]) -> Html:
    name = f"CPU {cpu.id}"
    rect = tag("rect", x=left, y=top, width=_SIDE, height=_SIDE, rx=3, class_=_class(cpu), data_cpu=cpu.id)
    if cpu.owner is None:
        return svg_title(f"{name}: {cpu.state.value}", rect)
    sign = tag("text", wording.letter(cpu.owner), x=left + _SIDE // 2, y=top + 12)
    return svg_title(f"{name}: {owners[cpu.owner]}", rect, sign)


def _class(mark: Mark | Part) -> str:
    return mark.state.value if mark.owner is None else colour(mark.owner)


def _bar(bar: Bar, owners: Sequence[str]) -> Html:
    shapes, done = [], 0
    for part in bar.parts:
        left, right = done * _BAR_WIDTH // bar.size, (done + part.size) * _BAR_WIDTH // bar.size
        who = part.state.value if part.owner is None else owners[part.owner]
        rect = tag("rect", x=left, y=0, width=max(2, right - left), height=_BAR_HEIGHT, class_=_class(part))
        shapes.append(svg_title(f"{wording.size(part.size)} {bar.resource}: {who}", rect))
        done += part.size
    view = f"0 0 {_BAR_WIDTH} {_BAR_HEIGHT}"
    return tag("svg", *shapes, class_="bar", viewBox=view, preserveAspectRatio="none", role="img")


def _devices(resource: str, marks: Sequence[Mark], owners: Sequence[str]) -> Html:
    return tag("div", *_chips(resource, marks, owners), class_="devices")


def _chips(resource: str, marks: Sequence[Mark], owners: Sequence[str]) -> Iterator[Html]:
    for mark in marks[:MOST_MARKS]:
        who = mark.state.value if mark.owner is None else owners[mark.owner]
        sign = "" if mark.owner is None else wording.letter(mark.owner)
        title = f"{resource} {mark.id}: {who}"
        yield tag("span", sign, class_=f"device {_class(mark)}", title=title, data_device=mark.id)
    if len(marks) > MOST_MARKS:
        rest = marks[MOST_MARKS:]
        yield tag("span", f"+{len(rest)} more: {_counts(rest)}", class_="more")
