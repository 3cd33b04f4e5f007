"""The CPU manager with the static policy: exclusive CPUs for whole-number requests (CPU/policy_static.go)."""

from functools import partial

from webhook.domain.kubelet import bitmask
from webhook.domain.kubelet import cpu_assignment
from webhook.domain.kubelet.cpu_topology import CpuTopology
from webhook.domain.kubelet.hints import Affinity
from webhook.domain.kubelet.hints import Hints
from webhook.domain.kubelet.options import CpuOptions
from webhook.domain.kubelet.refusal import smt
from webhook.domain.kubelet.refusal import unexpected
from webhook.domain.pod import Container
from webhook.domain.pod import ContainerKind
from webhook.domain.pod import PodFacts
from webhook.domain.pod import QOSClass
from webhook.domain.resources import CPU

_INT64: int = 1 << 64


def is_pinnable(pod: PodFacts) -> bool:
    """Tell whether the CPU and memory managers treat the pod at all: QoS Guaranteed, no spec.resources.

    With spec.resources a kubelet pins only if its gate PodLevelResourceManagers is on; `pod_level` then shows them the
    pod as ordinary ones, without spec.resources.
    """
    return pod.qos is QOSClass.GUARANTEED and not pod.resources_set


def exclusive_cpus(pod: PodFacts, container: Container) -> int:
    """Answer how many exclusive CPUs the container gets; 0 means the shared pool (guaranteedCPUs)."""
    quantity = container.requests.get(CPU)
    if quantity is None or not is_pinnable(pod):
        return 0
    whole = quantity.value
    # The kubelet's product wraps around in 64 bits.
    return whole if (whole * 1000 - quantity.milli) % _INT64 == 0 else 0


class CpuManager:
    """The static policy's state on one node: which CPUs are in the shared pool, and who reuses what."""

    __slots__ = ("_assigned", "_options", "_reserved", "_reserved_cores", "_reusable", "_shared", "_topology")

    def __init__(self, topology: CpuTopology, reserved: int, options: CpuOptions) -> None:
        """Start with every CPU in the shared pool (validateState)."""
        self._topology = topology
        self._options = options
        self._reserved = reserved
        self._reserved_cores = topology.siblings(reserved)
        self._shared = topology.cpus & ~reserved if options.strict_reservation else topology.cpus
        self._assigned: dict[str, int] = {}
        self._reusable = 0

    @property
    def assigned(self) -> dict[str, int]:
        """The current pod's exclusive CPUs by container."""
        return self._assigned

    def begin(self) -> None:
        """Forget the pod before: it is admitted, its CPUs are gone for good."""
        self._assigned = {}
        self._reusable = 0

    def release(self) -> None:
        """Give the current pod's CPUs back (removeStaleState)."""
        for cpus in self._assigned.values():
            self._shared |= cpus
        self.begin()

    def container_hints(self, pod: PodFacts, container: Container) -> list[Hints | None]:
        """Mirror getTopologyHintsForAdd."""
        return self._hints(exclusive_cpus(pod, container))

    def pod_hints(self, pod: PodFacts) -> list[Hints | None]:
        """Mirror getPodTopologyHintsForAdd."""
        return self._hints(_pod_cpus(pod))

    def allocate(self, pod: PodFacts, container: Container, affinity: Affinity) -> None:
        """Mirror allocateForAdd.

        Raises:
            RefusedError: whole cores are wanted, or there are not enough CPUs.
        """
        count = exclusive_cpus(pod, container)
        if count == 0:
            return
        self._enforce_smt_alignment(count)
        try:
            cpus = self._take(count, affinity.mask)
        except cpu_assignment.NotEnoughCpusError as error:
            raise unexpected(str(error)) from None
        self._shared &= ~cpus
        self._assigned[container.name] = cpus
        if container.kind is ContainerKind.INIT:
            self._reusable |= cpus
        else:
            self._reusable &= ~cpus

    def _hints(self, count: int) -> list[Hints | None]:
        """Mirror generateCPUTopologyHints: size from all CPUs of the machine, room from the free and reusable ones."""
        if count == 0:
            return [None]
        available = (self._shared & ~self._reserved) | self._reusable
        rooms = [(1 << cell, (bits & available).bit_count()) for cell, bits in self._topology.cells.items()]
        bound = bitmask.of(self._topology.cells_of(self._reusable))

        def serves(mask: int) -> bool:
            return mask & bound == bound and sum(room for cell, room in rooms if cell & mask) >= count

        least = bitmask.least_size([bits.bit_count() for bits in self._topology.cells.values()], count)
        wide = partial(self._fills_sockets, least) if self._options.align_by_socket else None
        return [Hints(bitmask.of(self._topology.cells), least, serves, wide)]

    def _fills_sockets(self, least: int, mask: int) -> bool:
        """Mirror isHintSocketAligned; the kubelet does not start with more sockets than NUMA nodes."""
        per_socket = len(self._topology.cells) // len(self._topology.sockets)
        return len(self._sockets_of(mask)) == (least + per_socket - 1) // per_socket

    def _sockets_of(self, mask: int) -> list[int]:
        cpus = self._cpus_in(mask)
        return [bits for bits in self._topology.sockets.values() if bits & cpus]

    def _cpus_in(self, mask: int) -> int:
        cpus = 0
        for cell in bitmask.members(mask):
            cpus |= self._topology.cells.get(cell, 0)
        return cpus

    def _enforce_smt_alignment(self, count: int) -> None:
        """Mirror enforceSMTAlignment: the second test is node-wide and knows nothing of reusable CPUs."""
        if not self._options.full_pcpus_only:
            return
        per_core = self._topology.cpus_per_core
        if count % per_core:
            message = f"requested {count} cpus not multiple cpus per core = {per_core}"
            raise smt(message)
        free = (self._shared & ~self._reserved_cores).bit_count()
        if count > free:
            message = (
                f"not enough free physical CPUs: available physical CPUs = {free}, "
                f"requested CPUs = {count}, CPUs per core = {per_core}"
            )
            raise smt(message)

    def _take(self, count: int, mask: int | None) -> int:
        """Mirror allocateCPUs: first within the affinity, then anywhere."""
        allocatable = (self._shared & ~self._reserved) | self._reusable
        taken = 0
        if mask is not None:
            aligned = allocatable & self._aligned(mask)
            taken = cpu_assignment.take(self._topology, aligned, min(count, aligned.bit_count()), self._options)
        rest = count - taken.bit_count()
        return taken | cpu_assignment.take(self._topology, allocatable & ~taken, rest, self._options)

    def _aligned(self, mask: int) -> int:
        """Mirror getAlignedCPUs: align-by-socket widens the affinity to whole sockets."""
        if not self._options.align_by_socket:
            return self._cpus_in(mask)
        cpus = 0
        for bits in self._sockets_of(mask):
            cpus |= bits
        return cpus


def _pod_cpus(pod: PodFacts) -> int:
    """Mirror podGuaranteedCPUs: the most that runs at once, in exclusive CPUs."""
    peak = sidecars = apps = 0
    for container in pod.containers:
        count = exclusive_cpus(pod, container)
        if container.kind is ContainerKind.SIDECAR:
            sidecars += count
        elif container.kind is ContainerKind.INIT:
            peak = max(peak, sidecars + count)
        else:
            apps += count
    return max(peak, apps + sidecars)
