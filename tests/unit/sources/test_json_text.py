"""A stream of JSON documents: values, lines and errors."""

import pytest

from webhook.domain.errors import InputError
from webhook.sources.chunk import split
from webhook.sources.json_text import JsonSyntaxError
from webhook.sources.json_text import read_json
from webhook.sources.json_text import read_line
from webhook.sources.yaml_text import MAX_DEPTH


def values(text: str) -> list[object]:
    return [value for value, _ in read_json(next(split("f.json", text)))]


def refusal(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        values(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{}", {}),
        ("[]", []),
        ('{"a": [1, -2, 0.5, "x", true, false, null]}', {"a": [1, -2, 0.5, "x", True, False, None]}),
        ('{"a":{"b":[{"c":1}]}}', {"a": {"b": [{"c": 1}]}}),
        ('{"a": 2.0, "b": 1e3}', {"a": 2, "b": 1000}),
        ('"\\ud83d\\ude00"', "😀"),
        ('"\\ud83d"', "\ufffd"),
        ("9223372036854775807", 9223372036854775807),
        ("9223372036854775808", 9223372036854775807 + 193),
    ],
)
def test_values_are_those_that_go_reads(text: str, value: object) -> None:
    assert [value] == values(text)


def test_every_field_has_its_line() -> None:
    ((_, positions),) = read_json(next(split("f.json", '{\n"a": [\n1,\n{"b":\n2}]}')))
    assert [positions.at(path) for path in ((), ("a",), ("a", 0), ("a", 1), ("a", 1, "b"))] == [1, 2, 3, 4, 4]


def test_documents_may_follow_each_other() -> None:
    assert values('{"a": 1}\n{"b": 2}\n') == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{", 1),
        ('{\n"a"', 2),
        ('{"a": 1\n"b": 2}', 2),
        ('{"a": 1,}', 1),
        ("[1,\n]", 2),
        ("[1 2]", 1),
        ("{a: 1}", 1),
        ('{"a"\n1}', 2),
        ('["\n"]', 1),
        ('{"a": }', 1),
        ('{"a": 01}', 1),
        ("[1", 1),
        ('{"a": 1} x', 1),
    ],
)
def test_what_is_no_json_has_a_line(text: str, line: int) -> None:
    error = refusal(text)
    assert (JsonSyntaxError, line) == (type(error), error.line)


def test_a_key_given_twice_is_refused() -> None:
    assert refusal('{"a": 1,\n"a": 2}').reason == "key 'a' is given twice: first on line 1"


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", '{"a": NaN}'])
def test_constants_that_are_no_json_are_refused(text: str) -> None:
    assert refusal(text).reason.endswith("is no JSON number")


@pytest.mark.parametrize("text", ["1e999", "-1e999", "9" * 5000])
def test_numbers_out_of_range_are_refused(text: str) -> None:
    assert refusal(text).reason.endswith("is out of range")


def test_deep_nesting_is_refused() -> None:
    assert refusal("[" * (MAX_DEPTH + 1)).reason == f"nested more than {MAX_DEPTH} levels deep"


@pytest.mark.parametrize(
    "text", ['{"a": [1, -2, 0.5, 2.0, "x", true, null], "b": {"c": {}}}', " 7 \n", '"é"', "[" * 199 + "1" + "]" * 199]
)
def test_a_document_on_one_line_is_read_the_same_by_the_quick_way(text: str) -> None:
    chunk = next(split("f.json", text))
    quick = read_line(chunk)
    assert quick is not None
    assert (repr(quick[0]), quick[1].line) == (repr(next(read_json(chunk))[0]), 1)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{\n"a": 1}',
        "{} {}",
        "[NaN]",
        "1e999",
        '"\\ud83d"',
        "[" * 200 + "1" + "]" * 200,
        "[" * 100_000,
        "nonsense",
    ],
)
def test_the_quick_way_leaves_what_it_cannot_judge_to_the_other(text: str) -> None:
    assert read_line(next(split("f.json", text))) is None
