"""A rule is kept in Python and carried along as CEL."""

from typing import Annotated
from typing import ClassVar

import pytest
from pydantic import ValidationError

from webhook.config.rules import Rule
from webhook.config.rules import add
from webhook.config.schema import Model


def _even(value: int) -> int:
    if value % 2:
        message = f"{value} is odd"
        raise ValueError(message)
    return value


def _small(pair: "Pair") -> None:
    if pair.left + pair.right > 10:
        message = "too much together"
        raise ValueError(message)


EVEN = Rule(_even, "self % 2 == 0", "must be even")


class Pair(Model):
    """Two numbers."""

    together: ClassVar[tuple[Rule, ...]] = (Rule(_small, "self.left + self.right <= 10", "must be small"),)

    left: Annotated[int, EVEN]
    right: int


def test_the_check_of_a_value_is_kept() -> None:
    with pytest.raises(ValidationError, match="3 is odd"):
        Pair(left=3, right=1)


def test_the_check_of_a_model_is_kept() -> None:
    with pytest.raises(ValidationError, match="too much together"):
        Pair(left=8, right=3)


def test_what_every_rule_takes_is_taken() -> None:
    assert Pair(left=8, right=2).left == 8


def test_the_schema_carries_both_as_cel() -> None:
    schema = Pair.model_json_schema()

    assert schema["x-kubernetes-validations"] == [{"rule": "self.left + self.right <= 10", "message": "must be small"}]
    assert schema["properties"]["left"]["x-kubernetes-validations"] == [
        {"rule": "self % 2 == 0", "message": "must be even"}
    ]


def test_rules_are_added_behind_those_that_are_there() -> None:
    twice = add(add({}, EVEN), EVEN)

    assert len(twice["x-kubernetes-validations"]) == 2


def test_no_rules_change_nothing() -> None:
    assert add({"type": "string"}) == {"type": "string"}
