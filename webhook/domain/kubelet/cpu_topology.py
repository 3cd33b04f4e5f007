"""The CPUs of a machine by core, socket, L3 cache and NUMA node (CPU/topology/topology.go)."""

from collections.abc import Callable
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from webhook.domain.kubelet import bitmask
from webhook.domain.topology import Cell
from webhook.domain.topology import Core

Parts: TypeAlias = Mapping[int, int]
"""CPU sets by the id of a core, a socket, a cache or a NUMA node."""


@dataclass(frozen=True, slots=True)
class CpuTopology:
    """What the CPU manager discovers (Discover); a NUMA node without CPUs does not exist for it.

    A core's id is its lowest thread. The `cpus_per_…` are whole averages, as the kubelet computes them.
    """

    cpus: int
    cores: Parts
    cells: Parts
    sockets: Parts
    uncores: Parts
    cores_in_cell: Mapping[int, Parts]
    cores_in_socket: Mapping[int, Parts]
    cpus_per_core: int
    cpus_per_socket: int
    cpus_per_uncore: int

    @property
    def numa_first(self) -> bool:
        """Whether NUMA nodes hold sockets, rather than sockets NUMA nodes (cpu_assignment.go:newCPUAccumulator)."""
        return len(self.sockets) >= len(self.cells)

    def cells_of(self, cpus: int) -> tuple[int, ...]:
        """Answer the ids of the NUMA nodes that hold any of the `cpus`."""
        return tuple(cell for cell, bits in self.cells.items() if bits & cpus)

    def siblings(self, cpus: int) -> int:
        """Answer all CPUs of every core that holds any of the `cpus`."""
        found = 0
        for bits in self.cores.values():
            if bits & cpus:
                found |= bits
        return found


def discover(cells: tuple[Cell, ...]) -> CpuTopology:
    """Mirror CPU/topology/topology.go:Discover; without a split L3 a core's cache is its socket's."""
    placed = [(cell.id, core) for cell in cells for core in cell.cores]
    sockets = _parts(placed, lambda _, core: core.socket)
    by_cell = _parts(placed, lambda cell, _: cell)
    uncores = _parts(placed, lambda _, core: core.socket if core.uncore is None else core.uncore)
    cores = _parts(placed, lambda _, core: min(core.threads))
    cpus = 0
    for bits in cores.values():
        cpus |= bits
    count = cpus.bit_count()
    return CpuTopology(
        cpus=cpus,
        cores=cores,
        cells=by_cell,
        sockets=sockets,
        uncores=uncores,
        cores_in_cell=_within(cores, by_cell),
        cores_in_socket=_within(cores, sockets),
        cpus_per_core=count // len(placed) if placed else 0,
        cpus_per_socket=count // len(sockets) if sockets else 0,
        cpus_per_uncore=count // len(uncores) if uncores else 0,
    )


def _parts(placed: list[tuple[int, Core]], key: Callable[[int, Core], int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for cell, core in placed:
        identifier = key(cell, core)
        found[identifier] = found.get(identifier, 0) | bitmask.of(core.threads)
    return dict(sorted(found.items()))


def _within(cores: Parts, wholes: Parts) -> dict[int, Parts]:
    return {
        whole: {core: bits for core, bits in cores.items() if bits & whole_bits} for whole, whole_bits in wholes.items()
    }
