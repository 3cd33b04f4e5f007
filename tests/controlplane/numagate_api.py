"""What numagate's controller needs of a cluster: kinds of objects, a namespace, and roles for its service accounts."""

from typing import Any

from controlplane.identity import CONTROLLER
from controlplane.identity import SERVING

NAMESPACE = "numagate-system"
WORLD = "numagate-world"
LEASE = "numagate-controller"

_RBAC = "rbac.authorization.k8s.io"
_OURS = ["alignmentpolicies", "nodeprofiles"]
_READ = ["get", "list", "watch"]

CONTROLLER_RULES = [
    {"apiGroups": [""], "resources": ["nodes", "namespaces"], "verbs": _READ},
    {"apiGroups": ["topology.node.k8s.io"], "resources": ["noderesourcetopologies"], "verbs": _READ},
    {"apiGroups": ["resource.k8s.io"], "resources": ["resourceslices", "deviceclasses"], "verbs": _READ},
    {"apiGroups": ["numagate.io"], "resources": _OURS, "verbs": _READ},
    {"apiGroups": ["numagate.io"], "resources": [f"{one}/status" for one in _OURS], "verbs": ["patch"]},
]
"""What the controller may do everywhere."""

CONTROLLER_RULES_AT_HOME = [
    {
        "apiGroups": [""],
        "resources": ["configmaps"],
        "resourceNames": [WORLD],
        "verbs": ["get", "watch", "create", "patch"],
    },
    {
        "apiGroups": ["coordination.k8s.io"],
        "resources": ["leases"],
        "resourceNames": [LEASE],
        "verbs": ["get", "create", "update"],
    },
]
"""And what in its own namespace."""

SERVING_RULES = [{"apiGroups": [""], "resources": ["configmaps"], "resourceNames": [WORLD], "verbs": ["get", "watch"]}]
"""What a serving replica may do, in its own namespace."""


def objects() -> list[dict[str, Any]]:
    """Answer all objects, in an order in which they can be created."""
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        definition("numagate.io", "v1alpha1", "AlignmentPolicy", "alignmentpolicies"),
        definition("numagate.io", "v1alpha1", "NodeProfile", "nodeprofiles"),
        definition("topology.node.k8s.io", "v1alpha2", "NodeResourceTopology", "noderesourcetopologies"),
        *_granted("ClusterRole", "numagate-controller", CONTROLLER, CONTROLLER_RULES),
        *_granted("Role", "numagate-controller", CONTROLLER, CONTROLLER_RULES_AT_HOME),
        *_granted("Role", "numagate", SERVING, SERVING_RULES),
    ]


def definition(group: str, version: str, kind: str, plural: str) -> dict[str, Any]:
    """Define a cluster-scoped kind that takes everything."""
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": f"{plural}.{group}",
            # The group belongs to the Kubernetes project, which wants a word of approval.
            "annotations": {"api-approved.kubernetes.io": "unapproved, a test"} if group.endswith(".k8s.io") else {},
        },
        "spec": {
            "group": group,
            "scope": "Cluster",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"},
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": anything},
                    "subresources": {"status": {}} if group == "numagate.io" else {},
                }
            ],
        },
    }


def _granted(kind: str, name: str, user: str, rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    home = {} if kind == "ClusterRole" else {"namespace": NAMESPACE}
    return [
        {"apiVersion": f"{_RBAC}/v1", "kind": kind, "metadata": {"name": name, **home}, "rules": rules},
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": f"{kind}Binding",
            "metadata": {"name": name, **home},
            "roleRef": {"apiGroup": _RBAC, "kind": kind, "name": name},
            "subjects": [{"apiGroup": _RBAC, "kind": "User", "name": user}],
        },
    ]
