"""What a repair may give where a container names no CPU or memory: fair shares and helper values."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from webhook.domain import demand
from webhook.domain.kubelet.admit import cell_allocatable
from webhook.domain.pod import Container
from webhook.domain.pod import PodFacts
from webhook.domain.policy import HelperDefault
from webhook.domain.policy import RepairRules
from webhook.domain.quantity import ZERO
from webhook.domain.quantity import Quantity
from webhook.domain.recognition import image_matches
from webhook.domain.recognition import image_path
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY
from webhook.domain.topology import NodeClass

MEBI = 1 << 20
Values = Mapping[str, Quantity]
"""CPU and memory by resource name."""


@dataclass(frozen=True, slots=True)
class _PerAccelerator:
    """What one accelerator's share of its NUMA node is: CPU in milli, memory in bytes."""

    cpu: int
    memory: int


def helper_default(container: Container, rules: RepairRules) -> HelperDefault | None:
    """Find the entry of the policy's table for a helper, by container name or image; else the fallback."""
    path = image_path(container.image)
    for entry in rules.helpers:
        if entry.names(container.name) or any(image_matches(path, pattern) for pattern in entry.images):
            return entry
    return rules.helper_fallback


def helper_values(container: Container, rules: RepairRules) -> Values:
    """Answer the CPU and memory that a helper without values is given; empty where the policy gives none."""
    entry = helper_default(container, rules)
    return {} if entry is None else {CPU: entry.cpu, MEMORY: entry.memory}


def fair_shares(
    facts: PodFacts,
    accelerators: Mapping[str, Mapping[str, int]],
    classes: tuple[NodeClass, ...],
    rules: RepairRules,
    numa_nodes: int,
) -> Mapping[str, Values]:
    """Answer the share of each accelerator container: its NUMA node's room per accelerator, times its accelerators.

    The eligible class with the least room decides. The pod's helpers and the policy's headroom on each NUMA node are
    taken off, and the rest is rounded down to whole cores and Mi, evenly over `numa_nodes`. With unknown topology the
    policy's own figure per accelerator is given as it is. Empty where no share can be given: switched off,
    spec.resources set, or unknown topology without such a figure.
    """
    total = sum(sum(counts.values()) for counts in accelerators.values())
    if facts.resources_set or not total:
        return {}
    if not classes:
        return _of_policy(accelerators, rules)
    unit = _unit(accelerators, classes) if rules.fair_share else None
    if unit is None:
        return {}
    taken = _taken_by_helpers(facts, accelerators, rules)
    cpu = unit.cpu * total - taken[CPU].milli - rules.headroom_cpu.milli * numa_nodes
    memory = unit.memory * total - taken[MEMORY].value - rules.headroom_memory.value * numa_nodes
    cores = math.lcm(*(node_class.threads_per_core for node_class in classes)) * numa_nodes
    shares: dict[str, Values] = {}
    for name, counts in accelerators.items():
        own = sum(counts.values())
        cpus = cpu * own // total // (1000 * cores) * cores
        size = memory * own // total // (MEBI * numa_nodes) * MEBI * numa_nodes
        if cpus > 0 and size > 0:
            shares[name] = {CPU: Quantity.of_count(cpus), MEMORY: Quantity.of_bytes(size)}
    return shares


def _of_policy(accelerators: Mapping[str, Mapping[str, int]], rules: RepairRules) -> Mapping[str, Values]:
    if rules.share is None:
        return {}
    cpu, memory = rules.share
    owns = {name: sum(counts.values()) for name, counts in accelerators.items()}
    return {name: {CPU: cpu.times(own), MEMORY: memory.times(own)} for name, own in owns.items()}


def _unit(accelerators: Mapping[str, Mapping[str, int]], classes: tuple[NodeClass, ...]) -> _PerAccelerator | None:
    resources = {resource for counts in accelerators.values() for resource in counts}
    units = [
        _PerAccelerator(cell.cpus * 1000 // cell.devices[resource], cell.memory // cell.devices[resource])
        for node_class in classes
        for cell in cell_allocatable(node_class)
        for resource in resources
        if cell.devices.get(resource, 0) > 0
    ]
    if not units:
        return None
    return _PerAccelerator(min(unit.cpu for unit in units), min(unit.memory for unit in units))


def _taken_by_helpers(
    facts: PodFacts, accelerators: Mapping[str, Mapping[str, int]], rules: RepairRules
) -> Mapping[str, Quantity]:
    """Sum what the helpers will have once they are repaired."""
    steps = []
    for container in facts.containers:
        if container.name not in accelerators:
            values = {**helper_values(container, rules), **container.requests, **container.limits}
            steps.append((container.kind, values))
    return {CPU: ZERO, MEMORY: ZERO, **demand.aggregate(steps)}
