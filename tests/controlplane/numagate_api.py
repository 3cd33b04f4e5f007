"""What numagate's controller needs of a cluster: kinds of objects, a namespace, and roles for its service accounts."""

from typing import Any

from webhook.manifests.choices import read_settings
from webhook.manifests.crds import crds
from webhook.manifests.rbac import controller_rights
from webhook.manifests.rbac import issuing_rights
from webhook.manifests.rbac import serving_rights

SETTINGS = read_settings()
NAMESPACE = SETTINGS.namespace


def objects() -> list[dict[str, Any]]:
    """Answer all objects, in an order in which they can be created; those of numagate are as they are rendered."""
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        *crds(),
        reports_definition(),
        *controller_rights(SETTINGS),
        *issuing_rights(SETTINGS),
        *serving_rights(SETTINGS),
    ]


def reports_definition() -> dict[str, Any]:
    """Define NodeResourceTopology with a schema that takes everything."""
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    names = {
        "kind": "NodeResourceTopology",
        "plural": "noderesourcetopologies",
        "singular": "noderesourcetopology",
        "listKind": "NodeResourceTopologyList",
    }
    version = {"name": "v1alpha2", "served": True, "storage": True, "schema": {"openAPIV3Schema": anything}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": "noderesourcetopologies.topology.node.k8s.io",
            # The group belongs to the Kubernetes project, which wants a word of approval.
            "annotations": {"api-approved.kubernetes.io": "unapproved, a test"},
        },
        "spec": {"group": "topology.node.k8s.io", "scope": "Cluster", "names": names, "versions": [version]},
    }
