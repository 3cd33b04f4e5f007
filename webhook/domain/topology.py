"""Node classes: the machine, the kubelet's settings, and which pods may go there.

Field names follow the scenario format in docs/kubelet.md, which follows the kubelet's own configuration.
CPU sets are integers used as bit sets (bit n = logical CPU n); memory is in bytes.
"""

from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from types import MappingProxyType
from typing import Final
from typing import TypeVar

from webhook.domain.quantity import Quantity
from webhook.domain.weakly import weakly

POD_LEVEL_GATE: Final = "PodLevelResourceManagers"
"""The kubelet's feature gate for pods with spec.resources (pkg/features/kube_features.go); beta in 1.37, and off."""

QUOTA_GATE: Final = "DisableCPUQuotaWithExclusiveCPUs"
"""The kubelet's feature gate that lifts the CFS quota of pods with exclusive CPUs (pkg/features/kube_features.go)."""
_QUOTA_GATE_SINCE: Final = (1, 33)

_T = TypeVar("_T")


def _nothing() -> Mapping[str, str]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Core:
    """A physical core: its hardware threads (logical CPU ids), its socket, its L3 cache if that is split."""

    threads: tuple[int, ...]
    socket: int
    uncore: int | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """A NUMA node of the machine: `memory` is MemTotal in bytes with huge pages included.

    `hugepages` maps a page size ("2Mi") to a number of pages. A cell may have no cores.
    """

    id: int
    memory: int
    cores: tuple[Core, ...] = ()
    hugepages: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    distances: tuple[int, ...] = ()

    @property
    def cpus(self) -> int:
        """The cell's logical CPUs as a bit set."""
        bits = 0
        for core in self.cores:
            for thread in core.threads:
                bits |= 1 << thread
        return bits


@dataclass(frozen=True, slots=True)
class Device:
    """A device of a device plug-in; `numa` None means that the plug-in gave no topology."""

    id: str
    numa: tuple[int, ...] | None = None
    healthy: bool = True


@dataclass(frozen=True, slots=True)
class KubeletSettings:
    """The parts of a KubeletConfiguration that decide alignment, with the kubelet's own defaults.

    `reserved_system_cpus` is a bit set, or None where CPUs are reserved by size (`node_allocatable_reservation`).
    `reserved_memory` maps NUMA node id to {"memory" or "hugepages-SIZE": bytes}.
    """

    cpu_manager_policy: str = "none"
    cpu_manager_policy_options: Mapping[str, str] = field(default_factory=_nothing)
    memory_manager_policy: str = "None"
    topology_manager_policy: str = "none"
    topology_manager_scope: str = "container"
    topology_manager_policy_options: Mapping[str, str] = field(default_factory=_nothing)
    reserved_system_cpus: int | None = None
    node_allocatable_reservation: Mapping[str, Quantity] = field(default_factory=lambda: MappingProxyType({}))
    reserved_memory: Mapping[int, Mapping[str, int]] = field(default_factory=lambda: MappingProxyType({}))
    feature_gates: Mapping[str, bool] = field(default_factory=lambda: MappingProxyType({}))
    version: tuple[int, int] = (1, 37)

    @property
    def full_pcpus_only(self) -> bool:
        """Whether the static CPU manager hands out whole cores only."""
        return (
            self.cpu_manager_policy == "static"
            and self.cpu_manager_policy_options.get("full-pcpus-only", "false") == "true"
        )

    @property
    def enforces_alignment(self) -> bool:
        """Whether a pod that cannot be aligned is refused by this kubelet, with CPUs pinned."""
        return self.cpu_manager_policy == "static" and self.topology_manager_policy in {
            "restricted",
            "single-numa-node",
        }

    @property
    def pins_pod_level(self) -> bool:
        """Whether pods with spec.resources are pinned; without the gate the managers leave them alone."""
        return self.feature_gates.get(POD_LEVEL_GATE, False)

    @property
    def lifts_cpu_quota(self) -> bool:
        """Whether containers with exclusive CPUs, and their pods, get no CFS quota; the gate is on since 1.33."""
        return self.version >= _QUOTA_GATE_SINCE and self.feature_gates.get(QUOTA_GATE, True)

    @property
    def pins_pods_whole(self) -> bool:
        """Whether those pods get their CPUs and memory as one, to be shared by their containers."""
        in_scope = self.topology_manager_scope == "pod" and self.topology_manager_policy != "none"
        return self.pins_pod_level and in_scope


