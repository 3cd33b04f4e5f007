"""Reads the network interfaces that are devices: their NUMA node, and the CPUs that serve their interrupts."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from webhook.domain.observation import Interface
from webhook.domain.visible import visible
from webhook.node.readers import files
from webhook.node.readers.files import Gaps
from webhook.node.readers.pci import cell_of

_LEVELS: Final = 3
"""Folders from an interface's device up to the one on the bus: a virtio device lies in its PCI device."""
_AFFINITIES: Final = ("effective_affinity_list", "smp_affinity_list")


def read_interfaces(system: Path, proc: Path, gaps: Gaps) -> tuple[Interface, ...]:
    """Answer the interfaces of the network namespace in which `system` was mounted, by name.

    Those without a device (loopback, the host's end of a pod's interface, bridges) are left out.
    """
    folder = system / "class" / "net"
    try:
        names = sorted(files.names(folder))
    except FileNotFoundError:
        return ()
    except OSError as error:
        gaps.note("interfaces", files.why(error))
        return ()
    devices = ((name, folder / name / "device") for name in names)
    return tuple(_interface(name, device.resolve(), proc, gaps) for name, device in devices if device.exists())


def _interface(name: str, device: Path, proc: Path, gaps: Gaps) -> Interface:
    levels = (device, *device.parents)[:_LEVELS]
    home = next((level for level in levels if (level / "numa_node").exists()), device)
    try:
        served = _served(levels, proc)
    except (OSError, ValueError) as error:
        gaps.note("interfaces", f"{name}: {files.why(error)}")
        served = None
    return Interface(name=visible(name), cell=cell_of(home), irq_cpus=served)


def _served(levels: tuple[Path, ...], proc: Path) -> int | None:
    """Answer the CPUs of all interrupts, None for a device that has none of its own.

    Raises:
        OSError: the affinity of an interrupt cannot be read.
        ValueError: it is no CPU list.
    """
    numbers = next((found for found in map(_interrupts, levels) if found), [])
    bits = 0
    for number in numbers:
        bits |= _affinity(f"{proc}/irq/{number}")
    return bits if numbers else None


def _interrupts(device: Path) -> list[str]:
    try:
        return [name for name in files.names(device / "msi_irqs") if name.isdecimal()]
    except OSError:
        return list(_line(device))


def _line(device: Path) -> Iterator[str]:
    """Yield the interrupt line of a device without messages; 0 is none."""
    try:
        number = files.number(device / "irq")
    except (OSError, ValueError):
        return
    if number > 0:
        yield str(number)


def _affinity(interrupt: str) -> int:
    """Answer where an interrupt goes; a kernel that does not say so has at least where it may go."""
    for name in _AFFINITIES[:-1]:
        try:
            effective = files.id_set(f"{interrupt}/{name}")
        except OSError:
            continue
        if effective:
            return effective
    return files.id_set(f"{interrupt}/{_AFFINITIES[-1]}")
