"""Whether the kubelet of a node class starts at all, and its message if it does not."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from webhook.domain import cpuset
from webhook.domain import versions
from webhook.domain.kubelet import cpu_topology
from webhook.domain.kubelet.hint_merger import BEST_EFFORT
from webhook.domain.kubelet.hint_merger import NONE
from webhook.domain.kubelet.hint_merger import RESTRICTED
from webhook.domain.kubelet.hint_merger import SINGLE_NUMA_NODE
from webhook.domain.kubelet.machine import reserve_cpus
from webhook.domain.kubelet.memory_table import hugepage_bytes
from webhook.domain.kubelet.memory_table import is_memory
from webhook.domain.kubelet.options import StartupError
from webhook.domain.kubelet.options import cpu_options
from webhook.domain.kubelet.options import topology_options
from webhook.domain.kubelet.topology_manager import CONTAINER_SCOPE
from webhook.domain.kubelet.topology_manager import POD_SCOPE
from webhook.domain.quantity import ZERO
from webhook.domain.quantity import Quantity
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY
from webhook.domain.topology import POD_LEVEL_GATE
from webhook.domain.topology import NodeClass

_POLICIES: Final = (NONE, BEST_EFFORT, RESTRICTED, SINGLE_NUMA_NODE)
_POD_LEVEL_RESOURCES: Final = "PodLevelResources"
_SCOPES: Final = (CONTAINER_SCOPE, POD_SCOPE)


def startup_error(node_class: NodeClass) -> str | None:
    """Answer why the kubelet would not start on a node of this class, in its own words; None if it starts.

    The checks come in the kubelet's order: feature gates, configuration, reserved CPUs, topology, CPU and memory
    manager, capacity.
    """
    errors = chain(
        _feature_gates(node_class),
        _configuration(node_class),
        _reserved_cpus(node_class),
        _topology_manager(node_class),
        _cpu_manager(node_class),
        _memory_manager(node_class),
        _capacity(node_class),
    )
    try:
        return next(errors, None)
    except StartupError as error:
        return str(error)


def _feature_gates(node_class: NodeClass) -> Iterator[str]:
    """Mirror pkg/features/kube_features.go: unknown gates, and what the one for pods with spec.resources depends on."""
    settings = node_class.kubelet
    for gate in settings.feature_gates.keys() & versions.rules(settings.version).missing_gates:
        yield f"unrecognized feature gate: {gate}"
    if settings.pins_pod_level and not settings.feature_gates.get(_POD_LEVEL_RESOURCES, True):
        yield f"{POD_LEVEL_GATE} is enabled, but depends on features that are disabled: [{_POD_LEVEL_RESOURCES}]"


def _configuration(node_class: NodeClass) -> Iterator[str]:
    """Mirror pkg/kubelet/apis/config/validation, as far as these settings go."""
    settings = node_class.kubelet
    if settings.topology_manager_policy not in _POLICIES:
        yield (
            "invalid configuration: topologyManagerPolicy (--topology-manager-policy) "
            f'"{settings.topology_manager_policy}" must be one of: {_listed(_POLICIES)}'
        )
    if settings.topology_manager_scope not in _SCOPES:
        yield (
            "invalid configuration: topologyManagerScope (--topology-manager-scope) "
            f'"{settings.topology_manager_scope}" must be one of: "container", or "pod"'
        )
    for cell, limits in settings.reserved_memory.items():
        for resource, size in limits.items():
            if not is_memory(resource):
                yield (
                    f'invalid configuration: the limit type "{resource}" for NUMA node {cell} is not supported, '
                    "only [memory hugepages-<HugePageSize>] is accepted"
                )
            if size == 0:
                yield (
                    f"invalid configuration: reserved memory may not be zero for NUMA node {cell} "
                    f'and resource "{resource}"'
                )


def _reserved_cpus(node_class: NodeClass) -> Iterator[str]:
    """Mirror cmd/kubelet/app/server.go:getReservedCPUs."""
    online = cpu_topology.discover(node_class.cells).cpus
    if not online:
        yield "could not detect number of cpus"
    if node_class.reserved_cpus & ~online:
        reserved = cpuset.format(node_class.reserved_cpus)
        yield f"reserved-cpus: {reserved} is not a subset of online-cpus: {cpuset.format(online)}"


def _topology_manager(node_class: NodeClass) -> Iterator[str]:
    """Mirror TM/topology_manager.go:NewManager; policy none looks at nothing."""
    if node_class.kubelet.topology_manager_policy == NONE:
        return
    options = topology_options(node_class.kubelet)
    if options.prefer_closest and any(not cell.distances for cell in node_class.cells):
        yield "cannot discover NUMA topology: error getting NUMA distances from cadvisor"
    if len(node_class.cells) > options.max_numa_nodes:
        yield f"unsupported on machines with more than {options.max_numa_nodes} NUMA Nodes"


def _cpu_manager(node_class: NodeClass) -> Iterator[str]:
    """Mirror CPU/cpu_manager.go:NewManager."""
    settings = node_class.kubelet
    if settings.cpu_manager_policy not in {"none", "static"}:
        yield f'unknown policy: "{settings.cpu_manager_policy}"'
    elif settings.cpu_manager_policy == "static":
        yield from _reservation(node_class)
        try:
            yield from (f"new static policy error: {error}" for error in _static_policy(node_class))
        except StartupError as error:
            yield f"new static policy error: {error}"
    elif settings.cpu_manager_policy_options:
        shown = " ".join(f"{name}:{value}" for name, value in sorted(settings.cpu_manager_policy_options.items()))
        yield f"new none policy error: None policy: received unsupported options=map[{shown}]"


def _reservation(node_class: NodeClass) -> Iterator[str]:
    """Refuse a static CPU manager without reserved CPUs; explicit ones replace the reservation by size."""
    reserved = node_class.kubelet.node_allocatable_reservation.get(CPU)
    if node_class.reserved_cpus:
        return
    if reserved is None:
        yield "[cpumanager] unable to determine reserved CPU resources for static policy"
    elif reserved.is_zero:
        yield "[cpumanager] the static policy requires systemreserved.cpu + kubereserved.cpu to be greater than zero"


def _static_policy(node_class: NodeClass) -> Iterator[str]:
    """Mirror CPU/policy_static.go:NewStaticPolicy with ValidateStaticPolicyOptions."""
    options = cpu_options(node_class.kubelet)
    topology = cpu_topology.discover(node_class.cells)
    if options.align_by_socket and node_class.kubelet.topology_manager_policy == SINGLE_NUMA_NODE:
        yield "Topolgy manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option"
    if options.align_by_socket and len(topology.sockets) > len(topology.cells):
        yield "Align by socket is not compatible with hardware where number of sockets are more than number of NUMA"
    reserve_cpus(node_class, topology, options)


def _memory_manager(node_class: NodeClass) -> Iterator[str]:
    """Mirror MM/memory_manager.go:NewManager."""
    settings = node_class.kubelet
    if settings.memory_manager_policy == "None":
        return
    if settings.memory_manager_policy == "BestEffort":
        yield 'policy "BestEffort" is not available for platform "linux"'
    if settings.memory_manager_policy != "Static":
        yield f'unknown policy: "{settings.memory_manager_policy}"'
    known = {cell.id for cell in node_class.cells}
    totals: dict[str, int] = {}
    for cell, limits in settings.reserved_memory.items():
        if cell not in known:
            yield f"the reserved memory configuration references a NUMA node {cell} that does not exist on this machine"
        for resource, size in limits.items():
            totals[resource] = totals.get(resource, 0) + size
    yield from _reserved_sums(node_class, totals)
    if not totals.get(MEMORY):
        yield "[memorymanager] you should specify the system reserved memory"


def _reserved_sums(node_class: NodeClass, totals: dict[str, int]) -> Iterator[str]:
    """Mirror MM/memory_manager.go:validateReservedMemory; the kubelet walks the types in no particular order."""
    reservation = node_class.kubelet.node_allocatable_reservation
    for name in sorted(filter(is_memory, reservation.keys() | totals.keys())):
        determined = reservation.get(name, ZERO)
        total = Quantity.of_bytes(totals.get(name, 0))
        if total != determined:
            yield (
                f'the total amount "{total}" of type "{name}" is not equal to the value "{determined}" '
                "determined by Node Allocatable feature"
            )


def _capacity(node_class: NodeClass) -> Iterator[str]:
    """Mirror pkg/kubelet/cm/node_container_manager_linux.go:validateNodeAllocatable."""
    capacity = {
        CPU: Quantity.of_count(sum(cell.cpus.bit_count() for cell in node_class.cells)),
        MEMORY: Quantity.of_bytes(sum(cell.memory for cell in node_class.cells)),
    }
    for cell in node_class.cells:
        for name, size in hugepage_bytes(cell).items():
            capacity[name] = capacity.get(name, ZERO) + Quantity.of_bytes(size)
    for name, reserved in node_class.kubelet.node_allocatable_reservation.items():
        if name in capacity and reserved > capacity[name] and not (name == CPU and node_class.reserved_cpus):
            yield (
                f'invalid Node Allocatable configuration. Resource "{name}" has a reservation of {reserved} '
                f"but capacity of {capacity[name]}. Expected capacity >= reservation."
            )


def _listed(names: tuple[str, ...]) -> str:
    return "[" + " ".join(f'"{name}"' for name in names) + "]"
