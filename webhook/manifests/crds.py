"""The two CustomResourceDefinitions, generated from the models that read the file form of the same documents."""

from collections.abc import Iterable
from typing import Any

from webhook.config.policy_schema import AlignmentPolicy
from webhook.config.profile_schema import NodeProfile
from webhook.config.schema import Envelope
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
_REASON = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"
_TYPE = "^([a-z0-9.-]+/)?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$"


def crds() -> list[Manifest]:
    """Make both definitions."""
    return [
        _crd(AlignmentPolicy, POLICIES, "alignpol", _policy_columns()),
        _crd(NodeProfile, PROFILES, "nodeprof", _profile_columns(), nodes=_count("Nodes that the selector matches.")),
    ]


def _crd(model: type[Envelope], plural: str, short: str, columns: Iterable[Manifest], **status: Schema) -> Manifest:
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
        "subresources": {"status": {}},
        "additionalPrinterColumns": [*columns, *_common_columns()],
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


def _document(model: type[Envelope], status: dict[str, Schema]) -> Schema:
    """Put the model's spec between what every object has and the status that the controller writes."""
    made = structural(model)
    properties: dict[str, Schema] = {key: {"description": text, "type": "string"} for key, text in _STANDARD.items()}
    properties["metadata"] = {"type": "object"}
    properties["spec"] = made["properties"]["spec"]
    properties["status"] = _status(status)
    required = {"required": ["spec"]} if "spec" in made.get("required", ()) else {}
    return {"description": made["description"], "type": "object", **required, "properties": properties}


def _status(more: dict[str, Schema]) -> Schema:
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
    ]


def _profile_columns() -> list[Manifest]:
    return [
        _column("Machine", "string", ".spec.machine", "The machine of the library that it starts from."),
        _column("Nodes", "integer", ".status.nodes", "Nodes that the selector matches."),
    ]


def _common_columns() -> list[Manifest]:
    accepted = ".status.conditions[?(@.type=='Accepted')].status"
    return [
        _column("Accepted", "string", accepted, "Whether the object is in force."),
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
    ]


def _column(name: str, kind: str, path: str, description: str) -> Manifest:
    return {"name": name, "type": kind, "jsonPath": path, "description": description}
