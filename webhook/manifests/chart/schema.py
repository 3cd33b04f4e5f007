"""Pieces of the JSON schema of values.yaml; the documents of a policy have those of their own grammar."""

from collections.abc import Mapping
from typing import Any
from typing import TypeAlias

from webhook.config.policy_schema import AlignmentPolicy
from webhook.config.profile_schema import NodeProfile
from webhook.config.schema import Model
from webhook.domain import api
from webhook.manifests.certificates import Certificates
from webhook.manifests.settings import LABELS as OWN_LABELS
from webhook.manifests.settings import MODE_LABEL
from webhook.manifests.settings import Mode
from webhook.manifests.settings import Source

Schema: TypeAlias = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"
ANY_MAP: Schema = {"type": "object"}
STRINGS: Schema = {"type": "object", "additionalProperties": {"type": "string"}}
LABELS: Schema = {**STRINGS, "properties": dict.fromkeys(sorted({*OWN_LABELS, MODE_LABEL}), False)}
"""Labels beside those that the objects have; selectors go by these."""


_MODELS: Mapping[str, type[Model]] = {api.POLICY: AlignmentPolicy, api.PROFILE: NodeProfile}
_NOT_FOR_VALUES = ("title", "default")


def one_of(*words: str) -> Schema:
    """Allow these words."""
    return {"enum": list(words)}


def text(pattern: str | None = None) -> Schema:
    """Allow text that matches."""
    return {"type": "string"} if pattern is None else {"type": "string", "pattern": pattern}


def whole(least: int) -> Schema:
    """Allow whole numbers from `least` on."""
    return {"type": "integer", "minimum": least}


def items(schema: Schema) -> Schema:
    """Allow lists of what `schema` allows."""
    return {"type": "array", "items": schema}


def _rule(section: str, when: Schema, then: Schema, *, of: str | None = None) -> Schema:
    """Demand something of `of` (the same section, without it) where `section` is `when`."""
    return {
        "if": {"properties": {section: when}, "required": [section]},
        "then": {"properties": {of or section: then}},
    }


def _where(**properties: Schema) -> Schema:
    return {"properties": properties, "required": list(properties)}


_SOME_TEXT: Schema = {"minLength": 1}
TOGETHER: Schema = {
    "allOf": [
        # Where a request without an answer is refused, one pod that ends must not be the only one.
        _rule("mode", {"const": Mode.ENFORCE.value}, {"properties": {"replicas": {"minimum": 2}}}, of="serving"),
        # Without a controller there is nobody to issue.
        _rule(
            "policy",
            _where(source={"const": Source.FILE.value}),
            _where(mode=one_of(Certificates.CERT_MANAGER.value, Certificates.SELF_SIGNED.value)),
            of="certificates",
        ),
        # Agents judge by the policies of the controller's snapshot.
        _rule("agent", _where(enabled={"const": True}), _where(source=one_of(Source.OBJECTS.value)), of="policy"),
        _rule("certificates", _where(caBundle=_SOME_TEXT), _where(mode=one_of(Certificates.SELF_SIGNED.value))),
        _rule("webhooks", _where(controllerUrl=_SOME_TEXT), _where(url=_SOME_TEXT)),
        # Names that nobody compares with look like a lock.
        _rule("clientAuth", _where(names={"minItems": 1}), _where(enabled={"const": True})),
    ]
}
"""What values ask of each other."""


def definitions() -> dict[str, Schema]:
    """Answer the schemas of our documents, and one that chooses between them by kind."""
    made: dict[str, Schema] = {
        "Document": {
            "type": "object",
            "required": ["apiVersion", "kind", "metadata"],
            "properties": {"apiVersion": {"const": api.API_VERSION}, "kind": {"enum": list(_MODELS)}},
            "allOf": [
                {"if": {"properties": {"kind": {"const": kind}}}, "then": {"$ref": f"#/$defs/{kind}"}}
                for kind in _MODELS
            ],
        }
    }
    for kind, model in _MODELS.items():
        schema = _cleaned(model.model_json_schema())
        made |= schema.pop("$defs", {})
        made[kind] = schema
    return made


def _cleaned(node: Any) -> Any:
    """Leave out what only CRDs and Python read; names of fields stay, whatever they are."""
    match node:
        case dict():
            return {
                key: {name: _cleaned(one) for name, one in value.items()}
                if key in ("properties", "$defs")
                else _cleaned(value)
                for key, value in node.items()
                if key not in _NOT_FOR_VALUES and not key.startswith("x-kubernetes-")
            }
        case list():
            return [_cleaned(one) for one in node]
    return node
