"""How a pod with spec.resources divides the memory that it was given as a whole (MM/policy_static.go:AllocatePod).

The pod is seen by container here (see `pod_level`): memory of those that are not Guaranteed on their own does not
count. All blocks of the pod lie on the same NUMA nodes.
"""

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final
from typing import TypeAlias

from webhook.domain.kubelet.division import Division
from webhook.domain.kubelet.memory_manager import Block
from webhook.domain.kubelet.memory_request import Request
from webhook.domain.kubelet.memory_request import UnrepresentableError
from webhook.domain.kubelet.memory_request import container_request
from webhook.domain.pod import ContainerKind
from webhook.domain.pod import PodFacts

Blocks: TypeAlias = tuple[Block, ...]

_UINT64: Final = 1 << 64


def why_empty(pod: PodFacts, total: Request) -> str | None:
    """Answer why some container would have to share an empty pool, or cannot be read; None where all is well.

    Mirrors validatePodScopeResources; where several resources lack, the kubelet names any of them, we the first by
    name.
    """
    try:
        return _why_empty(pod, total)
    except UnrepresentableError:
        return "[memorymanager] failed to represent quantity as int64"


def _why_empty(pod: PodFacts, total: Request) -> str | None:
    exclusive: Request = {}
    shared = False
    for container in pod.containers:
        request = container_request(container)
        if container.kind is not ContainerKind.INIT:
            _add(exclusive, request)
            shared = shared or not request
        elif not request and (used_up := _used_up(exclusive, total)):
            return f"pod rejected, pod has shared init containers but no {used_up} available for them"
    if shared and (used_up := _used_up(exclusive, total)):
        return (
            f"pod rejected, sum of exclusive container {used_up} requests equals pod budget, "
            "leaving no memory for shared containers"
        )
    return None


def divide(pod: PodFacts, bubble: Sequence[Block]) -> Division[Blocks]:
    """Give each container memory of its own or what is left; init containers have all that no sidecar took.

    The kubelet's unsigned numbers wrap around where containers ask for more than spec.resources, which the API server
    refuses.
    """
    mask = bubble[0].mask
    left = {block.resource: block.size for block in bubble}
    own: dict[str, Blocks] = {}
    pool: dict[str, Blocks] = {}
    for container in pod.containers:
        request = container_request(container)
        if request:
            own[container.name] = _blocks(request, mask)
            if container.kind is not ContainerKind.INIT:
                _take(left, request, container.kind)
        elif container.kind is ContainerKind.INIT:
            pool[container.name] = _blocks(left, mask)
    rest = _blocks(left, mask)
    pool.update({one.name: rest for one in pod.containers if one.name not in own and one.name not in pool})
    return Division(own, pool)


def _used_up(used: Mapping[str, int], total: Request) -> str | None:
    return next((name for name in sorted(total) if used.get(name, 0) >= total[name]), None)


def _add(totals: Request, request: Request) -> None:
    for resource, size in request.items():
        totals[resource] = totals.get(resource, 0) + size


def _take(left: Request, request: Request, kind: ContainerKind) -> None:
    for resource, size in request.items():
        if size and (resource in left or kind is ContainerKind.APP):
            left[resource] = (left.get(resource, 0) - size) % _UINT64


def _blocks(sizes: Mapping[str, int], mask: int) -> Blocks:
    found: Iterable[tuple[str, int]] = ((resource, size) for resource, size in sizes.items() if size)
    return tuple(Block(resource, mask, size) for resource, size in found)
