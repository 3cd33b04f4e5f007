"""Admits a pod with spec.resources as one: a bubble of CPUs and memory, divided among its containers.

Mirrors TM/scope_pod.go:admitUsingPodResources, which runs in pod scope with the gate PodLevelResourceManagers on.
Devices are not reserved then: they are handed out when the containers start (DM/manager.go:AllocatePod).
"""

from dataclasses import dataclass

from webhook.domain.kubelet import cpu_assignment
from webhook.domain.kubelet import cpu_bubble
from webhook.domain.kubelet import memory_bubble
from webhook.domain.kubelet import pod_level
from webhook.domain.kubelet.cpu_manager import CpuManager
from webhook.domain.kubelet.cpu_manager import exclusive_cpus
from webhook.domain.kubelet.cpu_manager import is_pinnable
from webhook.domain.kubelet.device_manager import DeviceManager
from webhook.domain.kubelet.division import Division
from webhook.domain.kubelet.hints import IMPOSSIBLE
from webhook.domain.kubelet.hints import Affinity
from webhook.domain.kubelet.hints import Hints
from webhook.domain.kubelet.machine import Machine
from webhook.domain.kubelet.memory_bubble import Blocks
from webhook.domain.kubelet.memory_manager import MemoryManager
from webhook.domain.kubelet.memory_request import Request
from webhook.domain.kubelet.memory_request import UnrepresentableError
from webhook.domain.kubelet.memory_request import pod_request
from webhook.domain.kubelet.refusal import empty_pool
from webhook.domain.kubelet.refusal import misaligned_whole
from webhook.domain.kubelet.refusal import unexpected
from webhook.domain.pod import PodFacts


@dataclass(frozen=True, slots=True)
class Bubble:
    """What a pod holds as a whole, and how its containers divide it; no CPUs or no memory where they are not pinned."""

    affinity: Affinity
    cpus: int
    cpu_parts: Division[int]
    memory: Blocks
    memory_parts: Division[Blocks]


@dataclass(frozen=True, slots=True)
class _Views:
    """The pod as its containers and as one container (see `pod_level`)."""

    parts: PodFacts
    whole: PodFacts


def admit(
    pod: PodFacts, machine: Machine, *, devices: DeviceManager, cpus: CpuManager | None, memory: MemoryManager | None
) -> Bubble:
    """Merge the pod's hints, then allocate CPUs and memory once for the whole pod.

    Raises:
        RefusedError: the hints cannot be merged as the policy wants, an allocation failed, or nothing is left for
            containers that share.
    """
    views = _Views(pod_level.by_container(pod), pod_level.as_one(pod))
    affinity = machine.merger.merge([*devices.pod_hints(pod), *_cpu_hints(views, cpus), *_memory_hints(views, memory)])
    if not machine.merger.admits(affinity):
        raise misaligned_whole(machine.scope)
    own_cpus, cpu_parts = _allocate_cpus(views, affinity, cpus, machine)
    blocks, memory_parts = _allocate_memory(views, affinity, memory)
    return Bubble(affinity, own_cpus, cpu_parts, blocks, memory_parts)


def _cpu_hints(views: _Views, cpus: CpuManager | None) -> list[Hints | None]:
    """Mirror CPU/policy_static.go:getPodTopologyHintsForAdd."""
    if cpus is None:
        return []
    total = _cpu_total(views.whole)
    if total and cpu_bubble.why_empty(views.parts, total) is not None:
        return [IMPOSSIBLE]
    return cpus.pod_hints(views.whole)


def _memory_hints(views: _Views, memory: MemoryManager | None) -> list[Hints | None]:
    """Mirror MM/policy_static.go:GetPodTopologyHints."""
    if memory is None:
        return []
    total = _memory_total(views.whole)
    if total and memory_bubble.why_empty(views.parts, total) is not None:
        return [IMPOSSIBLE]
    return memory.pod_hints(views.whole)


def _allocate_cpus(
    views: _Views, affinity: Affinity, cpus: CpuManager | None, machine: Machine
) -> tuple[int, Division[int]]:
    """Mirror CPU/policy_static.go:allocatePodForAdd: a fractional total leaves the pod in the node's shared pool."""
    total, options = _cpu_total(views.whole), machine.cpu_options
    if cpus is None or options is None or not total:
        return 0, Division({}, {})
    problem = cpu_bubble.why_empty(views.parts, total)
    if problem is not None:
        raise empty_pool(problem)
    cpus.allocate(views.whole, views.whole.containers[0], affinity)
    bubble = cpus.assigned[pod_level.WHOLE]
    try:
        return bubble, cpu_bubble.divide(views.parts, bubble, machine.cpus, options)
    except cpu_assignment.NotEnoughCpusError as error:
        # The kubelet finds stale CPUs by their containers, of which none is recorded yet: these stay taken for good.
        cpus.begin()
        raise unexpected(str(error)) from None


def _allocate_memory(
    views: _Views, affinity: Affinity, memory: MemoryManager | None
) -> tuple[Blocks, Division[Blocks]]:
    """Mirror MM/policy_static.go:AllocatePod: a total that cannot be read leaves the pod unpinned, without a word."""
    total = _memory_total(views.whole)
    if memory is None or not total:
        return (), Division({}, {})
    problem = memory_bubble.why_empty(views.parts, total)
    if problem is not None:
        raise empty_pool(problem)
    memory.allocate(views.whole, views.whole.containers[0], affinity)
    blocks = tuple(memory.blocks[pod_level.WHOLE])
    return blocks, memory_bubble.divide(views.parts, blocks)


def _cpu_total(whole: PodFacts) -> int:
    return exclusive_cpus(whole, whole.containers[0])


def _memory_total(whole: PodFacts) -> Request:
    try:
        return pod_request(whole) if is_pinnable(whole) else {}
    except UnrepresentableError:
        return {}
