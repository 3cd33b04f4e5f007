"""What a kubelet derives from its machine and settings when it starts: the parts that no pod changes."""

from collections.abc import Mapping
from dataclasses import dataclass

from webhook.domain import versions
from webhook.domain.kubelet import bitmask
from webhook.domain.kubelet import cpu_assignment
from webhook.domain.kubelet import cpu_topology
from webhook.domain.kubelet import device_manager
from webhook.domain.kubelet import memory_table
from webhook.domain.kubelet import predicates
from webhook.domain.kubelet.cpu_topology import CpuTopology
from webhook.domain.kubelet.device_manager import DeviceTable
from webhook.domain.kubelet.distances import distances_of
from webhook.domain.kubelet.hint_merger import NONE
from webhook.domain.kubelet.hint_merger import HintMerger
from webhook.domain.kubelet.memory_table import MemoryTable
from webhook.domain.kubelet.options import CpuOptions
from webhook.domain.kubelet.options import StartupError
from webhook.domain.kubelet.options import TopologyOptions
from webhook.domain.kubelet.options import cpu_options
from webhook.domain.kubelet.options import topology_options
from webhook.domain.kubelet.refusal import RefusedError
from webhook.domain.resources import CPU
from webhook.domain.topology import NodeClass
from webhook.domain.versions import Rules


@dataclass(frozen=True, slots=True)
class Machine:
    """A started kubelet without pods. `cpu_options` and `memory` are None where that manager does not pin.

    `pins_pod_level` and `pins_pods_whole` say how pods with spec.resources are treated.
    """

    cpus: CpuTopology
    cpu_options: CpuOptions | None
    reserved_cpus: int
    memory: MemoryTable | None
    devices: Mapping[str, DeviceTable]
    merger: HintMerger
    scope: str
    allocatable: Mapping[str, int]
    pins_pod_level: bool
    pins_pods_whole: bool


def derive(node_class: NodeClass) -> Machine:
    """Do what the kubelet does before the first pod; `startup` checks the settings first.

    Raises:
        StartupError: the settings cannot be met on this machine.
    """
    settings = node_class.kubelet
    cells = tuple(cell.id for cell in node_class.cells)
    rules = versions.rules(settings.version)
    topology = cpu_topology.discover(node_class.cells)
    options = cpu_options(settings) if settings.cpu_manager_policy == "static" else None
    pins_memory = settings.memory_manager_policy == "Static"
    enforces = settings.topology_manager_policy != NONE
    return Machine(
        cpus=topology,
        cpu_options=options,
        reserved_cpus=reserve_cpus(node_class, topology, options) if options else 0,
        memory=_memory(node_class, rules) if pins_memory else None,
        devices={name: device_manager.table(devices, cells, rules) for name, devices in node_class.devices.items()},
        merger=_merger(node_class, topology_options(settings) if enforces else TopologyOptions()),
        scope=settings.topology_manager_scope,
        allocatable=predicates.allocatable(node_class),
        pins_pod_level=settings.pins_pod_level,
        pins_pods_whole=settings.pins_pods_whole,
    )


def reserve_cpus(node_class: NodeClass, topology: CpuTopology, options: CpuOptions) -> int:
    """Answer the reserved CPUs: as given, else by size, packed (CPU/policy_static.go:NewStaticPolicy).

    Raises:
        StartupError: there are fewer CPUs than are to be reserved.
    """
    if node_class.reserved_cpus:
        return node_class.reserved_cpus
    quantity = node_class.kubelet.node_allocatable_reservation.get(CPU)
    count = -(-quantity.milli // 1000) if quantity is not None else 0
    try:
        return cpu_assignment.take(topology, topology.cpus, count, options)
    except cpu_assignment.NotEnoughCpusError:
        message = f"[cpumanager] unable to reserve the required amount of CPUs (size of  did not equal {count})"
        raise StartupError(message) from None
    except RefusedError as error:
        raise StartupError(error.message) from None


def _memory(node_class: NodeClass, rules: Rules) -> MemoryTable:
    reserved = node_class.kubelet.reserved_memory
    return memory_table.table(node_class.cells, reserved, skips_none=rules.passes_over_no_memory)


def _merger(node_class: NodeClass, options: TopologyOptions) -> HintMerger:
    cells = bitmask.of(cell.id for cell in node_class.cells)
    rows = tuple((cell.id, cell.distances) for cell in node_class.cells)
    distances = distances_of(rows) if options.prefer_closest else None
    return HintMerger(node_class.kubelet.topology_manager_policy, cells, distances)
