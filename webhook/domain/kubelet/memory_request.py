"""What a container or a pod asks of the memory manager, in bytes (MM/policy_static.go)."""

from typing import TypeAlias

from webhook.domain.kubelet.memory_table import is_memory
from webhook.domain.pod import Container
from webhook.domain.pod import ContainerKind
from webhook.domain.pod import PodFacts

Request: TypeAlias = dict[str, int]
"""Bytes by resource: memory, hugepages-…"""


class UnrepresentableError(Exception):
    """A quantity has no int64 value: it has fractional bytes, or too many digits."""


def container_request(container: Container) -> Request:
    """Mirror getContainerRequestedResources.

    Raises:
        UnrepresentableError: an amount is no whole number of bytes.
    """
    request: Request = {}
    for resource, quantity in container.requests.items():
        if is_memory(resource):
            size = quantity.as_int64()
            if size is None:
                raise UnrepresentableError
            request[resource] = size
    return request


def pod_request(pod: PodFacts) -> Request:
    """Mirror getPodRequestedResources: the most at once, but only of what some app container asks for.

    Raises:
        UnrepresentableError: an amount is no whole number of bytes.
    """
    peak: Request = {}
    sidecars: Request = {}
    apps: Request = {}
    for container in pod.containers:
        for resource, size in container_request(container).items():
            if container.kind is ContainerKind.SIDECAR:
                _add(sidecars, resource, size)
            elif container.kind is ContainerKind.INIT:
                peak[resource] = max(peak.get(resource, 0), sidecars.get(resource, 0) + size)
            else:
                _add(apps, resource, size)
    return {resource: max(size + sidecars.get(resource, 0), peak.get(resource, 0)) for resource, size in apps.items()}


def _add(totals: Request, resource: str, size: int) -> None:
    totals[resource] = totals.get(resource, 0) + size
