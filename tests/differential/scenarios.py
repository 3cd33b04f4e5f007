"""Scenarios, a node and the pods that arrive at it: made from a seed, and written as the kubelet oracle reads them."""

import json
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from differential import arrivals
from differential import nodes
from differential import pod_level

from webhook.domain import cpuset
from webhook.domain.errors import InputError
from webhook.domain.quantity import Quantity
from webhook.domain.topology import Cell
from webhook.domain.topology import Core
from webhook.domain.topology import Device
from webhook.domain.topology import KubeletSettings
from webhook.domain.topology import NodeClass
from webhook.sources.scenario import parse_scenarios

Raw = dict[str, Any]

POD_LEVEL = 0.35
"""The share with the gate PodLevelResourceManagers on; it is drawn apart, so that the others stay as they were."""

STARTED = 0.4
"""The share in which containers start at once."""

SKIPPED_SHARE = 0.02
"""The share without the scheduler's sums over the whole node, as `numagate simulate` offers."""


@dataclass(frozen=True)
class Scenario:
    """An empty node, and raw pods in the order of their arrival; with `start` each one's containers start at once."""

    name: str
    node: NodeClass
    pods: tuple[Raw, ...]
    skip_predicates: bool = False
    start: bool = False

    def as_question(self) -> Raw:
        """Write it as one line of the oracle's input; docs/kubelet.md has the fields."""
        devices = {resource: [device_fields(one) for one in found] for resource, found in self.node.devices.items()}
        return {
            "name": self.name,
            "numa": [cell_fields(cell) for cell in self.node.cells],
            "devices": devices,
            "kubelet": kubelet_fields(self.node.kubelet),
            "pods": list(self.pods),
            "skipPredicates": self.skip_predicates,
            "start": self.start,
        }


def scenarios(count: int, seed: int, first: int = 0) -> Iterator[Scenario]:
    """Yield `count` scenarios from number `first` on; each depends on the seed and its own number only."""
    for number in range(first, first + count):
        random = Random(f"{seed}/{number}")  # noqa: S311 - tests want the same numbers again
        node = nodes.node_class(random)
        pods = arrivals.pods(random, node)
        skip = random.random() < SKIPPED_SHARE
        random = Random(f"{seed}/{number}/pod level")  # noqa: S311 - likewise
        if random.random() < POD_LEVEL:
            node = pod_level.with_gate(random, node)
            pods = pod_level.pods(random, node, pods)
        start = random.random() < STARTED
        yield Scenario(f"seed {seed}, number {number}", node, pods, skip_predicates=skip, start=start)


def read(question: Raw) -> Scenario:
    """Read what `as_question` writes, as `numagate simulate` does.

    Raises:
        InputError: it is no scenario.
    """
    found = next(parse_scenarios(json.dumps(question), "scenario"))
    if isinstance(found, InputError):
        raise found
    pods = tuple(question["pods"])
    return Scenario(found.name, found.node_class, pods, skip_predicates=found.skip_predicates, start=found.start)


def cell_fields(cell: Cell) -> Raw:
    """Write a NUMA node."""
    return {
        "id": cell.id,
        "memory": str(Quantity.of_bytes(cell.memory)),
        "hugepages": dict(cell.hugepages),
        "cores": [core_fields(core) for core in cell.cores],
        "distances": list(cell.distances) or None,
    }


def core_fields(core: Core) -> Raw:
    """Write a core."""
    return {"threads": list(core.threads), "socket": core.socket, "uncore": core.uncore}


def device_fields(device: Device) -> Raw:
    """Write a device."""
    return {"id": device.id, "numa": None if device.numa is None else list(device.numa), "healthy": device.healthy}


def kubelet_fields(kubelet: KubeletSettings) -> Raw:
    """Write the settings by the names of a KubeletConfiguration."""
    reservation = kubelet.node_allocatable_reservation
    return {
        "cpuManagerPolicy": kubelet.cpu_manager_policy,
        "cpuManagerPolicyOptions": dict(kubelet.cpu_manager_policy_options),
        "memoryManagerPolicy": kubelet.memory_manager_policy,
        "topologyManagerPolicy": kubelet.topology_manager_policy,
        "topologyManagerScope": kubelet.topology_manager_scope,
        "topologyManagerPolicyOptions": dict(kubelet.topology_manager_policy_options),
        "reservedSystemCPUs": cpuset.format(kubelet.reserved_system_cpus or 0),
        "nodeAllocatableReservation": {name: str(quantity) for name, quantity in reservation.items()},
        "reservedMemory": [limit_fields(cell, limits) for cell, limits in kubelet.reserved_memory.items()],
        "featureGates": dict(kubelet.feature_gates),
        "version": ".".join(map(str, kubelet.version)),
    }


def limit_fields(cell: int, limits: Mapping[str, int]) -> Raw:
    """Write what is reserved on one NUMA node."""
    return {"numaNode": cell, "limits": {name: str(Quantity.of_bytes(size)) for name, size in limits.items()}}
