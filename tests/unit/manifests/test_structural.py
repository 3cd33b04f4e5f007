"""From the JSON schema of a model to what a CRD may hold."""

from typing import Annotated
from typing import Any

from pydantic import Field
from pydantic import StringConstraints

from webhook.config.rules import Rule
from webhook.config.schema import Amount
from webhook.config.schema import Model
from webhook.manifests.structural import Schema
from webhook.manifests.structural import structural

SHORT = Rule(lambda value: value, "self.size() < 4 && self != 'self'", "must be short")


class Inner(Model):
    """What is inside."""

    word: str | None = "none"
    """A word."""


class Outer(Model):
    """What is outside."""

    inner: Inner | None = None
    """The inner one, here."""
    amount: Amount
    share: Annotated[Inner | None, Field(json_schema_extra={"nullable": True})] = None
    table: dict[str, list[str] | None] | None = None
    named: dict[Annotated[str, SHORT], int] | None = None
    matched: dict[Annotated[str, StringConstraints(pattern=r"^a\.b$")], bool] | None = None
    anything: dict[str, Any] | None = None


def field(name: str) -> Schema:
    found: Schema = structural(Outer)["properties"][name]
    return found


def test_references_are_written_out_and_the_nearest_description_holds() -> None:
    assert field("inner") == {
        "description": "The inner one, here.",
        "type": "object",
        "properties": {"word": {"description": "A word.", "type": "string"}},
    }


def test_only_what_must_be_written_is_required() -> None:
    assert structural(Outer)["required"] == ["amount"]


def test_a_quantity_is_a_number_or_a_text() -> None:
    made = field("amount")

    assert (made["x-kubernetes-int-or-string"], made["maxLength"], "type" in made) == (True, 64, False)


def test_null_is_kept_only_where_it_means_something() -> None:
    assert [name for name in ("inner", "share") if field(name).get("nullable")] == ["share"]
    assert field("table")["additionalProperties"]["nullable"] is True


def test_rules_about_keys_move_to_the_map() -> None:
    assert field("named")["x-kubernetes-validations"] == [
        {"rule": "self.all(key, key.size() < 4 && key != 'key')", "message": "must be short"}
    ]


def test_a_pattern_of_keys_becomes_such_a_rule() -> None:
    assert field("matched")["x-kubernetes-validations"] == [
        {"rule": 'self.all(key, key.matches("^a\\\\.b$"))', "message": r"keys must match ^a\.b$"}
    ]


def test_what_may_be_anything_is_kept_as_it_is() -> None:
    assert field("anything")["x-kubernetes-preserve-unknown-fields"] is True


def test_no_word_of_json_schema_is_left_that_a_crd_refuses() -> None:
    refused = {"$ref", "$defs", "title", "default", "propertyNames", "patternProperties", "discriminator", "const"}

    assert [word for word in refused if f"'{word}'" in repr(structural(Outer))] == []
