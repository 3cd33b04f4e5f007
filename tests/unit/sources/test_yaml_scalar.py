"""Plain scalars get the values that sigs.k8s.io/yaml gives them (each row was asked of it)."""

import pytest

from webhook.sources.yaml_scalar import plain_value
from webhook.sources.yaml_scalar import resolve


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("-0", 0),
        ("+5", 5),
        ("010", 8),
        ("0777", 511),
        ("08", 8),
        ("0x1F", 31),
        ("0o17", 15),
        ("0b11", 3),
        ("-0b11", -3),
        ("1_000", 1000),
        ("2.0", 2),
        (".5", 0.5),
        ("-.5", -0.5),
        ("5.", 5),
        ("1e3", 1000),
        ("1e-5", 1e-05),
        ("9223372036854775807", 9223372036854775807),
        ("18446744073709551615", 18446744073709551615),
        ("18446744073709551616", 18446744073709552000),
        ("+18446744073709551615", 18446744073709552000),
        ("-9223372036854775809", -9223372036854776000),
        ("1e21", 1e21),
    ],
)
def test_numbers(text: str, value: object) -> None:
    assert value == plain_value(text)
    assert type(plain_value(text)) is type(value)


@pytest.mark.parametrize(
    "text",
    [
        "2e3m",
        "1E",
        "1e",
        "100m",
        "1Gi",
        "2001-01-01",
        "1:30",
        "12:30:45",
        "0x",
        "0b2",
        "-",
        "+",
        ".",
        "..",
        "_1",
        "1e400",
        "-1e400",
        "nan",
        "Infinity",
        ".infinity",
        "nUll",
        "tRUE",
        "=",
        "0o8",
        "0xg",
        "1.2.3",
        "٣",
    ],
)
def test_what_is_no_number_or_word_stays_text(text: str) -> None:
    assert text == plain_value(text)


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (("y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE"), True),
        (("n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE"), False),
        (("", "~", "null", "Null", "NULL"), None),
    ],
)
def test_words_of_yaml_1_1(words: tuple[str, ...], value: object) -> None:
    assert [value] * len(words) == [plain_value(word) for word in words]


@pytest.mark.parametrize("text", [".inf", "-.inf", "+.Inf", ".nan", ".NaN"])
def test_what_json_cannot_hold_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no JSON number"):
        plain_value(text)


def test_a_very_long_number_costs_nothing_and_stays_text() -> None:
    assert plain_value("9" * 100_000) == "9" * 100_000


def test_quoted_scalars_are_text() -> None:
    assert resolve("5", plain=False, tag=None) == "5"


@pytest.mark.parametrize(
    ("text", "tag", "value"),
    [
        ("5", "str", "5"),
        ("5", "int", 5),
        ("5", "float", 5),
        ("0.5", "float", 0.5),
        ("yes", "bool", True),
        ("~", "null", None),
        ("2001-01-01", "timestamp", "2001-01-01"),
        ("YWJj", "binary", "abc"),
    ],
)
def test_a_tag_says_what_a_scalar_is(text: str, tag: str, value: object) -> None:
    assert value == resolve(text, plain=False, tag=f"tag:yaml.org,2002:{tag}")


def test_a_tag_of_somebody_else_makes_text() -> None:
    assert resolve("5", plain=True, tag="!Ref") == "5"


@pytest.mark.parametrize(
    ("text", "tag"), [("x", "int"), ("yes", "int"), ("0.5", "int"), ("1", "bool"), ("!", "binary")]
)
def test_a_value_that_contradicts_its_tag_is_refused(text: str, tag: str) -> None:
    with pytest.raises(ValueError, match=r"tag|base64"):
        resolve(text, plain=False, tag=f"tag:yaml.org,2002:{tag}")
