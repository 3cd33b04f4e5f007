"""Chooses the settings that align pods on a given machine, each with the reason why."""

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from typing import Final

from webhook.domain import cpuset
from webhook.domain.kubelet import options
from webhook.domain.kubelet.hint_merger import SINGLE_NUMA_NODE
from webhook.domain.kubelet.topology_manager import POD_SCOPE
from webhook.domain.kubelet_configuration.system_share import system_cpus
from webhook.domain.kubelet_configuration.system_share import system_memory
from webhook.domain.quantity import Quantity
from webhook.domain.resources import MEMORY
from webhook.domain.topology import NodeClass
from webhook.domain.versions import Version

_GIB: Final = 1 << 30
_MIB: Final = 1 << 20
_ROOMY: Final = 8 * _GIB
"""From here on 1Gi may be left to eviction, below it the kubelet's own 100Mi."""
_OTHER_THRESHOLDS: Final = {
    "nodefs.available": "10%",
    "nodefs.inodesFree": "5%",
    "imagefs.available": "15%",
    "imagefs.inodesFree": "5%",
}
"""The kubelet's defaults, which an evictionHard of one's own takes away (pkg/kubelet/eviction/defaults_linux.go)."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the author of a configuration decides; None leaves the number of CPUs and bytes to the machine.

    `options` are those of the CPU and of the topology manager, by their names.
    """

    version: Version
    policy: str = SINGLE_NUMA_NODE
    scope: str = POD_SCOPE
    cpus: int | None = None
    memory: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Entry:
    """A field of the configuration, and why it has this value, in one sentence."""

    name: str
    value: object
    why: str


def draft(node: NodeClass, wish: Wish) -> tuple[Entry, ...]:
    """Answer the fields in the order in which they are read best.

    Raises:
        ValueError: the machine has no memory or CPUs to give, or no option has such a name.
    """
    unknown = sorted(wish.options.keys() - options.CPU_OPTIONS - options.TOPOLOGY_OPTIONS)
    if unknown:
        known = ", ".join(sorted(options.CPU_OPTIONS | options.TOPOLOGY_OPTIONS))
        message = f"{unknown[0]} is no option of the CPU or topology manager: write one of {known}"
        raise ValueError(message)
    return (*_cpus(node, wish), *_memory(node, wish), *_topology(node, wish))


def _cpus(node: NodeClass, wish: Wish) -> Iterator[Entry]:
    cpus = system_cpus(node.cells, wish.cpus)
    if not cpus:
        message = "the machine has no CPUs"
        raise ValueError(message)
    yield Entry("cpuManagerPolicy", "static", "Containers of Guaranteed pods with whole CPUs get CPUs of their own.")
    chosen = {name: value for name, value in wish.options.items() if name in options.CPU_OPTIONS}
    if node.threads_per_core > 1 and options.ACROSS_CORES not in chosen:
        chosen = {options.FULL_PCPUS_ONLY: "true", **chosen}
    if chosen:
        whole = node.threads_per_core > 1 and chosen.get(options.FULL_PCPUS_ONLY) == "true"
        why = f"{options.FULL_PCPUS_ONLY}: no two containers share a core." if whole else "As wished."
        yield Entry("cpuManagerPolicyOptions", chosen, why)
    if any(options.maturity(name, wish.version) == "alpha" for name in chosen):
        yield Entry("featureGates", {options.CPU_ALPHA_GATE: True}, "For the options that are alpha.")
    why = "Whole cores for the system, from each NUMA node in turn; no exclusive CPU is ever one of them."
    yield Entry("reservedSystemCPUs", cpuset.format(cpus), why)


def _memory(node: NodeClass, wish: Wish) -> Iterator[Entry]:
    parts = system_memory(node.cells, wish.memory) if any(cell.memory for cell in node.cells) else {}
    total = sum(parts.values())
    eviction = _GIB if total >= _ROOMY else 100 * _MIB
    if total <= eviction:
        message = (
            f"{Quantity.of_bytes(total)} for the system is too little: reserve more than {Quantity.of_bytes(eviction)}"
        )
        raise ValueError(message)
    pinned = len(node.cells) <= options.DEFAULT_MAX_NUMA_NODES
    if pinned:
        yield Entry(
            "memoryManagerPolicy", "Static", "Memory of Guaranteed pods is bound to NUMA nodes, and counts there."
        )
    else:
        why = f"With {len(node.cells)} NUMA nodes Static would try every set of them for each container."
        yield Entry("memoryManagerPolicy", "None", why)
    why = "For kubelet, container runtime and agents."
    yield Entry("systemReserved", {MEMORY: str(Quantity.of_bytes(total - eviction))}, why)
    thresholds = {"memory.available": str(Quantity.of_bytes(eviction)), **_OTHER_THRESHOLDS}
    yield Entry("evictionHard", thresholds, "The kubelet's own thresholds are written out: this map replaces them all.")
    if pinned:
        shown = Quantity.of_bytes(total)
        why = f"Together {shown}: exactly systemReserved plus evictionHard, or the kubelet does not start."
        limits = [
            {"numaNode": cell, "limits": {MEMORY: str(Quantity.of_bytes(size))}} for cell, size in parts.items() if size
        ]
        yield Entry("reservedMemory", limits, why)


def _topology(node: NodeClass, wish: Wish) -> Iterator[Entry]:
    yield Entry("topologyManagerPolicy", wish.policy, "CPUs, memory and devices of a container or pod have to meet.")
    why = "All containers of a pod together." if wish.scope == POD_SCOPE else "Each container by itself."
    yield Entry("topologyManagerScope", wish.scope, why)
    chosen = {name: value for name, value in wish.options.items() if name in options.TOPOLOGY_OPTIONS}
    if len(node.cells) > options.DEFAULT_MAX_NUMA_NODES:
        chosen = {options.MAX_NUMA_NODES: str(len(node.cells)), **chosen}
    if chosen:
        why = f"The machine has {len(node.cells)} NUMA nodes." if options.MAX_NUMA_NODES in chosen else "As wished."
        yield Entry("topologyManagerPolicyOptions", chosen, why)
