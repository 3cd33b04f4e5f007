"""One node with its pods: the only thing in the simulation that changes."""

from collections.abc import Mapping
from collections.abc import Sequence

from webhook.domain.kubelet import pod_bubble
from webhook.domain.kubelet import pod_level
from webhook.domain.kubelet import predicates
from webhook.domain.kubelet import topology_manager
from webhook.domain.kubelet.cpu_manager import CpuManager
from webhook.domain.kubelet.device_manager import DeviceManager
from webhook.domain.kubelet.hints import Affinity
from webhook.domain.kubelet.hints import HintProvider
from webhook.domain.kubelet.machine import Machine
from webhook.domain.kubelet.memory_manager import MemoryManager
from webhook.domain.kubelet.pod_bubble import Bubble
from webhook.domain.kubelet.refusal import MisalignedError
from webhook.domain.kubelet.refusal import RefusedError
from webhook.domain.kubelet.refusal import misaligned_whole
from webhook.domain.kubelet.refusal import not_started
from webhook.domain.pod import PodFacts


class NodeState:
    """The managers of one started kubelet and what its pods use.

    `bubble` is what the current pod holds as a whole, None for one that the managers treat container by container.
    """

    __slots__ = ("_machine", "_skip_predicates", "_used", "bubble", "cpus", "devices", "memory")

    def __init__(self, machine: Machine, *, skip_predicates: bool = False) -> None:
        """Start without pods. A manager that does not pin is None."""
        self._machine = machine
        self._skip_predicates = skip_predicates
        self._used: dict[str, int] = {}
        self.bubble: Bubble | None = None
        self.devices = DeviceManager(machine.devices)
        options, memory = machine.cpu_options, machine.memory
        self.cpus = None if options is None else CpuManager(machine.cpus, machine.reserved_cpus, options)
        self.memory = None if memory is None else MemoryManager(memory)

    def admit(self, pod: PodFacts) -> Mapping[str, Affinity]:
        """Run the handlers in the kubelet's order: topology manager, then scheduler fit.

        The managers keep the pod's allocations until the next one; a refused pod leaves nothing.

        Raises:
            RefusedError: the kubelet refuses the pod.
        """
        providers = [manager for manager in (self.devices, self.cpus, self.memory) if manager is not None]
        wanted = predicates.demand(pod)
        for manager in providers:
            manager.begin()
        try:
            affinities = self._align(pod, providers)
            if not self._skip_predicates:
                predicates.check(wanted, self._used, self._machine.allocatable)
        except RefusedError:
            for manager in providers:
                manager.release()
            raise
        for name, number in wanted.items():
            self._used[name] = self._used.get(name, 0) + number
        return affinities

    def start(self, pod: PodFacts) -> None:
        """Start the current pod's containers: devices that its admission left out are handed out now.

        Mirrors DM/manager.go:GetDeviceRunContainerOptions.

        Raises:
            RefusedError: there are no devices for a container; the pod keeps what it has.
        """
        if self.bubble is None:
            return
        for container in pod.containers:
            asked = (quantity.value for name, quantity in container.limits.items() if name in self._machine.devices)
            if any(asked):
                try:
                    self.devices.allocate(pod, container, self.bubble.affinity)
                except RefusedError as refusal:
                    raise not_started(container.name, refusal) from None

    def _align(self, pod: PodFacts, providers: Sequence[HintProvider]) -> Mapping[str, Affinity]:
        """Ask the topology manager, for a pod with spec.resources as the gate PodLevelResourceManagers has it."""
        machine = self._machine
        self.bubble = None
        if not (pod.resources_set and machine.pins_pod_level):
            return topology_manager.admit(pod, machine.merger, machine.scope, providers)
        if machine.pins_pods_whole:
            bubble = pod_bubble.admit(pod, machine, devices=self.devices, cpus=self.cpus, memory=self.memory)
            self.bubble = bubble
            return {container.name: bubble.affinity for container in pod.containers}
        try:
            return topology_manager.admit(pod_level.by_container(pod), machine.merger, machine.scope, providers)
        except MisalignedError:
            raise misaligned_whole(machine.scope) from None
