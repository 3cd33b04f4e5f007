"""Fills in what the API server fills in, so that objects that never met a server are read like those that did.

The functions work on resource lists, are idempotent, and never change a list they are given.
"""

from collections.abc import Sequence

from webhook.domain import demand
from webhook.domain.quantity import Quantity
from webhook.domain.resources import HUGEPAGES_PREFIX
from webhook.domain.resources import ResourceList
from webhook.domain.resources import is_pod_level
from webhook.domain.versions import NEWEST
from webhook.domain.versions import Rules


def container_requests(requests: ResourceList, limits: ResourceList) -> ResourceList:
    """Give every limit without a request that request (pkg/apis/core/v1/defaults.go:SetDefaults_Pod)."""
    if limits.keys() <= requests.keys():
        return requests
    return {**limits, **requests}


def pod_resources(
    requests: ResourceList, limits: ResourceList, containers: Sequence[demand.Step], rules: Rules = NEWEST
) -> tuple[ResourceList, ResourceList]:
    """Default spec.resources as Kubernetes 1.37 does in pod creation, after the mutating webhooks.

    Mirrors pkg/api/pod/util.go:DefaultPodLevelResources. Earlier versions defaulted at decoding, huge pages and
    requests only, and no requests where there are no limits (core/v1/defaults.go:defaultPodRequests).
    """
    if not requests and not limits:
        return requests, limits
    total_limits = demand.aggregate((kind, own) for kind, _, own in containers)
    all_limits = dict(limits)
    for name, quantity in total_limits.items():
        if name.startswith(HUGEPAGES_PREFIX) and name not in requests:
            all_limits.setdefault(name, quantity)
    if not all_limits and not rules.completes_pod_resources:
        return requests, limits
    all_requests = _pod_requests(requests, all_limits, containers)
    for name, request in all_requests.items() if rules.completes_pod_resources else ():
        everywhere = all(name in own for _, _, own in containers)
        if is_pod_level(name) and name not in all_limits and everywhere and name in total_limits:
            all_limits[name] = max(request, total_limits[name])
    return all_requests, all_limits


def _pod_requests(
    requests: ResourceList, limits: ResourceList, containers: Sequence[demand.Step]
) -> dict[str, Quantity]:
    """Fill in what the containers request together, then what the pod is limited to."""
    found = dict(requests)
    for name, quantity in demand.aggregate((kind, own) for kind, own, _ in containers).items():
        if is_pod_level(name) and not name.startswith(HUGEPAGES_PREFIX):
            found.setdefault(name, quantity)
    for name, quantity in limits.items():
        if is_pod_level(name):
            found.setdefault(name, quantity)
    return found
