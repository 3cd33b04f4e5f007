"""Values and suggestions in messages."""

import pytest

from webhook.config.words import closest
from webhook.config.words import shorten
from webhook.config.words import suggest


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a", '"a"'),
        ("a\nb\x1b", '"a\\nb\\x1b"'),
        ("\u202eö", '"\\u202eö"'),
        (1, "1"),
        (1.5, "1.5"),
        (True, "true"),
        (None, "None"),
        ({"a": 1}, "a map"),
        ([1], "a list"),
    ],
)
def test_a_value_is_shown_so_that_it_can_be_found(value: object, shown: str) -> None:
    assert shorten(value) == shown


@pytest.mark.parametrize("value", ["x" * 1000, 10**100, "\x00" * 60])
def test_a_long_value_is_cut(value: object) -> None:
    assert len(shorten(value)) == 60
    assert shorten(value).endswith("...")


def test_the_nearest_word_is_suggested_whatever_its_case() -> None:
    assert suggest("STATIC", ["none", "static"]) == "did you mean static?"
    assert suggest("enforc", ["audit", "enforce"]) == "did you mean enforce?"


def test_without_a_near_word_all_are_named() -> None:
    assert suggest("xyz", ["b", "a"]) == "write one of a, b"
    assert suggest("xyz", ["abc"]) == "write abc"
    assert closest("xyz", ["b", "a"]) is None


def test_a_huge_word_costs_nothing() -> None:
    assert closest("a" * 1_000_000, ["b"]) is None
