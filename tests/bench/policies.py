"""What the policies of the comparison say, and where each is at work: in a namespace of its own."""

from collections.abc import Mapping
from typing import Any

RULES: Mapping[str, str] = {
    "CPU and memory must be limited, with requests that are equal": (
        "variables.all.all(c, has(c.resources) && has(c.resources.limits) && has(c.resources.requests) && "
        "['cpu', 'memory'].all(r, r in c.resources.limits && r in c.resources.requests && "
        "quantity(string(c.resources.limits[r])).compareTo(quantity(string(c.resources.requests[r]))) == 0))"
    ),
    "a container with GPUs needs whole CPUs": (
        "variables.all.all(c, !('nvidia.com/gpu' in c.resources.limits) || "
        "quantity(string(c.resources.limits['cpu'])).isInteger())"
    ),
    "a NUMA node has no more than 4 GPUs": (
        "variables.all.all(c, !('nvidia.com/gpu' in c.resources.limits) || "
        "quantity(string(c.resources.limits['nvidia.com/gpu'])).asInteger() <= 4)"
    ),
}
"""What CEL can say of numagate's rules: messages to expressions. That the three fit together it cannot say."""

VARIABLES = ({"name": "all", "expression": "object.spec.containers + object.spec.?initContainers.orValue([])"},)


def namespace_of(name: str) -> str:
    """Answer the namespace in which the policy or webhook `name` is at work."""
    return "bench-" + "-".join("".join(char if char.isalnum() else " " for char in name.lower()).split())


def only_in(namespace: str) -> dict[str, Any]:
    """Answer the selector of one namespace."""
    return {"matchLabels": {"kubernetes.io/metadata.name": namespace}}


def pods_created() -> dict[str, Any]:
    """Answer the rule that every policy and webhook of the comparison is registered by."""
    return {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}
