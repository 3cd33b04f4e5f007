"""A text cut into scenarios."""

import pytest

from webhook.domain.errors import InputError
from webhook.sources.scenario_text import Place
from webhook.sources.scenario_text import read_places


def told(text: str) -> list[tuple[object, int | None] | str]:
    """Answer the values with their lines, and the errors as text."""
    return [
        str(found) if isinstance(found, InputError) else (found.value, found.positions.line)
        for found in read_places(text, "f")
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n\n", []),
        ('{"a": 1}', [({"a": 1}, 1)]),
        ('\n{"a": 1}\n\n  {"b": 2}\r\n{"c": 3}\n', [({"a": 1}, 2), ({"b": 2}, 4), ({"c": 3}, 5)]),
        ('{\n  "a": {\n    "b": 1\n  }\n}\n{\n  "c": 2\n}\n', [({"a": {"b": 1}}, 1), ({"c": 2}, 6)]),
        ("a: 1\n---\n# nothing\n---\nb: 2\n", [({"a": 1}, 1), ({"b": 2}, 5)]),
        ('---\n{"a": 1}\n', [({"a": 1}, 2)]),
        ('[{"a": 1}]', [([{"a": 1}], 1)]),
    ],
)
def test_documents_of_every_layout_are_found_with_their_lines(text: str, expected: list[object]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1,\n{"b": 2}\n', ["f:1: no JSON: a key in double quotes was expected", ({"b": 2}, 2)]),
        ('garbage\n{"b": 2}\n', ["f:1: no JSON: expecting value", ({"b": 2}, 2)]),
        ('{"b": 2}\ngarbage\n', [({"b": 2}, 1), "f:2: no JSON: expecting value"]),
        ('{"a": 1, "a": 2}\n{"b": 2}\n', ["f:1: key 'a' is given twice: first on line 1", ({"b": 2}, 2)]),
        ("a: 1\na: 2\n---\nb: 2\n", ["f:2: key 'a' is given twice: first on line 1", ({"b": 2}, 4)]),
    ],
)
def test_a_broken_document_hides_no_other(text: str, expected: list[object]) -> None:
    assert told(text) == expected


def test_a_place_knows_its_parts_and_their_lines() -> None:
    (place,) = read_places("a:\n  - b: 1\n", "f")

    assert isinstance(place, Place)
    assert [path in place for path in [(), ("a", 0, "b"), ("a", 1), ("a", "b"), ("b",), ("a", 0, "b", 0)]] == [
        *(True, True),
        *(False,) * 4,
    ]
    assert (place.get(("a", 0, "b"), 0), place.get(("c",), 0)) == (2, 0)
    assert str(place.error(("a", 0), "wrong")) == "f:2: wrong"
