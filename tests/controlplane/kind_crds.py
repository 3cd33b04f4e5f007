"""Defines the kinds of operators for a test cluster, with as much schema as decides what numagate gets to see.

Whole templates are written out as their operators do: unknown fields are pruned, and quantities may be numbers. Around
them anything goes.
"""

from collections.abc import Iterable
from collections.abc import Mapping
from functools import reduce
from typing import Any

from caseobjects import Object

from webhook.domain.pod_path import EACH
from webhook.domain.pointer import Path
from webhook.domain.workload import Workload

ANYTHING: Object = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
_TEXT: Object = {"type": "string"}
_TEXTS: Object = {"type": "object", "additionalProperties": _TEXT}
_NUMBER = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
_QUANTITY = rf"^(\+|-)?{_NUMBER}(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?{_NUMBER}))?$"
_QUANTITIES: Object = {
    "type": "object",
    "additionalProperties": {
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": _QUANTITY,
        "x-kubernetes-int-or-string": True,
    },
}


def _fields(**properties: Object) -> Object:
    return {"type": "object", "properties": properties}


_RESOURCES = _fields(limits=_QUANTITIES, requests=_QUANTITIES)
_CONTAINERS: Object = {"type": "array", "items": _fields(name=_TEXT, image=_TEXT, resources=_RESOURCES)}
_TEMPLATE = _fields(
    metadata=_fields(labels=_TEXTS, annotations=_TEXTS),
    spec=_fields(containers=_CONTAINERS, initContainers=_CONTAINERS, nodeSelector=_TEXTS, restartPolicy=_TEXT),
)

FREE_TEMPLATES = ("kaito.sh",)
"""Groups whose operators read templates themselves: the API server takes anything there."""
WITHOUT_STATUS = ("serving-runtime", "cluster-serving-runtime", "training-runtime", "cluster-training-runtime")
"""Kinds without a status of their own to write: every change but one of metadata makes a new generation of them."""


def definitions(kinds: Iterable[Workload], examples: Mapping[str, Object]) -> list[Object]:
    """Define every kind that is not built in; `examples`, by name, show which members are lists and which are maps."""
    return [definition(kind, examples.get(kind.name, {})) for kind in kinds if "." in kind.group]


def definition(kind: Workload, example: Object) -> Object:
    """Define a kind in all versions that are known of it."""
    names = {"kind": kind.kind, "listKind": f"{kind.kind}List", "plural": kind.resource, "singular": kind.kind.lower()}
    subresources: Object = {} if kind.name in WITHOUT_STATUS else {"subresources": {"status": {}}}
    schema = {"openAPIV3Schema": _schema(kind, example)}
    versions = [
        {"name": version, "served": True, "storage": not index, "schema": schema, **subresources}
        for index, version in enumerate(kind.versions)
    ]
    scope = "Cluster" if kind.namespaced is False else "Namespaced"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{kind.resource}.{kind.group}"},
        "spec": {"group": kind.group, "scope": scope, "names": names, "versions": versions},
    }


def _schema(kind: Workload, example: Object) -> Object:
    bases = [one.base for one in kind.pods if one.is_template and one.base and kind.group not in FREE_TEMPLATES]
    return reduce(_merged, (_around(base, example) for base in bases), ANYTHING)


def _around(path: Path, example: Any) -> Object:
    """Answer the schema of a value that has a template at `path` and is otherwise free."""
    if not path:
        return _TEMPLATE
    step, rest = path[0], path[1:]
    if step != EACH:
        inner = _around(rest, example.get(step, {}) if isinstance(example, dict) else {})
        return {**ANYTHING, "properties": {str(step): inner}}
    if isinstance(example, dict) and example:
        return {"type": "object", "additionalProperties": _around(rest, next(iter(example.values())))}
    return {"type": "array", "items": _around(rest, example[0] if example else {})}


def _merged(left: Object, right: Object) -> Object:
    both = {key: _merged(left[key], right[key]) for key in left.keys() & right.keys() if isinstance(left[key], dict)}
    return {**left, **right, **both}
