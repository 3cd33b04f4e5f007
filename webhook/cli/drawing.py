"""Draws where the containers of a pod land on the NUMA nodes of a machine."""

from rich.columns import Columns
from rich.console import RenderableType
from rich.panel import Panel
from rich.text import Text

from webhook.domain import cpuset
from webhook.domain.fit import ClassFit
from webhook.domain.kubelet.admit import Placement
from webhook.domain.quantity import Quantity
from webhook.domain.topology import Cell

_PER_ROW = 32
_COLOURS = ("green", "cyan", "magenta", "yellow", "blue")
_RESERVED = "bright_black"


def draw(fit: ClassFit) -> RenderableType:
    """Draw each NUMA node of `fit.node_class` with the CPUs, memory and devices that the pod's containers take.

    NUMA nodes without CPUs are left out unless something lies there.
    One square is one logical CPU: filled and coloured where a container has it to itself, shaded where the kubelet
    keeps it for the system, hollow where it is free.
    """
    shown = [cell for cell in fit.node_class.cells if cell.cpus or cell.id in fit.cells]
    return Columns([_panel(fit, cell) for cell in shown], equal=True)


def _panel(fit: ClassFit, cell: Cell) -> Panel:
    body = Text(no_wrap=True)
    for number, cpu in enumerate(cpuset.ids(cell.cpus)):
        if number and number % _PER_ROW == 0:
            body.append("\n")
        body.append(*_square(fit, cpu))
    for line in _lines(fit, cell):
        body.append("\n")
        body.append(line)
    return Panel(body, title=f"NUMA node {cell.id}", subtitle=f"{cell.cpus.bit_count()} CPUs", expand=False)


def _square(fit: ClassFit, cpu: int) -> tuple[str, str]:
    for index, placement in enumerate(fit.admission.placements):
        if (placement.cpus | _shared(placement)) >> cpu & 1:
            return "■", _COLOURS[index % len(_COLOURS)]
    if fit.node_class.reserved_cpus >> cpu & 1:
        return "▒", _RESERVED
    return "□", "default"


def _lines(fit: ClassFit, cell: Cell) -> list[str]:
    lines = []
    for placement in fit.admission.placements:
        taken = _taken(fit, placement, cell)
        if taken:
            lines.append(f"{placement.container}: {', '.join(taken)}")
    return lines or ["free"]


def _taken(fit: ClassFit, placement: Placement, cell: Cell) -> list[str]:
    taken = []
    cpus = (placement.cpus | _shared(placement)) & cell.cpus
    if cpus:
        taken.append(f"CPUs {cpuset.format(cpus)}")
    blocks = (*placement.memory, *(placement.pool.memory if placement.pool is not None else ()))
    taken += [f"{block.type} {Quantity.of_bytes(block.size)}" for block in blocks if cell.id in block.cells]
    for resource, ids in placement.devices.items():
        homes = {device.id: device.numa or () for device in fit.node_class.devices[resource]}
        here = [identifier for identifier in ids if cell.id in homes[identifier]]
        if here:
            taken.append(f"{resource} {', '.join(here)}")
    return taken


def _shared(placement: Placement) -> int:
    """The CPUs that it shares with other containers of its pod."""
    return placement.pool.cpus if placement.pool is not None else 0
