"""What a machine can spare for the system: which CPUs, and how much memory of each NUMA node."""

from collections.abc import Mapping
from itertools import zip_longest
from typing import Final

from webhook.domain.kubelet import bitmask
from webhook.domain.topology import Cell

LEAST_CORES: Final = 2
"""Kubelet, container runtime and agents on a single core miss their heartbeats under load."""

_MIB: Final = 1 << 20
_MOST: Final = 16 << 30
_PART: Final = 16


def system_cpus(cells: tuple[Cell, ...], number: int | None = None) -> int:
    """Answer whole cores with at least `number` CPUs (default: a core of each NUMA node), as a bit set.

    They are taken in turns, the first core of each NUMA node, then the second: interrupts and boot prefer CPU 0, and no
    NUMA node has less left than another. At least two cores, unless there are no more.
    """
    columns = [[bitmask.of(core.threads) for core in cell.cores] for cell in cells if cell.cores]
    order = [core for row in zip_longest(*columns, fillvalue=0) for core in row if core]
    cores = max(len(columns) if number is None else 0, LEAST_CORES)
    found = 0
    for taken, core in enumerate(order):
        if taken >= cores and found.bit_count() >= (number or 0):
            break
        found |= core
    return found


def system_memory(cells: tuple[Cell, ...], total: int | None = None) -> Mapping[int, int]:
    """Share `total` bytes (default: a sixteenth of each NUMA node, at most 16Gi) over NUMA nodes with CPUs and memory.

    Equal parts in whole Mi; what does not divide goes to the first.
    """
    able = [cell for cell in cells if cell.cores and cell.memory] or [cell for cell in cells if cell.memory]
    if total is None:
        part = min(*(cell.memory // _PART for cell in able), _MOST) // _MIB * _MIB
        return {cell.id: part for cell in able}
    part = total // len(able) // _MIB * _MIB
    return {cell.id: part + (total - part * len(able) if cell is able[0] else 0) for cell in able}
