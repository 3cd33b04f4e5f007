"""The grammar of documents: what every model shares, and how its errors become lines a person can act on."""

from collections.abc import Mapping
from typing import Annotated
from typing import Any
from typing import ClassVar
from typing import Literal
from typing import LiteralString
from typing import Self
from typing import TypeAlias

from pydantic import AfterValidator
from pydantic import BaseModel
from pydantic import ConfigDict
from pydantic import Field
from pydantic import GetJsonSchemaHandler
from pydantic import StringConstraints
from pydantic import ValidationError
from pydantic import model_validator
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema
from pydantic_core import ErrorDetails
from pydantic_core import PydanticCustomError

from webhook.config import cel
from webhook.config.amounts import read_amount
from webhook.config.amounts import read_bytes
from webhook.config.amounts import read_count
from webhook.config.cel import QUANTITY
from webhook.config.document import Document
from webhook.config.overlay import written
from webhook.config.rules import Rule
from webhook.config.rules import add
from webhook.config.words import shorten
from webhook.config.words import suggest
from webhook.domain.errors import PolicyError
from webhook.domain.pointer import Path
from webhook.domain.writable import MOST_ENTRIES
from webhook.domain.writable import MOST_SIGNS
from webhook.domain.writable import RESOURCE_NAME

Text: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=MOST_SIGNS)]
Many = Field(max_length=MOST_ENTRIES)
ResourceName: TypeAlias = Annotated[str, StringConstraints(pattern=RESOURCE_NAME)]
Amount: TypeAlias = Annotated[object, QUANTITY, Rule(read_amount, *cel.NOT_NEGATIVE)]
"""A quantity that is not negative."""
Bytes: TypeAlias = Annotated[object, QUANTITY, Rule(read_bytes, *cel.WHOLE)]
"""A quantity that is a whole number and not negative."""
Count: TypeAlias = Annotated[int, AfterValidator(read_count)]

_OURS: LiteralString = "unknown_field"
_NOUNS: Mapping[str, str] = {
    "string_type": "text (quote it)",
    "list_type": "a list",
    "dict_type": "a map",
    "model_type": "a map",
    "bool_type": "true or false",
    "int_type": "a whole number",
}


class Model(BaseModel):
    """Base of all documents and their parts: camelCase, strict, frozen, and no unknown field.

    `together` are rules about several fields.
    """

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True, strict=True)

    together: ClassVar[tuple[Rule, ...]] = ()

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_fields(cls, value: object) -> object:
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for key in value if isinstance(value, dict) and cls.model_config.get("extra") == "forbid" else ():
            if key not in known:
                message = f"unknown field: {suggest(str(key), known)}"
                raise PydanticCustomError(_OURS, "{message}", {"message": message, "field": key})
        return value

    @model_validator(mode="after")
    def _keep_the_rules(self) -> Self:
        for rule in self.together:
            rule.check(self)
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        made = handler(schema)
        place = handler.resolve_ref_schema(made)
        place.update(add(place, *cls.together))
        return made


class Metadata(Model):
    """The metadata that a document of its own needs; what the API server adds is let through."""

    model_config = ConfigDict(extra="allow")

    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$")]


class Envelope(Model):
    """What both kinds of document have around their spec; `status` belongs to the API server."""

    api_version: Literal["numagate.io/v1alpha1"]
    kind: Text
    metadata: Metadata
    status: object = None


def check_model(document: Document, model: type[Model]) -> None:
    """Hold a document against its model.

    Raises:
        PolicyError: about the first error in the order of lines, with the number of further ones.
    """
    found = model_errors(document, model)
    if found:
        first = found[0]
        more = f" (+{len(found) - 1} more)" if len(found) > 1 else ""
        raise PolicyError(first.reason + more, source=first.source, line=first.line, field=first.field)


def model_errors(document: Document, model: type[Model]) -> tuple[PolicyError, ...]:
    """Answer all that a model does not allow, in the order of lines."""
    try:
        model.model_validate(written(document.data))
    except ValidationError as errors:
        return tuple(sorted((_translate(document, error) for error in errors.errors()), key=lambda error: error.line))
    return ()


def unknown_in(document: Document, model: type[Model]) -> tuple[Path, ...]:
    """Answer the fields that a model does not know; of several in one map, the first."""
    try:
        model.model_validate(written(document.data))
    except ValidationError as errors:
        return tuple(
            (*_path(document, error), error["ctx"]["field"]) for error in errors.errors() if error["type"] == _OURS
        )
    return ()


def _translate(document: Document, error: ErrorDetails) -> PolicyError:
    context: Mapping[str, Any] = error.get("ctx", {})
    path = _path(document, error)
    match error["type"]:
        case "unknown_field":
            return document.error((*path, context["field"]), context["message"])
        case "missing":
            name = str(error["loc"][-1])
            there = path[-1:] == (name,)  # written as null, which counts as not written
            return document.error(path if there else (*path, name), "required, but not written")
        case "value_error":
            return document.error(path, str(context["error"]))
    return document.error(path, shorten(error["input"]) + _complaint(error, context))


def _complaint(error: ErrorDetails, context: Mapping[str, Any]) -> str:
    """Go on after the value: what it should have been."""
    kind = error["type"]
    if kind in _NOUNS:
        return f" is not {_NOUNS[kind]}"
    if kind == "string_pattern_mismatch":
        return f" has signs that are not allowed here: it must match {context['pattern']}"
    if kind == "literal_error":
        words = str(context["expected"]).replace("'", "").replace(" or ", ", ").split(", ")
        return f" is not known: {suggest(str(error['input']), words)}"
    if kind == "too_short":
        return " is empty: write at least one"
    return f": {error['msg'][:1].lower()}{error['msg'][1:]}"


def _path(document: Document, error: ErrorDetails) -> Path:
    """Leave out the steps that pydantic adds for the branches of a union."""
    path: Path = ()
    for step in error["loc"]:
        if (*path, step) in document.lines:
            path = (*path, step)
    return path
