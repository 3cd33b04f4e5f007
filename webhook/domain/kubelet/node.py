"""One node with its pods: the only thing in the simulation that changes."""

from collections.abc import Mapping

from webhook.domain.kubelet import predicates
from webhook.domain.kubelet import topology_manager
from webhook.domain.kubelet.cpu_manager import CpuManager
from webhook.domain.kubelet.device_manager import DeviceManager
from webhook.domain.kubelet.hints import Affinity
from webhook.domain.kubelet.machine import Machine
from webhook.domain.kubelet.memory_manager import MemoryManager
from webhook.domain.kubelet.refusal import RefusedError
from webhook.domain.pod import PodFacts


class NodeState:
    """The managers of one started kubelet and what its pods use."""

    __slots__ = ("_machine", "_skip_predicates", "_used", "cpus", "devices", "memory")

    def __init__(self, machine: Machine, *, skip_predicates: bool = False) -> None:
        """Start without pods. A manager that does not pin is None."""
        self._machine = machine
        self._skip_predicates = skip_predicates
        self._used: dict[str, int] = {}
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
            affinities = topology_manager.admit(pod, self._machine.merger, self._machine.scope, providers)
            if not self._skip_predicates:
                predicates.check(wanted, self._used, self._machine.allocatable)
        except RefusedError:
            for manager in providers:
                manager.release()
            raise
        for name, number in wanted.items():
            self._used[name] = self._used.get(name, 0) + number
        return affinities
