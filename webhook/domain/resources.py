"""Resource names of Kubernetes, and sums over lists of resources."""

from collections.abc import Mapping
from typing import TypeAlias

from webhook.domain.quantity import ZERO
from webhook.domain.quantity import Quantity

CPU = "cpu"
MEMORY = "memory"
HUGEPAGES_PREFIX = "hugepages-"
_TEN_MILLI = Quantity.of_milli(10)
COMPUTE = (CPU, MEMORY)
"""The two resources that decide the QoS class."""
LEAST_MEMORY = Quantity.of_bytes(1 << 20)
"""No container starts with less."""

ResourceList: TypeAlias = Mapping[str, Quantity]
"""Quantities by resource name; a missing name counts as zero."""


def is_extended(name: str) -> bool:
    """Tell an extended resource from a native one.

    Mirrors pkg/apis/core/helper/helpers.go:IsExtendedResourceName: a domain of its own, outside kubernetes.io.
    """
    domain, slash, _ = name.partition("/")
    return bool(slash) and not (domain == "kubernetes.io" or domain.endswith(".kubernetes.io"))


def is_never_overcommitted(name: str) -> bool:
    """Tell whether request and limit must be equal: extended resources and huge pages.

    Mirrors pkg/apis/core/v1/helper/helpers.go:IsOvercommitAllowed.
    """
    return is_extended(name) or name.startswith(HUGEPAGES_PREFIX)


def is_pod_level(name: str) -> bool:
    """Tell whether spec.resources may name it (RH:IsSupportedPodLevelResource): cpu, memory, huge pages."""
    return name in COMPUTE or name.startswith(HUGEPAGES_PREFIX)


def add(first: ResourceList, second: ResourceList) -> dict[str, Quantity]:
    """Add two lists per name (RH:addResourceList)."""
    total = dict(first)
    for name, quantity in second.items():
        total[name] = total[name] + quantity if name in total else quantity
    return total


def maximum(first: ResourceList, second: ResourceList) -> dict[str, Quantity]:
    """Take the greater of two lists per name (RH:maxResourceList)."""
    top = dict(first)
    for name, quantity in second.items():
        if name not in top or quantity > top[name]:
            top[name] = quantity
    return top


def amount(resources: ResourceList, name: str) -> Quantity:
    """Answer the quantity under `name`, zero where there is none."""
    return resources.get(name, ZERO)


def below_whole(cpu: Quantity) -> Quantity:
    """Take 10m off a whole CPU, so that the kubelet gives its container no exclusive CPUs."""
    return cpu - _TEN_MILLI
