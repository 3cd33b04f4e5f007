"""Pods with spec.resources as the managers see them where the gate PodLevelResourceManagers is on.

Both views are ordinary pods, so the managers need to know nothing of the gate.
"""

from dataclasses import replace
from typing import Final

from webhook.domain.kubelet.memory_table import is_memory
from webhook.domain.pod import Container
from webhook.domain.pod import ContainerKind
from webhook.domain.pod import PodFacts
from webhook.domain.pod import QOSClass
from webhook.domain.qos import of_requirements
from webhook.domain.resources import CPU

WHOLE: Final = ""
"""The name of the one container that stands for the whole pod; no real container has it."""


def by_container(pod: PodFacts) -> PodFacts:
    """See the pod as its containers: of those that are not Guaranteed on their own, no CPU and memory are managed.

    Mirrors CPU/policy_static.go:guaranteedCPUs and MM/policy_static.go:getContainerRequestedResources.
    """
    containers = tuple(one if _is_guaranteed(one) else replace(one, requests={}) for one in pod.containers)
    return replace(pod, containers=containers, resources_set=False)


def as_one(pod: PodFacts) -> PodFacts:
    """See the pod as one container that asks for spec.resources; devices are not among them.

    Mirrors CPU/policy_static.go:podGuaranteedCPUs and MM/policy_static.go:getPodRequestedResources.
    """
    requests = {
        name: quantity
        for name, quantity in pod.pod_requests.items()
        if name == CPU or (is_memory(name) and not quantity.is_zero)
    }
    whole = Container(WHOLE, ContainerKind.APP, ("spec",), image="", command=(), requests=requests, limits={})
    return replace(pod, containers=(whole,), resources_set=False)


def _is_guaranteed(container: Container) -> bool:
    """Mirror pkg/kubelet/cm/qos/helpers.go:IsContainerEquivalentQOSGuaranteed."""
    return of_requirements(container.requests, container.limits) is QOSClass.GUARANTEED
