"""The pod's QoS class, by the exact rules of Kubernetes 1.37."""

from collections.abc import Iterable

from webhook.domain.pod import QOSClass
from webhook.domain.resources import COMPUTE
from webhook.domain.resources import ResourceList
from webhook.domain.resources import amount


def of_requirements(requests: ResourceList, limits: ResourceList) -> QOSClass:
    """Answer the class of one block of requests and limits (QOS:requirementsQOS)."""
    classes = {_of_resource(requests, limits, name) for name in COMPUTE}
    return classes.pop() if len(classes) == 1 else QOSClass.BURSTABLE


def of_pod(containers: Iterable[tuple[ResourceList, ResourceList]]) -> QOSClass:
    """Answer the class of init and app containers together (QOS:ComputePodQOS).

    Ephemeral containers and overhead do not count. A pod with spec.resources is judged by that block alone instead.
    """
    classes = {of_requirements(requests, limits) for requests, limits in containers} or {QOSClass.BEST_EFFORT}
    return classes.pop() if len(classes) == 1 else QOSClass.BURSTABLE


def _of_resource(requests: ResourceList, limits: ResourceList, name: str) -> QOSClass:
    request, limit = amount(requests, name), amount(limits, name)
    if request != limit:
        return QOSClass.BURSTABLE
    return QOSClass.BEST_EFFORT if request.is_zero else QOSClass.GUARANTEED
