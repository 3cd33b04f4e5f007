"""Gathers CPUs part by part: whole NUMA nodes and sockets, L3 caches, cores, threads (CPU/cpu_assignment.go)."""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from itertools import chain
from itertools import islice

from webhook.domain.kubelet import bitmask
from webhook.domain.kubelet.cpu_topology import CpuTopology
from webhook.domain.kubelet.cpu_topology import Parts


class Accumulator:
    """Takes CPUs from `free` until `needed` is down to zero (CPU/cpu_assignment.go:cpuAccumulator).

    The kubelet's own slips are kept: where cores or sockets differ in size, a part counts as free by the average size.
    """

    __slots__ = ("free", "needed", "result", "spread", "topology")

    def __init__(self, topology: CpuTopology, free: int, needed: int, *, spread: bool) -> None:
        """Start with nothing taken; `spread` is the sorting strategy of distribute-cpus-across-cores."""
        self.topology = topology
        self.free = free & topology.cpus
        self.needed = needed
        self.result = 0
        self.spread = spread

    @property
    def satisfied(self) -> bool:
        """Whether nothing more is needed (isSatisfied)."""
        return self.needed < 1

    def take(self, cpus: int) -> None:
        """Claim `cpus` (take)."""
        self.result |= cpus
        self.free &= ~cpus
        self.needed -= cpus.bit_count()

    def take_full_levels(self) -> None:
        """Take whole NUMA nodes and sockets, the larger kind first (takeFullFirstLevel, takeFullSecondLevel)."""
        levels = (self._take_full_cells, self._take_full_sockets)
        for level in levels if self.topology.numa_first else reversed(levels):
            if not self.satisfied:
                level()

    def take_uncore_caches(self) -> None:
        """Take whole L3 caches, then part of one that holds the whole rest (takeUncoreCache)."""
        for uncore in self._sorted_uncores():
            if self.needed >= self.topology.cpus_per_uncore:
                self._take_full_uncores()
            if not self.satisfied:
                self._take_partial_uncore(uncore)
            if self.satisfied:
                return

    def take_full_cores(self) -> None:
        """Take cores of which every thread is free (takeFullCores)."""
        cores, size = self.topology.cores, self.topology.cpus_per_core
        for core in self._sorted_cores():
            if self.needed < size:
                return
            if (cores[core] & self.free).bit_count() == size:
                self._take_if_needed(cores[core])

    def take_remaining_cpus(self) -> None:
        """Take single threads, first those of the cores with the fewest free ones (takeRemainingCPUs)."""
        for cpu in list(islice(self._sorted_cpus(), self.needed)):
            self.take(1 << cpu)

    def free_in(self, cell: int) -> int:
        """Answer how many CPUs of a NUMA node are free."""
        return (self.topology.cells[cell] & self.free).bit_count()

    def sorted_cells(self) -> list[int]:
        """Order the NUMA nodes with free CPUs: fewest free first (sortAvailableNUMANodes)."""
        cells = self.topology.cells
        if self.topology.numa_first:
            return self._sorted(cells)
        return self._nested(self._sorted_sockets(), self.topology.sockets, cells)

    def _sorted_sockets(self) -> list[int]:
        """Order the sockets with free CPUs (sortAvailableSockets)."""
        sockets = self.topology.sockets
        if not self.topology.numa_first:
            return self._sorted(sockets)
        return self._nested(self.sorted_cells(), self.topology.cells, sockets)

    def _sorted_cores(self) -> Iterator[int]:
        """Order the cores with free CPUs (sortAvailableCores)."""
        if self.topology.numa_first:
            for socket in self._sorted_sockets():
                yield from self._sorted(self.topology.cores_in_socket[socket])
        else:
            for cell in self.sorted_cells():
                yield from self._sorted(self.topology.cores_in_cell[cell])

    def _sorted_uncores(self) -> list[int]:
        """Order the L3 caches with free CPUs (sortAvailableUncoreCaches)."""
        return self._nested(self.sorted_cells(), self.topology.cells, self.topology.uncores)

    def _sorted_cpus(self) -> Iterator[int]:
        """Order the free CPUs (sortAvailableCPUsPacked, sortAvailableCPUsSpread)."""
        parts, order = self.topology.cores, self._sorted_cores()
        if self.spread:
            parts, order = self.topology.sockets, iter(self._sorted_sockets())
        return chain.from_iterable(bitmask.members(parts[part] & self.free) for part in order)

    def _sorted(self, parts: Parts, within: int = -1) -> list[int]:
        """Order the parts that have free CPUs in `within` by their free CPUs, then by id (sort)."""
        free = self.free
        found = [((bits & free).bit_count(), part) for part, bits in parts.items() if bits & free & within]
        found.sort()
        return [part for _, part in found]

    def _nested(self, order: Iterable[int], wholes: Parts, parts: Parts) -> list[int]:
        return [part for whole in order for part in self._sorted(parts, wholes[whole])]

    def _take_full_cells(self) -> None:
        """Mirror takeFullNUMANodes."""
        cells = self.topology.cells
        self._take_full(cells, self.sorted_cells(), lambda cell: cells[cell].bit_count())

    def _take_full_sockets(self) -> None:
        """Mirror takeFullSockets."""
        self._take_full(self.topology.sockets, self._sorted_sockets(), lambda _: self.topology.cpus_per_socket)

    def _take_full_uncores(self) -> None:
        """Mirror takeFullUncore."""
        uncores = self.topology.uncores
        self._take_full(uncores, self._sorted_uncores(), lambda uncore: uncores[uncore].bit_count())

    def _take_full(self, parts: Parts, order: Iterable[int], size: Callable[[int], int]) -> None:
        for part in [part for part in order if (parts[part] & self.free).bit_count() == size(part)]:
            self._take_if_needed(parts[part])

    def _take_if_needed(self, cpus: int) -> None:
        if self.needed >= cpus.bit_count():
            self.take(cpus)

    def _take_partial_uncore(self, uncore: int) -> None:
        """Mirror takePartialUncore: all or nothing, lowest cores first."""
        size = self.topology.cpus_per_core
        bits = self.topology.uncores[uncore]
        cores = [core for core, threads in self.topology.cores.items() if threads & bits & self.free]
        wanted = (self.needed + size - 1) // size
        cpus = [cpu for core in cores[:wanted] for cpu in bitmask.members(self.topology.cores[core] & self.free)]
        if self.needed % 2 and size > 1 and len(cpus) > self.needed:
            cpus = sorted(cpus)[:-1]
        if len(cpus) == self.needed:
            self.take(bitmask.of(cpus))
