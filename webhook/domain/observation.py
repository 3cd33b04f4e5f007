"""What a node shows: its NUMA nodes, and per container the CPUs, the memory and the devices that it really has.

CPU sets and sets of NUMA nodes are integers used as bit sets; memory is in bytes. None stands for what could not be
read, and `unread` of the same value says why; an empty set or tuple was read and is empty.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from datetime import datetime
from typing import Final

from webhook.domain.raw import JsonObject
from webhook.domain.topology import Cell
from webhook.domain.topology import KubeletSettings
from webhook.domain.versions import Version

CPU_STATE: Final = "cpu_manager_state"
MEMORY_STATE: Final = "memory_manager_state"
"""The names of the kubelet's checkpoints."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Something that could not be read: which field of the value that holds this, and why, in one line."""

    field: str
    reason: str


@dataclass(frozen=True, slots=True)
class Pages:
    """Resident bytes of one kind of memory by NUMA node (proc(5), numa_maps, in the page size of each mapping)."""

    by_cell: Mapping[int, int]

    @property
    def total(self) -> int:
        """All of it."""
        return sum(self.by_cell.values())

    def on(self, cells: int) -> int:
        """Answer how much lies on the NUMA nodes of a bit set."""
        return sum(size for cell, size in self.by_cell.items() if cells >> cell & 1)


@dataclass(frozen=True, slots=True)
class ProcessMemory:
    """Where a process's memory lies, by kind; only `files` may lie elsewhere without harm (page cache is shared)."""

    anonymous: Pages
    heap: Pages
    stack: Pages
    huge: Pages
    files: Pages


@dataclass(frozen=True, slots=True)
class ObservedProcess:
    """A process of a container; `cpus` and `cells` are what /proc/PID/status allows it (all threads together)."""

    pid: int
    command: str
    cpus: int | None
    cells: int | None
    memory: ProcessMemory | None
    unread: tuple[Unread, ...] = ()


def smallest_quota(*quotas: tuple[int, int] | None) -> tuple[int, int] | None:
    """Answer the quota that leaves the fewest CPUs; None, which is none, for none of them."""
    limits = [quota for quota in quotas if quota is not None]
    return min(limits, key=lambda quota: quota[0] / (quota[1] or 1), default=None)


@dataclass(frozen=True, slots=True)
class ObservedCgroup:
    """The container's cgroup (v2): `cpus` and `cells` as set ("" is None), the effective ones, and the CFS quota.

    `own_quota` is (microseconds, period) or None for "max", and `pod_quota` the smallest of the cgroups above it.
    `usage` is the CPUs in use over the interval: 3.5 means three and a half were busy; None where only one reading was
    made.
    """

    path: str
    cpus: int | None
    effective_cpus: int | None
    cells: int | None
    effective_cells: int | None
    own_quota: tuple[int, int] | None
    pod_quota: tuple[int, int] | None = None
    usage: float | None = None
    unread: tuple[Unread, ...] = ()

    @property
    def quota(self) -> tuple[int, int] | None:
        """The quota that limits it, whichever is smaller; None without any."""
        return smallest_quota(self.own_quota, self.pod_quota)


@dataclass(frozen=True, slots=True)
class ObservedDevice:
    """A device that the kubelet gave to a container; `cells` None means that nobody says where it is.

    `cells` is the kubelet's word (PodResources), completed by sysfs where the device's id is a PCI address.
    """

    resource: str
    id: str
    cells: int | None


@dataclass(frozen=True, slots=True)
class ObservedContainer:
    """One running container. `exclusive_cpus` and `pinned_memory` are the kubelet's word (PodResources).

    `pinned_memory` maps a type ("memory", "hugepages-2Mi") to (bytes, bit set of NUMA nodes). `started` is None for a
    container that does not run, which nobody may judge; `ended` is one that does not run any more, and will not again.
    """

    name: str
    id: str
    started: datetime | None
    exclusive_cpus: int | None
    pinned_memory: Mapping[str, tuple[int, int]] | None
    devices: tuple[ObservedDevice, ...] | None
    cgroup: ObservedCgroup | None
    processes: tuple[ObservedProcess, ...]
    ended: bool = False
    unread: tuple[Unread, ...] = ()


@dataclass(frozen=True, slots=True)
class ObservedPod:
    """A pod of the node that has not ended, and its containers in the order of the spec: sidecars, then the others.

    `guests` are init and ephemeral containers that run at the moment: nothing is promised to them, but they may run on
    what was promised to others. `raw` is the Pod as the API server or the kubelet gives it: its spec earns the promise,
    its annotation claims one.
    """

    namespace: str
    name: str
    uid: str
    raw: JsonObject
    containers: tuple[ObservedContainer, ...]
    guests: tuple[ObservedContainer, ...] = ()


@dataclass(frozen=True, slots=True)
class PciDevice:
    """A PCI device: address, class code (0x030200), and its NUMA node, None where sysfs says -1 or nothing."""

    address: str
    kind: int
    cell: int | None


@dataclass(frozen=True, slots=True)
class Interface:
    """A network interface: its device's NUMA node, and which CPUs serve its interrupts (None: not readable)."""

    name: str
    cell: int | None
    irq_cpus: int | None


@dataclass(frozen=True, slots=True)
class Machine:
    """The node's hardware as sysfs shows it; `online` is the bit set of CPUs that are."""

    cells: tuple[Cell, ...]
    online: int
    pci: tuple[PciDevice, ...] = ()
    interfaces: tuple[Interface, ...] = ()
    unread: tuple[Unread, ...] = ()

    def cells_of(self, cpus: int) -> int:
        """Answer the NUMA nodes, as a bit set, that a set of CPUs touches."""
        bits = 0
        for cell in self.cells:
            if cell.cpus & cpus:
                bits |= 1 << cell.id
        return bits


@dataclass(frozen=True, slots=True)
class StateFile:
    """A checkpoint of the CPU or memory manager: which policy wrote it.

    That of the CPU manager has its default set, which is shared, and all CPUs that were given to containers and pods.
    """

    name: str
    policy: str
    default_cpus: int | None = None
    given_cpus: int | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """Everything that one pass over a node saw; `instant` is when it ended.

    `devices` are all that the kubelet may give, given or not (PodResources, GetAllocatableResources). `version` is the
    kubelet's, None where nobody told it: `kubelet` was read as that of the newest then.
    """

    node: str
    instant: datetime
    machine: Machine
    kubelet: KubeletSettings | None
    pods: tuple[ObservedPod, ...]
    devices: tuple[ObservedDevice, ...] | None = None
    state_files: tuple[StateFile, ...] = ()
    version: Version | None = None
    unread: tuple[Unread, ...] = field(default=())
