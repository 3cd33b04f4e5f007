"""Plain scalars as Go's reader takes them; samples.yaml has the same spellings for the real kubelet to judge."""

import pytest

from webhook.config.document import read_stream
from webhook.config.go_yaml import scalar
from webhook.domain.errors import PolicyError


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e9", 1e9),
        ("1.5e9", 1.5e9),
        ("5.", 5.0),
        (".5", 0.5),
        ("08", 8.0),
        ("0o17", 15),
        ("017", 15),
        ("-0b11", -3),
        ("0X1f", 31),
        ("+12", 12),
        ("1_000", 1000),
        ("18446744073709551615", 18446744073709551615),
        ("18446744073709551616", 18446744073709551616.0),
        ("yes", True),
        ("N", False),
        ("~", None),
        ("tRue", "tRue"),
        ("1:30", "1:30"),
        ("2026-01-02", "2026-01-02"),
        ("1e999", "1e999"),
        ("0o8", "0o8"),
        ("0x", "0x"),
        ("1e", "1e"),
        ("._5", "._5"),
        (".1_0", 0.1),
        ("_1", "_1"),
        ("\u0661", "\u0661"),
    ],
)
def test_a_plain_scalar_means_what_it_means_to_go(text: str, value: object) -> None:
    found = scalar(text)

    assert (type(found), found) == (type(value), value)


def test_a_whole_float_is_an_integer_in_yaml_and_stays_one_in_json() -> None:
    (yaml_document,) = read_stream("a: 110.0\nb: 1e2\nc: 1.5\nd: 1e21\n", "f", as_go=True)
    (json_document,) = read_stream('{"a": 110.0, "b": 1}', "f", as_go=True)

    assert {key: type(value) for key, value in yaml_document.data.items()} == {
        "a": int,
        "b": int,
        "c": float,
        "d": float,
    }
    assert {key: type(value) for key, value in json_document.data.items()} == {"a": float, "b": int}


def test_what_is_quoted_or_tagged_as_text_is_text() -> None:
    (document,) = read_stream("a: '1e9'\nb: !!str 1e9\nc: |\n  5\n", "f", as_go=True)

    assert document.data == {"a": "1e9", "b": "1e9", "c": "5\n"}


def test_of_a_key_that_is_written_twice_the_last_counts_with_its_lines() -> None:
    (document,) = read_stream("a: {x: 1}\nb: 2\na:\n  z: 3\n", "f", as_go=True)

    assert document.data == {"a": {"z": 3}, "b": 2}
    assert document.repeated == (("a",),)
    assert [document.line(path) for path in (("a",), ("a", "x"), ("a", "z"))] == [3, 3, 4]


def test_keys_are_text_as_go_writes_it() -> None:
    (document,) = read_stream("0x10: a\nyes: b\n1.5: c\n'07': d\n", "f", as_go=True)

    assert document.data == {"16": "a", "true": "b", "1.5": "c", "07": "d"}


@pytest.mark.parametrize(
    "text", ["~: a", "a: .inf", "a: .nan", "a: !!int x", "a: !!bool 5", "a: !!binary eA==", "<<: {}"]
)
def test_what_reaches_no_json_is_refused(text: str) -> None:
    with pytest.raises(PolicyError):
        read_stream(text, "f", as_go=True)
