"""Fills in what the API server fills in, so that objects that never met a server are read like those that did.

The functions work on resource lists, are idempotent, and never change a list they are given.
"""

from collections.abc import Sequence

from webhook.domain import demand
from webhook.domain.resources import HUGEPAGES_PREFIX
from webhook.domain.resources import ResourceList
from webhook.domain.resources import is_pod_level


def container_requests(requests: ResourceList, limits: ResourceList) -> ResourceList:
    """Give every limit without a request that request (pkg/apis/core/v1/defaults.go:SetDefaults_Pod)."""
    if limits.keys() <= requests.keys():
        return requests
    return {**limits, **requests}


def pod_resources(
    requests: ResourceList, limits: ResourceList, containers: Sequence[demand.Step]
) -> tuple[ResourceList, ResourceList]:
    """Default spec.resources as Kubernetes 1.37 does in pod creation, after the mutating webhooks.

    Mirrors pkg/api/pod/util.go:DefaultPodLevelResources. Earlier versions did the first two steps at decoding; the
    third (limits) is new, and a pod judged by it is judged as 1.37 will see it.
    """
    if not requests and not limits:
        return requests, limits
    all_requests, all_limits = dict(requests), dict(limits)
    total_limits = demand.aggregate((kind, own) for kind, _, own in containers)
    total_requests = demand.aggregate((kind, own) for kind, own, _ in containers)
    for name, quantity in total_limits.items():
        if name.startswith(HUGEPAGES_PREFIX) and name not in all_requests:
            all_limits.setdefault(name, quantity)
    for name, quantity in total_requests.items():
        if is_pod_level(name) and not name.startswith(HUGEPAGES_PREFIX):
            all_requests.setdefault(name, quantity)
    for name, quantity in all_limits.items():
        if is_pod_level(name):
            all_requests.setdefault(name, quantity)
    for name, request in all_requests.items():
        everywhere = all(name in own for _, _, own in containers)
        if is_pod_level(name) and name not in all_limits and everywhere and name in total_limits:
            all_limits[name] = max(request, total_limits[name])
    return all_requests, all_limits
