"""How a pod with spec.resources divides the CPUs that it was given as a whole (CPU/policy_static.go:AllocatePod).

The pod is seen by container here (see `pod_level`): CPUs of those that are not Guaranteed on their own do not count.
"""

from webhook.domain.kubelet import cpu_assignment
from webhook.domain.kubelet.cpu_manager import exclusive_cpus
from webhook.domain.kubelet.cpu_topology import CpuTopology
from webhook.domain.kubelet.division import Division
from webhook.domain.kubelet.options import CpuOptions
from webhook.domain.pod import ContainerKind
from webhook.domain.pod import PodFacts


def why_empty(pod: PodFacts, total: int) -> str | None:
    """Answer why some container would have to share an empty pool; None where none has to.

    Mirrors validatePodScopeResources.
    """
    exclusive, shared = 0, False
    for container in pod.containers:
        count = exclusive_cpus(pod, container)
        if container.kind is not ContainerKind.INIT:
            exclusive += count
            shared = shared or count == 0
        elif count == 0 and exclusive >= total:
            return "pod rejected, pod has shared init containers but no cpus available for them"
    if shared and exclusive >= total:
        return (
            "pod rejected, sum of exclusive container cpu requests equals pod budget, "
            "leaving no cpus for shared containers"
        )
    return None


def divide(pod: PodFacts, bubble: int, topology: CpuTopology, options: CpuOptions) -> Division[int]:
    """Give each container CPUs of its own or what is left; init containers have all that no sidecar took.

    Raises:
        NotEnoughCpusError: the containers ask for more than spec.resources, which the API server refuses.
    """
    own: dict[str, int] = {}
    pool: dict[str, int] = {}
    left = bubble
    for container in pod.containers:
        count = exclusive_cpus(pod, container)
        if count:
            own[container.name] = taken = cpu_assignment.take(topology, left, count, options)
            if container.kind is not ContainerKind.INIT:
                left &= ~taken
        elif container.kind is ContainerKind.INIT:
            pool[container.name] = left
    pool.update({one.name: left for one in pod.containers if one.name not in own and one.name not in pool})
    return Division(own, pool)
