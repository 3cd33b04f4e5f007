"""What each NUMA node of an observed node has free: what no container has to itself."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from webhook.domain import cpuset
from webhook.domain.kubelet.memory_table import table
from webhook.domain.locality import home_of
from webhook.domain.observation import Observation
from webhook.domain.observation import ObservedContainer
from webhook.domain.quantity import Quantity
from webhook.domain.raw import JsonObject
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY
from webhook.domain.topology import Cell
from webhook.domain.topology import KubeletSettings

MOST_CELLS: Final = 64
MOST_RESOURCES: Final = 62
"""Kinds of devices, beside CPUs and memory."""


def free_blocks(observation: Observation) -> list[JsonObject]:
    """Answer the CPUs, memory and devices that are free together on each NUMA node that has CPUs.

    Nothing where it cannot be told: no static CPU manager, CPUs reserved by number alone (which they are is the
    kubelet's to choose), or a container of which PodResources says nothing. Memory is told of a Static memory manager
    only, and devices where each one's NUMA node is known.
    """
    settings = observation.kubelet
    containers = [one for pod in observation.pods for one in pod.containers]
    cells = [cell for cell in observation.machine.cells if cell.cpus & observation.machine.online]
    if settings is None or settings.cpu_manager_policy != "static" or len(cells) > MOST_CELLS:
        return []
    if settings.reserved_system_cpus is None or any(one.exclusive_cpus is None for one in containers):
        return []
    taken = settings.reserved_system_cpus
    for one in containers:
        taken |= one.exclusive_cpus or 0
    memory = _memory(observation.machine.cells, settings, containers)
    devices = _devices(observation, containers)
    return [
        {
            "numaNode": cell.id,
            "amounts": {
                CPU: str((cell.cpus & observation.machine.online & ~taken).bit_count()),
                **({MEMORY: str(Quantity.of_bytes(memory[cell.id]))} if memory is not None else {}),
                **{resource: str(counts[cell.id]) for resource, counts in devices.items()},
            },
        }
        for cell in cells
    ]


def _memory(
    cells: tuple[Cell, ...], settings: KubeletSettings, containers: list[ObservedContainer]
) -> Mapping[int, int] | None:
    """Count memory; a NUMA node that shares a promise with another has none for a pod on one (MM/policy_static.go)."""
    if settings.memory_manager_policy != "Static" or any(one.pinned_memory is None for one in containers):
        return None
    left = dict(table(cells, settings.reserved_memory).allocatable[MEMORY])
    for one in containers:
        amount, homes = (one.pinned_memory or {}).get(MEMORY, (0, 0))
        for cell in cpuset.ids(homes):
            left[cell] = left.get(cell, 0) - amount if homes.bit_count() == 1 else 0
    return {cell: max(0, amount) for cell, amount in left.items()}


def _devices(observation: Observation, containers: list[ObservedContainer]) -> Mapping[str, Counter[int]]:
    if observation.devices is None or any(one.devices is None for one in containers):
        return {}
    given = {(device.resource, device.id) for one in containers for device in one.devices or ()}
    found: dict[str, Counter[int]] = {}
    unplaced: set[str] = set()
    for device in observation.devices:
        counts = found.setdefault(device.resource, Counter())
        # One that nobody places is no question on a machine with one NUMA node.
        home = device.cells or home_of(observation.machine, None)
        if home is None or home.bit_count() != 1:
            unplaced.add(device.resource)
        elif (device.resource, device.id) not in given:
            counts[home.bit_length() - 1] += 1
    placed = sorted(found.keys() - unplaced)
    return {resource: found[resource] for resource in placed[:MOST_RESOURCES]}
