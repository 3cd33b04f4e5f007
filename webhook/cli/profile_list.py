"""Sums up node classes for a list of them, as rows of a table and as JSON."""

from collections.abc import Iterator
from collections.abc import Mapping

from webhook.cli.profile_shelf import Entry
from webhook.domain.topology import Device
from webhook.domain.topology import NodeClass

COLUMNS = ("NAME", "NUMA", "CPUS", "MEMORY", "DEVICES", "MANAGERS", "TOPOLOGY", "MACHINE")
NARROW = ("NAME", "CPUS", "MEMORY")
_GIB = 1 << 30


def row(entry: Entry) -> tuple[str, ...]:
    """Answer the cells of the table; sizes are those of the whole machine, devices go by NUMA node."""
    machine = entry.node_class
    kubelet = machine.kubelet
    cells, working = len(machine.cells), _with_cpus(machine)
    return (
        machine.name,
        f"{cells}" if working == cells else f"{cells} ({working} with CPUs)",
        str(_cpus(machine)),
        f"{_memory(machine) // _GIB}Gi",
        ", ".join(_devices(machine)) or "-",
        f"{kubelet.cpu_manager_policy}, {kubelet.memory_manager_policy}",
        f"{kubelet.topology_manager_policy}, {kubelet.topology_manager_scope} scope",
        entry.title + "".join(f" (also {alias})" for alias in entry.aliases),
    )


def as_json(entry: Entry) -> dict[str, object]:
    """Answer the same as a JSON value; docs/machines.md has the fields."""
    machine = entry.node_class
    kubelet = machine.kubelet
    return {
        "name": machine.name,
        "title": entry.title,
        "aliases": list(entry.aliases),
        "numaNodes": len(machine.cells),
        "numaNodesWithCPUs": _with_cpus(machine),
        "cpus": _cpus(machine),
        "memory": _memory(machine),
        "devices": {resource: _by_cell(machine, devices) for resource, devices in machine.devices.items()},
        "cpuManagerPolicy": kubelet.cpu_manager_policy,
        "memoryManagerPolicy": kubelet.memory_manager_policy,
        "topologyManagerPolicy": kubelet.topology_manager_policy,
        "topologyManagerScope": kubelet.topology_manager_scope,
        "version": ".".join(map(str, kubelet.version)),
    }


def _devices(machine: NodeClass) -> Iterator[str]:
    """Yield `4+4 nvidia.com/gpu` for each resource: the numbers of the NUMA nodes that have CPUs or such devices."""
    for resource, devices in machine.devices.items():
        counts = _by_cell(machine, devices)
        shown = [counts.get(str(cell.id), 0) for cell in machine.cells if cell.cores or str(cell.id) in counts]
        elsewhere = len(devices) - sum(counts.values())
        more = f" (+{elsewhere} of no single NUMA node)" if elsewhere else ""
        yield "+".join(map(str, shown or [0])) + f" {resource}{more}"


def _by_cell(machine: NodeClass, devices: tuple[Device, ...]) -> Mapping[str, int]:
    """Count devices by their NUMA node, where they have exactly one."""
    counts = {str(cell.id): sum(device.numa == (cell.id,) for device in devices) for cell in machine.cells}
    return {cell: count for cell, count in counts.items() if count}


def _with_cpus(machine: NodeClass) -> int:
    return sum(1 for cell in machine.cells if cell.cores)


def _cpus(machine: NodeClass) -> int:
    return sum(cell.cpus.bit_count() for cell in machine.cells)


def _memory(machine: NodeClass) -> int:
    return sum(cell.memory for cell in machine.cells)
