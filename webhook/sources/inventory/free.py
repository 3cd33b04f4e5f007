"""What a class has free right now: the roomiest NUMA nodes, and none that another of them outdoes in everything."""

from collections.abc import Iterable
from collections.abc import Mapping
from typing import Final
from typing import TypeAlias

from webhook.domain.quantity import Quantity
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY
from webhook.sources.evidence import AlignmentFacts
from webhook.sources.evidence import ReportFacts

MOST: Final = 16
"""More free cells than this are not kept apart."""

_Cell: TypeAlias = tuple[int, ...]
_NATIVE = 2
"""A cell is (CPUs, memory, devices...)."""


def free_of(reports: Iterable[AlignmentFacts | ReportFacts]) -> Mapping[str, object] | None:
    """Answer `{"seen", "cells"}` of the world snapshot over the reports of nodes that take pods; None if none tells.

    Where there are more than `MOST` such cells, those with the same devices are joined: each of its numbers is then
    free somewhere, though perhaps not together, so that a warning is left out rather than wrong.
    """
    seen = ""
    by_resources: dict[tuple[str, ...], set[_Cell]] = {}
    for report in reports:
        if report.free:
            seen = max(seen, report.seen)
            by_resources.setdefault(report.resources, set()).update(report.free)
    if not by_resources:
        return None
    names = tuple(sorted({name for resources in by_resources for name in resources}))
    cells = {cell for resources, found in by_resources.items() for cell in _aligned(found, resources, names)}
    best = _best(cells)
    if len(best) > MOST:
        best = _best(_joined(best))[:MOST]
    return {"seen": seen, "cells": [_document(cell, names) for cell in best]}


def _aligned(cells: set[_Cell], resources: tuple[str, ...], names: tuple[str, ...]) -> Iterable[_Cell]:
    """Put the devices of the cells in the order of `names`."""
    if resources == names:
        return cells
    places = [resources.index(name) + _NATIVE if name in resources else -1 for name in names]
    return [(*cell[:_NATIVE], *(cell[place] if place >= 0 else 0 for place in places)) for cell in cells]


def _best(cells: Iterable[_Cell]) -> list[_Cell]:
    """Leave out cells that another one equals or outdoes in every number; most devices first."""
    most: dict[tuple[_Cell, int], int] = {}
    for cpus, memory, *devices in cells:
        key = (tuple(devices), cpus)
        most[key] = max(memory, most.get(key, memory))
    best: list[_Cell] = []
    for (devices_, cpus), memory in sorted(most.items(), reverse=True):
        cell = (cpus, memory, *devices_)
        if not any(all(a >= b for a, b in zip(other, cell, strict=True)) for other in best):
            best.append(cell)
    return best


def _joined(cells: Iterable[_Cell]) -> Iterable[_Cell]:
    most: dict[_Cell, _Cell] = {}
    for cell in cells:
        devices = cell[_NATIVE:]
        known = most.get(devices, cell)
        most[devices] = tuple(map(max, known, cell))
    return most.values()


def _document(cell: _Cell, names: tuple[str, ...]) -> dict[str, str]:
    cpus, memory, *devices = cell
    found = {CPU: str(cpus)}
    if memory >= 0:
        found[MEMORY] = str(Quantity.of_bytes(memory))
    return found | {name: str(count) for name, count in zip(names, devices, strict=True)}
