"""Where a container belongs: the NUMA nodes of its devices, or of its CPUs where it has no devices.

Sets of NUMA nodes are integers used as bit sets.
"""

from collections.abc import Iterable

from webhook.domain import cpuset
from webhook.domain.observation import Machine
from webhook.domain.observation import ObservedContainer
from webhook.domain.rule import Case
from webhook.domain.rule import why_unread
from webhook.domain.topology import Cell


def told(cells: int) -> str:
    """Name NUMA nodes in a sentence.

    >>> told(0b1), told(0b111), told(0)
    ('NUMA node 0', 'NUMA nodes 0-2', 'no NUMA node')
    """
    if not cells:
        return "no NUMA node"
    return f"NUMA node{'s'[: cells.bit_count() != 1]} {cpuset.format(cells)}"


def nodes(count: int) -> str:
    """Write a number of NUMA nodes.

    >>> nodes(1), nodes(2)
    ('1 NUMA node', '2 NUMA nodes')
    """
    return f"{count} NUMA node{'s'[: count != 1]}"


def cpus_of(seen: ObservedContainer) -> int | None:
    """Answer the CPUs that a container was given for itself: what its cgroup says, else the kubelet; None for none.

    Of the cgroup's, those in effect count: CPUs that are offline, or that a cgroup above leaves out, are not used.
    """
    if not seen.exclusive_cpus:
        return None
    if seen.cgroup is None or not seen.cgroup.cpus:
        return seen.exclusive_cpus
    return seen.cgroup.effective_cpus or seen.cgroup.cpus


def device_cells(case: Case) -> int | None:
    """Answer the NUMA nodes of a container's devices; None where it has none, or where one has no single home."""
    devices = case.seen.devices or ()
    homes = [home_of(case.site.machine, device.cells) for device in devices if device.resource in case.promise.devices]
    if not homes or None in homes:
        return None
    return _union(home for home in homes if home is not None)


def home(case: Case) -> int | None:
    """Answer the NUMA nodes that a container belongs to, None where nobody can say.

    Its devices decide. The NUMA nodes of its CPUs count beside theirs where the pod is for more than the devices are
    on.
    """
    cpus = cpus_of(case.seen)
    by_cpus = case.site.machine.cells_of(cpus) if cpus is not None else 0
    by_devices = device_cells(case)
    if by_devices is None:
        return None if case.promise.devices else by_cpus or None
    return by_devices | by_cpus if by_devices.bit_count() < case.numa_nodes else by_devices


def home_of(machine: Machine, cells: int | None) -> int | None:
    """Answer the one NUMA node with CPUs that something on `cells` belongs to; None where there is no single one.

    Where nobody says where something is, it is there on a machine that has a single one: many of these say it of no
    device (numa_node -1).
    """
    if not cells:
        only = _union(1 << cell.id for cell in machine.cells if cell.cores)
        return only if only.bit_count() == 1 else None
    shown = _union(1 << cell.id for cell in machine.cells)
    near = _union(nearest(machine, cell) for cell in cpuset.ids(cells))
    return near if not cells & ~shown and near.bit_count() == 1 else None


def why_no_cells(machine: Machine) -> str:
    """Say why the machine's NUMA nodes are not known, "" where they are."""
    if machine.cells:
        return ""
    why = why_unread(machine.unread, "cells", why_unread(machine.unread, "online", "none was seen"))
    return f"the machine's NUMA nodes are not known: {why}"


def attached(machine: Machine, cells: int) -> int:
    """Add the NUMA nodes without CPUs (memory of a GPU or of an expander) that are nearest to `cells`."""
    for cell in machine.cells:
        if not cell.cores and nearest(machine, cell.id) & cells:
            cells |= 1 << cell.id
    return cells


def nearest(machine: Machine, identifier: int) -> int:
    """Answer the NUMA nodes with CPUs that are nearest to one: itself if it has any; 0 where nobody says."""
    cell = next((one for one in machine.cells if one.id == identifier), None)
    if cell is None:
        return 0
    if cell.cores:
        return 1 << identifier
    far = {one.id: _distance(machine, cell, one) for one in machine.cells if one.cores}
    known = {other: distance for other, distance in far.items() if distance is not None}
    least = min(known.values(), default=None)
    return _union(1 << other for other, distance in known.items() if distance == least)


def _distance(machine: Machine, one: Cell, other: Cell) -> int | None:
    """Read a row of distances, which has a column for each NUMA node, or for each id up to the highest."""
    row = one.distances
    index = machine.cells.index(other) if len(row) == len(machine.cells) else other.id
    return row[index] if index < len(row) else None


def _union(sets: Iterable[int]) -> int:
    bits = 0
    for one in sets:
        bits |= one
    return bits
