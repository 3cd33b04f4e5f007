"""Reads the PCI devices of sysfs and their NUMA nodes."""

from functools import partial
from pathlib import Path

from webhook.domain.observation import PciDevice
from webhook.node.readers import files
from webhook.node.readers.cells import MAX_CELL
from webhook.node.readers.files import Gaps


def read_pci(system: Path, gaps: Gaps) -> tuple[PciDevice, ...]:
    """Answer the PCI devices by their addresses; a machine without the bus has none."""
    folder = system / "bus" / "pci" / "devices"
    try:
        names = sorted(files.names(folder))
    except FileNotFoundError:
        return ()
    except OSError as error:
        gaps.note("pci", files.why(error))
        return ()
    return tuple(
        PciDevice(
            address=name,
            kind=gaps.take("pci", partial(_class, folder / name / "class")) or 0,
            cell=cell_of(folder / name),
        )
        for name in names
    )


def cell_of(device: Path) -> int | None:
    """Answer the NUMA node of a device; -1 and no file mean that nobody knows it."""
    try:
        cell = files.number(device / "numa_node")
    except (OSError, ValueError):
        return None
    return cell if 0 <= cell <= MAX_CELL else None


def _class(path: Path) -> int:
    return int(files.text(path), 16) & 0xFFFFFF
