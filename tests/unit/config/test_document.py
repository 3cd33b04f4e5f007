"""YAML streams with lines."""

import pytest

from webhook.config.document import MAX_BYTES
from webhook.config.document import field_text
from webhook.config.document import read_stream
from webhook.domain.errors import PolicyError


def test_every_place_knows_its_line() -> None:
    text = "# comment\nspec:\n  list:\n  - a: 1\n  - b: 2\n---\nspec: {x: y}\n"
    first, second = read_stream(text, "p.yaml")
    assert first.line(("spec",)) == 2
    assert first.line(("spec", "list", 1, "b")) == 5
    assert second.line(("spec", "x")) == 7


def test_a_place_that_is_not_written_has_the_line_of_its_nearest_parent() -> None:
    (document,) = read_stream("a: 1\nspec:\n  x: 1\n", "p.yaml")
    assert document.line(("spec", "y", 3)) == 2


def test_an_error_names_file_line_field_and_reason() -> None:
    (document,) = read_stream("a: 1\nspec:\n  x: 1\n", "p.yaml")
    error = document.error(("spec", "x"), "wrong")
    assert str(error) == "p.yaml:3: spec.x: wrong"
    assert (error.source, error.line, error.field, error.reason) == ("p.yaml", 3, "spec.x", "wrong")


def test_scalars_are_those_of_json_and_keys_are_text() -> None:
    text = "{0: 1, yes: true, a: 1.5, b: '1', c: ~, d: 2024-01-01, e: [x], 1.0: 0x10}"
    (document,) = read_stream(text, "p.yaml")
    expected = {"0": 1, "yes": True, "a": 1.5, "b": "1", "c": None, "d": "2024-01-01", "e": ["x"], "1.0": 16}
    assert document.data == expected


def test_json_is_read_as_well() -> None:
    (document,) = read_stream('{"kind": "NodeProfile", "n": [1, null]}', "p.json")
    assert document.data == {"kind": "NodeProfile", "n": [1, None]}
    assert document.kind == "NodeProfile"


def test_empty_documents_are_left_out() -> None:
    assert [document.data for document in read_stream("---\n# nothing\n---\na: 1\n---\n", "p.yaml")] == [{"a": 1}]
    assert read_stream("", "p.yaml") == ()


def test_an_anchor_may_be_used_twice() -> None:
    (document,) = read_stream("a: &x {b: 1}\nc: *x\n", "p.yaml")
    assert document.data == {"a": {"b": 1}, "c": {"b": 1}}


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [*{old}, *{old}, *{old}, *{old}, *{old}, *{old}, *{old}, *{old}, *{old}]\n"
    for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: b\nb: c\na: d\n", "p.yaml:3: a: written twice (first in line 1): keep one"),
        ("a:\n  '0': 1\n  0: 1\n", "p.yaml:3: a[0]: written twice (first in line 2): keep one"),
        ("a\n", 'p.yaml:1: a document must be a map with apiVersion and kind, not "a"'),
        ("a: 1\n---\n- a\n", "p.yaml:3: a document must be a map with apiVersion and kind, not a list"),
        ("a: 1\n\tb: 1\n", "p.yaml:2: not valid YAML: found a tab character that violates indentation"),
        ("a: b\n<<<<<<< HEAD\n", "p.yaml:3: not valid YAML: could not find expected ':'"),
        ("a: 'x", "p.yaml:1: not valid YAML: found unexpected end of stream"),
        ("a: *b", "p.yaml:1: not valid YAML: found undefined alias"),
        ("a: \x01", "p.yaml: not valid YAML: control characters are not allowed"),
        ("? [a]\n: b", "p.yaml:1: a key must be plain text"),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", "p.yaml:3: c: merge keys (<<) are not read: write the fields out"),
        ("x: !!binary aaaa", "p.yaml:1: x: the tag tag:yaml.org,2002:binary is not read"),
        ("x: !!python/object:os.system {}", "p.yaml:1: x: the tag tag:yaml.org,2002:python/object:os.system is not"),
        ("x: !own [1]", "p.yaml:1: x: the tag !own is not read"),
        ("x: " + "9" * 5000, "p.yaml:1: x: "),
        ("x: &a [*a]", "p.yaml:1: x[0][0][0][0][0][0][0]: too large or too deep"),
        (BOMB, "too large or too deep"),
        ("- " * 100_000, "p.yaml:1: not valid YAML: exceeded maximum nesting depth"),
        ("x" * (MAX_BYTES + 1), "p.yaml: 3145729 characters are too many for a policy: write at most 3145728"),
    ],
    ids=range(19),
)
def test_what_is_no_clear_document_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        read_stream(text, "p.yaml")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_field_is_written_with_dots_and_everything_else_in_brackets() -> None:
    assert field_text(("spec", "labels", "a.b/c", 0, "x")) == "spec.labels[a.b/c][0].x"
    assert field_text(()) == ""
