"""Reads the machine: NUMA nodes, PCI devices and network interfaces together."""

from webhook.domain.observation import Machine
from webhook.node.readers.cells import read_cells
from webhook.node.readers.files import Gaps
from webhook.node.readers.interfaces import read_interfaces
from webhook.node.readers.pci import read_pci
from webhook.node.roots import Roots


def read_machine(roots: Roots) -> Machine:
    """Read what sysfs shows of the hardware. Never raises: what cannot be read is left out, and said in `unread`."""
    gaps = Gaps()
    cells, online = read_cells(roots.sys, roots.proc, gaps)
    pci = read_pci(roots.sys, gaps)
    interfaces = read_interfaces(roots.sys, roots.proc, gaps)
    return Machine(cells=cells, online=online, pci=pci, interfaces=interfaces, unread=gaps.unread)
