"""The grammar of documents: what every model shares, and how its errors become lines a person can act on."""

from collections.abc import Mapping
from typing import Annotated
from typing import Any
from typing import Literal
from typing import LiteralString
from typing import TypeAlias

from pydantic import AfterValidator
from pydantic import BaseModel
from pydantic import ConfigDict
from pydantic import StringConstraints
from pydantic import ValidationError
from pydantic import model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails
from pydantic_core import PydanticCustomError

from webhook.config.amounts import read_amount
from webhook.config.amounts import read_bytes
from webhook.config.amounts import read_count
from webhook.config.document import Document
from webhook.config.overlay import written
from webhook.config.words import shorten
from webhook.config.words import suggest
from webhook.domain.errors import PolicyError
from webhook.domain.pointer import Path

Text: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=512)]
ResourceName: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^([a-z0-9.-]+/)?[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$")
]
Amount: TypeAlias = Annotated[object, AfterValidator(read_amount)]
"""A quantity that is not negative."""
Bytes: TypeAlias = Annotated[object, AfterValidator(read_bytes)]
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
    """Base of all documents and their parts: camelCase, strict, frozen, and no unknown field."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_fields(cls, value: object) -> object:
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for key in value if isinstance(value, dict) and cls.model_config.get("extra") == "forbid" else ():
            if key not in known:
                message = f"unknown field: {suggest(str(key), known)}"
                raise PydanticCustomError(_OURS, "{message}", {"message": message, "field": key})
        return value


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
    try:
        model.model_validate(written(document.data))
    except ValidationError as errors:
        found = sorted((_translate(document, error) for error in errors.errors()), key=lambda error: error.line)
        first = found[0]
        more = f" (+{len(found) - 1} more)" if len(found) > 1 else ""
        raise PolicyError(first.reason + more, source=first.source, line=first.line, field=first.field) from None


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
