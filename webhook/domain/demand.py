"""What a pod asks of a node: the effective request over all its containers."""

from collections.abc import Iterable
from typing import TypeAlias

from webhook.domain.pod import ContainerKind
from webhook.domain.pod import PodFacts
from webhook.domain.quantity import Quantity
from webhook.domain.resources import ResourceList
from webhook.domain.resources import add
from webhook.domain.resources import is_pod_level
from webhook.domain.resources import maximum

Step: TypeAlias = tuple[ContainerKind, ResourceList, ResourceList]
"""A container's kind, requests and limits."""


def aggregate(containers: Iterable[tuple[ContainerKind, ResourceList]]) -> dict[str, Quantity]:
    """Sum what runs at once and take the greatest step (RH:aggregateContainerResourcesByFn).

    App containers and sidecars run together; a regular init container runs beside the sidecars before it.
    `containers` come in the kubelet's order, init containers first.
    """
    running: dict[str, Quantity] = {}
    sidecars: dict[str, Quantity] = {}
    peak: dict[str, Quantity] = {}
    for kind, resources in containers:
        if kind is ContainerKind.INIT:
            peak = maximum(peak, add(sidecars, resources))
            continue
        running = add(running, resources)
        if kind is ContainerKind.SIDECAR:
            sidecars = add(sidecars, resources)
            peak = maximum(peak, sidecars)
    return maximum(running, peak)


def effective_requests(facts: PodFacts) -> ResourceList:
    """Answer the request that the scheduler and the kubelet's fit check use (RH:PodRequests), overhead included.

    What spec.resources name replaces the sum over the containers.
    """
    total = aggregate((container.kind, container.requests) for container in facts.containers)
    total.update({name: quantity for name, quantity in facts.pod_requests.items() if is_pod_level(name)})
    return add(total, facts.overhead)
