"""A rule of the grammar that is said twice, side by side: in Python, and in the CEL that a CRD gives the API server."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import GetCoreSchemaHandler
from pydantic import GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from pydantic_core import core_schema

CEL = "x-kubernetes-validations"
"""The field of a CRD's schema that holds rules."""


@dataclass(frozen=True, slots=True)
class Rule:
    """An annotation of a type, or a member of a model's `together`.

    `check` answers the value or raises ValueError with a message about it. `cel` is true of every value that `check`
    takes; a value that it cannot tell apart is left to the webhook, which asks `check`. `message` is constant.
    """

    check: Callable[[Any], Any]
    cel: str
    message: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return add(handler(schema), self)


def add(schema: JsonSchemaValue, *rules: Rule) -> JsonSchemaValue:
    """Answer `schema` with the CEL of `rules` behind what is there."""
    if not rules:
        return schema
    written = [{"rule": rule.cel, "message": rule.message} for rule in rules]
    return {**schema, CEL: [*schema.get(CEL, []), *written]}
