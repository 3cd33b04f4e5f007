"""The guest's hardware, as QEMU's command line says it: NUMA nodes with CPUs and memory, and PCI devices at each."""

from collections.abc import Iterator
from dataclasses import dataclass

FIRST_BUS = 32
"""Number of the PCI bus at the first NUMA node; each other one is as much further."""

DISPLAYS = 2
"""Displays at each NUMA node, which stand for GPUs."""


@dataclass(frozen=True, slots=True)
class Hardware:
    """A machine of equal NUMA nodes, whose CPUs are numbered one node after the other, siblings side by side."""

    cells: int
    sockets: int
    cores: int
    """Of each socket."""
    threads: int
    megabytes: int
    """Of each NUMA node."""

    @property
    def cpus(self) -> int:
        """How many logical CPUs there are."""
        return self.sockets * self.cores * self.threads

    @property
    def per_cell(self) -> int:
        """How many logical CPUs a NUMA node has."""
        return self.cpus // self.cells

    def distance(self, one: int, other: int) -> int:
        """Answer how far a NUMA node is from another one."""
        if one == other:
            return 10
        per_socket = self.cells // self.sockets
        return 12 if one // per_socket == other // per_socket else 21

    def arguments(self) -> Iterator[str]:
        """Yield the words for QEMU."""
        yield from ("-m", f"{self.cells * self.megabytes}M")
        yield from ("-smp", f"{self.cpus},sockets={self.sockets},cores={self.cores},threads={self.threads}")
        for cell in range(self.cells):
            first = cell * self.per_cell
            yield from ("-object", f"memory-backend-ram,id=m{cell},size={self.megabytes}M")
            yield from ("-numa", f"node,nodeid={cell},cpus={first}-{first + self.per_cell - 1},memdev=m{cell}")
        for one in range(self.cells):
            for other in range(one + 1, self.cells):
                yield from ("-numa", f"dist,src={one},dst={other},val={self.distance(one, other)}")
        for cell in range(self.cells):
            bus = FIRST_BUS * (cell + 1)
            yield from ("-device", f"pxb-pcie,id=pxb{cell},bus=pcie.0,bus_nr={bus},numa_node={cell}")
            for number in range(DISPLAYS):
                yield from self._at(cell, number, "bochs-display")
        yield from ("-netdev", "user,id=fast,restrict=on")
        yield from self._at(self.cells - 1, DISPLAYS, "virtio-net-pci,netdev=fast,romfile=")

    @staticmethod
    def _at(cell: int, number: int, device: str) -> Iterator[str]:
        """Yield a device behind a port of its own at a NUMA node."""
        port = f"port{cell}-{number}"
        chassis = 1 + cell * (DISPLAYS + 1) + number
        yield from ("-device", f"ioh3420,id={port},bus=pxb{cell},chassis={chassis},addr={number:#x}")
        yield from ("-device", f"{device},bus={port}")


SMALL = Hardware(cells=2, sockets=2, cores=4, threads=1, megabytes=1536)
LARGE = Hardware(cells=4, sockets=2, cores=6, threads=2, megabytes=1024)