@dataclass(frozen=True, slots=True)
class Taint:
    """A taint of the node class; `effect` is NoSchedule, PreferNoSchedule or NoExecute."""

    key: str
    effect: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Free:
    """What NUMA nodes of a class have free at the moment `seen` (RFC 3339): only those that no other one exceeds.

    Each maps resource names to quantities of CPU, memory and devices that are free together on one NUMA node.
    """

    seen: str
    cells: tuple[Mapping[str, Quantity], ...]


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class NodeClass:
    """All nodes of one shape: hardware, kubelet settings, labels and taints; compared by identity.

    `labels` are the ones the profile declares: a selector on any other key counts as satisfiable.
    `assumed` marks a class that nobody declared for this cluster (lint's default). `nodes` is how many there are, None
    where nobody counted. `trusted` is False for a topology that too few nodes report to refuse a pod by it. `verified`
    tells that numagate's agents were heard lately on all its nodes, which say of each pod whether it is aligned.
    """

    name: str
    cells: tuple[Cell, ...]
    devices: Mapping[str, tuple[Device, ...]]
    kubelet: KubeletSettings
    labels: Mapping[str, str] = field(default_factory=_nothing)
    taints: tuple[Taint, ...] = ()
    assumed: bool = False
    nodes: int | None = None
    trusted: bool = True
    verified: bool = False
    free: Free | None = None

    @property
    def threads_per_core(self) -> int:
        """CPUs per core as the kubelet counts them (CPU/topology/topology.go:CPUsPerCore): integer division."""
        return _threads_per_core(self)

    @property
    def reserved_cpus(self) -> int:
        """The explicitly reserved CPUs as a bit set; 0 where they are reserved by size."""
        return self.kubelet.reserved_system_cpus or 0


@weakly
def _threads_per_core(node_class: NodeClass) -> int:
    cores = [core for cell in node_class.cells for core in cell.cores]
    return sum(len(core.threads) for core in cores) // len(cores) if cores else 1


def with_shared_parts(classes: Iterable[NodeClass]) -> tuple[NodeClass, ...]:
    """Let classes whose machines and kubelets are equal hold the same objects, so that they are simulated once.

    Large clusters have many classes of few kinds: the same machine in other zones, with other labels and taints.
    """
    cells: list[tuple[Cell, ...]] = []
    devices: list[Mapping[str, tuple[Device, ...]]] = []
    kubelets: list[KubeletSettings] = []
    shared: list[NodeClass] = []
    for one in classes:
        parts = _first_equal(cells, one.cells), _first_equal(devices, one.devices), _first_equal(kubelets, one.kubelet)
        own = parts[0] is one.cells and parts[1] is one.devices and parts[2] is one.kubelet
        shared.append(one if own else replace(one, cells=parts[0], devices=parts[1], kubelet=parts[2]))
    return tuple(shared)


def unlike(classes: Iterable[NodeClass]) -> tuple[NodeClass, ...]:
    """Answer the first of all classes that share machine and kubelet: the others answer every pod alike."""
    first: dict[tuple[int, int, int], NodeClass] = {}
    for one in classes:
        first.setdefault((id(one.cells), id(one.devices), id(one.kubelet)), one)
    return tuple(first.values())


def _first_equal(known: list[_T], value: _T) -> _T:
    for other in known:
        if other == value:
            return other
    known.append(value)
    return value
