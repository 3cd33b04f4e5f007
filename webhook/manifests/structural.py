"""Turns the JSON schema of a model into the structural schema of a CRD: one type in each place, and no references."""

import re
from collections.abc import Mapping
from typing import Any
from typing import TypeAlias

from webhook.config.rules import CEL
from webhook.config.schema import Model
from webhook.manifests.field_docs import field_docs
from webhook.manifests.match import text

Schema: TypeAlias = dict[str, Any]

_NULL = {"type": "null"}
_SELF = re.compile(r"\bself\b")
_KEPT = (
    "type",
    "x-kubernetes-int-or-string",
    "x-kubernetes-preserve-unknown-fields",
    "nullable",
    "enum",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "required",
)
"""What a structural schema takes over as it is, in the order it is written. Titles and defaults are left out: an object
holds what its author wrote, and built-in values come in when it is read."""


def structural(model: type[Model]) -> Schema:
    """Answer the schema of `model` with a description for every field that has one in the code."""
    made = model.model_json_schema()
    return _Inliner(made.pop("$defs", {}), field_docs(model)).schema(made)


class _Inliner:
    """Walks a JSON schema; `docs` are the descriptions of fields by the name of the model and their own."""

    def __init__(self, definitions: Mapping[str, Schema], docs: Mapping[str, Mapping[str, str]]) -> None:
        self._definitions = definitions
        self._docs = docs

    def schema(self, node: Schema) -> Schema:
        """Convert one place and all below it."""
        node = self._resolved(node)
        if not any(key in node for key in ("type", "x-kubernetes-int-or-string", "enum")):
            node = {**node, "x-kubernetes-preserve-unknown-fields": True}
        made: Schema = {"description": node["description"]} if "description" in node else {}
        made |= {key: node[key] for key in _KEPT if key in node}
        made |= self._members(node)
        values = made.get("additionalProperties", {})
        # An API server shows its rules nothing that has no type, nor a map of such.
        rules = [
            *node.get(CEL, []),
            *(_key_rules(node) if "x-kubernetes-preserve-unknown-fields" not in values else []),
        ]
        return {**made, CEL: rules} if rules else made

    def _resolved(self, node: Schema) -> Schema:
        """Follow references, and take null out of a choice: what is null counts as not written."""
        while True:
            if "$ref" in node:
                name = node["$ref"].rpartition("/")[2]
                node = {**self._definitions[name], **{key: value for key, value in node.items() if key != "$ref"}}
            elif _NULL in node.get("anyOf", ()):
                (one,) = (choice for choice in node["anyOf"] if choice != _NULL)
                node = {**one, **{key: value for key, value in node.items() if key != "anyOf"}}
            elif "const" in node:
                node = {**node, "enum": [node["const"]]}
                del node["const"]
            else:
                return node

    def _members(self, node: Schema) -> Schema:
        made: Schema = {}
        if "properties" in node:
            docs = self._docs.get(node.get("title", ""), {})
            made["properties"] = {
                name: self.schema({**member, **({"description": docs[name]} if name in docs else {})})
                for name, member in node["properties"].items()
            }
        if "items" in node:
            made["items"] = self.schema(node["items"])
        values = node.get("additionalProperties")
        for value in node.get("patternProperties", {}).values():
            values = value
        if isinstance(values, dict):
            nullable = {"nullable": True} if _NULL in values.get("anyOf", ()) else {}
            made["additionalProperties"] = self.schema({**values, **nullable})
        elif values is True:
            made["x-kubernetes-preserve-unknown-fields"] = True
        return made


def _key_rules(node: Schema) -> list[Schema]:
    """Answer the rules about the keys of a map, which a structural schema has no other place for."""
    names = node.get("propertyNames", {})
    rules = [(_SELF.sub("key", rule["rule"]), rule["message"]) for rule in names.get(CEL, [])]
    patterns = node.get("patternProperties", {})
    rules += [(f"key.matches({text(pattern)})", f"keys must match {pattern}") for pattern in patterns]
    return [{"rule": f"self.all(key, {rule})", "message": message} for rule, message in rules]
