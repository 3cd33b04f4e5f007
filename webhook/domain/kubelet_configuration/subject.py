"""What the rules look at: a configuration as written and as read, and the machine that it is for."""

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass

from webhook.domain.kubelet import cpu_topology
from webhook.domain.kubelet.cpu_topology import CpuTopology
from webhook.domain.kubelet.machine import reserve_cpus
from webhook.domain.kubelet.options import CpuOptions
from webhook.domain.kubelet.options import StartupError
from webhook.domain.kubelet.options import cpu_options
from webhook.domain.kubelet_configuration.known import Known
from webhook.domain.quantity import ZERO
from webhook.domain.quantity import Quantity
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.resources import MEMORY
from webhook.domain.resources import amount
from webhook.domain.topology import KubeletSettings
from webhook.domain.topology import NodeClass


@dataclass(frozen=True, slots=True)
class Subject:
    """A configuration: `raw` as written, `settings` as the kubelet reads it with its defaults filled in.

    The reservations are the parts of the sum in `settings`; `eviction_hard` has the defaults where they hold. `unsure`
    says why the sum is not known, or is "". `node` is the machine with these settings, None where nobody named one.
    """

    raw: JsonObject
    settings: KubeletSettings
    kube_reserved: Mapping[str, Quantity]
    system_reserved: Mapping[str, Quantity]
    eviction_hard: Mapping[str, str]
    unsure: str
    known: Known
    node: NodeClass | None = None

    @property
    def is_static(self) -> bool:
        """Whether CPUs are pinned."""
        return self.settings.cpu_manager_policy == "static"

    @property
    def pins_memory(self) -> bool:
        """Whether memory is pinned."""
        return self.settings.memory_manager_policy == "Static"

    @property
    def topology(self) -> CpuTopology | None:
        """The machine's CPUs."""
        return cpu_topology.discover(self.node.cells) if self.node else None

    @property
    def reserved_by_cgroup(self) -> tuple[str, ...]:
        """The fields that name a cgroup of reserved resources: reservedSystemCPUs cannot stand beside one."""
        return tuple(key for key in ("systemReservedCgroup", "kubeReservedCgroup") if get_text(self.raw, key))

    @property
    def memory_to_share(self) -> Quantity:
        """What reservedMemory has to add up to: what it does, where systemReserved can follow, else the node's sum."""
        limits = (Quantity.from_json(value) for _, _, name, value in self.memory_limits() if name == MEMORY)
        total = sum(limits, ZERO)
        wanted = amount(self.settings.node_allocatable_reservation, MEMORY)
        others = wanted - amount(self.system_reserved, MEMORY)
        return total if not total.is_zero and total > others else wanted

    def largest_part(self, name: str) -> tuple[str, str]:
        """Answer the place of the largest part of a reservation."""
        system, kube = amount(self.system_reserved, name), amount(self.kube_reserved, name)
        parts = {("systemReserved", name): system, ("kubeReserved", name): kube}
        if name == MEMORY:
            whole = amount(self.settings.node_allocatable_reservation, MEMORY)
            parts["evictionHard", "memory.available"] = whole - kube - system
        return max(parts, key=parts.__getitem__)

    def written(self, path: tuple[str, str]) -> object:
        """Answer what is written in a map; the kubelet's default is not."""
        return get_object(self.raw, path[0]).get(path[1])

    def memory_limits(self) -> Iterator[tuple[int, int, str, object]]:
        """Yield index, NUMA node, type and value of everything in reservedMemory."""
        for index, entry in enumerate(get_list(self.raw, "reservedMemory")):
            cell = as_object(entry).get("numaNode") or 0
            for name, value in get_object(entry, "limits").items():
                yield index, cell if isinstance(cell, int) else 0, name, value

    def reserved_cpus(self) -> int:
        """Answer the CPUs that the kubelet keeps back on this machine, as a bit set; 0 where it does not start."""
        if self.node is None or self.topology is None:
            return 0
        try:
            options = cpu_options(self.settings) if self.is_static else CpuOptions()
            return reserve_cpus(self.node, self.topology, options)
        except StartupError:
            return 0
