"""Resource names of Kubernetes, and sums over lists of resources."""

from collections.abc import Mapping
from typing import TypeAlias

from webhook.domain.quantity import ZERO
from webhook.domain.quantity import Quantity

CPU = "cpu"
MEMORY = "memory"
_INT64_MAX = 2**63 - 1
HUGEPAGES_PREFIX = "hugepages-"
COMPUTE = (CPU, MEMORY)
"""The two resources that decide the QoS class."""

ResourceList: TypeAlias = Mapping[str, Quantity]
"""Quantities by resource name; a missing name counts as zero."""


def is_extended(name: str) -> bool:
    """Tell an extended resource from a native one.

    Mirrors pkg/apis/core/helper/helpers.go:IsExtendedResourceName: a domain of its own, outside kubernetes.io.
    """
    domain, slash, _ = name.partition("/")
    return bool(slash) and not (domain == "kubernetes.io" or domain.endswith(".kubernetes.io"))


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


def is_whole(quantity: Quantity) -> bool:
    """Tell whether a quantity has no fraction; one too large for 64 bits counts as whole, it fits nowhere anyway."""
    return quantity.milli % 1000 == 0 or quantity.value >= _INT64_MAX
