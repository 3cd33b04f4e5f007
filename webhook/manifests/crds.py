"""The CustomResourceDefinitions, generated from the models of the same documents."""

from collections.abc import Iterable
from typing import Any

from webhook.config.alignment_schema import NodeAlignment
from webhook.config.policy_schema import AlignmentPolicy
from webhook.config.profile_schema import NodeProfile
from webhook.config.schema import Envelope
from webhook.domain.api import ALIGNMENTS
from webhook.domain.api import GROUP
from webhook.domain.api import POLICIES
from webhook.domain.api import PROFILES
from webhook.domain.api import VERSION
from webhook.manifests.settings import Manifest
from webhook.manifests.settings import metadata
from webhook.manifests.structural import Schema
from webhook.manifests.structural import structural

_STANDARD = {
    "apiVersion": "The version of this document.",
    "kind": "The kind of this document.",
}
_AGE: Manifest = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}
_REASON = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"
_TYPE = "^([a-z0-9.-]+/)?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$"


def crds() -> list[Manifest]:
    """Make the definitions of what people write, and of what the agents on the nodes do."""
    nodes = _count("Nodes that the selector matches.")
    return [
        _crd(AlignmentPolicy, POLICIES, "alignpol", _policy_columns(), _status()),
        _crd(NodeProfile, PROFILES, "nodeprof", _profile_columns(), _status(nodes=nodes)),
        _crd(NodeAlignment, ALIGNMENTS, "nodealign", _alignment_columns()),
    ]


def _crd(
    model: type[Envelope], plural: str, short: str, columns: Iterable[Manifest], status: Schema | None = None
) -> Manifest:
    """Make one; without `status` the object has none, and its writer needs no right but that to it."""
    kind = model.__name__
    names: Manifest = {
        "plural": plural,
        "singular": kind.lower(),
        "kind": kind,
        "listKind": f"{kind}List",
        "shortNames": [short],
        "categories": ["numagate"],
    }
    version = {
        "name": VERSION,
        "served": True,
        "storage": True,
        **({"subresources": {"status": {}}} if status is not None else {}),
        "additionalPrinterColumns": [*columns, _AGE],
        "schema": {"openAPIV3Schema": _document(model, status)},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata(f"{plural}.{GROUP}"),
        "spec": {
            "group": GROUP,
            "names": names,
            "scope": "Cluster",
            "versions": [version],
        },
    }


def _document(model: type[Envelope], status: Schema | None) -> Schema:
    """Put the model's spec between what every object has and the status that the controller writes, if any."""
    made = structural(model)
    properties: dict[str, Schema] = {key: {"description": text, "type": "string"} for key, text in _STANDARD.items()}
    properties["metadata"] = {"type": "object"}
    properties["spec"] = made["properties"]["spec"]
    if status is not None:
        properties["status"] = status
    required = {"required": ["spec"]} if "spec" in made.get("required", ()) else {}
    return {"description": made["description"], "type": "object", **required, "properties": properties}


def _status(**more: Schema) -> Schema:
    return {
        "description": "What the controller says about the object.",
        "type": "object",
        "properties": {
            "observedGeneration": _count("The generation of the object that this status is about."),
            **more,
            "conditions": {
                "description": "Accepted is True where the object is in force.",
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["type"],
                "items": _condition(),
            },
        },
    }


def _condition() -> Schema:
    """Write the standard condition of Kubernetes."""
    text: dict[str, Any] = {"type": "string"}
    return {
        "type": "object",
        "required": ["type", "status", "lastTransitionTime", "reason", "message"],
        "properties": {
            "type": {**text, "description": "Its name.", "pattern": _TYPE, "maxLength": 316},
            "status": {**text, "description": "Whether it holds.", "enum": ["True", "False", "Unknown"]},
            "observedGeneration": _count("The generation of the object that it is about."),
            "lastTransitionTime": {**text, "description": "When it last changed.", "format": "date-time"},
            "reason": {
                **text,
                "description": "Why, in one word.",
                "pattern": _REASON,
                "minLength": 1,
                "maxLength": 1024,
            },
            "message": {**text, "description": "Why, in a sentence.", "maxLength": 32768},
        },
    }


def _count(description: str) -> Schema:
    return {"description": description, "type": "integer", "format": "int64", "minimum": 0}


def _policy_columns() -> list[Manifest]:
    return [
        _column("Priority", "integer", ".spec.priority", "Of the policies that match a pod the highest governs it."),
        _column("Enforce", "string", ".spec.modes.enforce", "Pods below this level are refused; empty is aligned."),
        _column("Repair", "string", ".spec.modes.repair", "Pods are patched up to this level; empty is aligned."),
        _accepted(),
    ]


def _profile_columns() -> list[Manifest]:
    return [
        _column("Machine", "string", ".spec.machine", "The machine of the library that it starts from."),
        _column("Nodes", "integer", ".status.nodes", "Nodes that the selector matches."),
        _accepted(),
    ]


def _alignment_columns() -> list[Manifest]:
    policy = ".spec.kubelet.topologyManagerPolicy"
    return [
        _column("NUMA", "integer", ".spec.numaNodes", "NUMA nodes."),
        _column("Policy", "string", policy, "Policy of the kubelet's topology manager."),
        _column("Aligned", "integer", ".spec.pods.aligned", "Pods that are as they were promised."),
        _column("Misaligned", "integer", ".spec.pods.misaligned", "Pods that are not."),
        _column("Unknown", "integer", ".spec.pods.unknown", "Pods of which that cannot be told."),
        _column("Observed", "date", ".spec.observed", "Since when the agent has not looked again."),
    ]


def _accepted() -> Manifest:
    path = ".status.conditions[?(@.type=='Accepted')].status"
    return _column("Accepted", "string", path, "Whether the object is in force.")


def _column(name: str, kind: str, path: str, description: str) -> Manifest:
    return {"name": name, "type": kind, "jsonPath": path, "description": description}
