"""One YAML document: its values, its lines, and everything that would need a guess."""

import pytest

from webhook.domain.errors import InputError
from webhook.domain.manifest import Positions
from webhook.sources.chunk import Chunk
from webhook.sources.chunk import split
from webhook.sources.yaml_text import MAX_ALIASED
from webhook.sources.yaml_text import MAX_DEPTH
from webhook.sources.yaml_text import read_yaml

POD = """\
kind: Pod
spec:
  containers:
  - name: a
    resources:
      limits: {cpu: 2.0,
        memory: "1Gi"}
  - name: b
"""


def read(text: str) -> tuple[object, Positions]:
    return read_yaml(next(split("f.yaml", text)))


def value(text: str) -> object:
    return read(text)[0]


def refusal(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        read(text)
    return caught.value


def test_values_are_those_of_json() -> None:
    resources = {"limits": {"cpu": 2, "memory": "1Gi"}}
    assert value(POD) == {"kind": "Pod", "spec": {"containers": [{"name": "a", "resources": resources}, {"name": "b"}]}}


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 1),
        (("kind",), 1),
        (("spec",), 2),
        (("spec", "containers"), 3),
        (("spec", "containers", 0), 4),
        (("spec", "containers", 0, "resources", "limits"), 6),
        (("spec", "containers", 0, "resources", "limits", "memory"), 7),
        (("spec", "containers", 0, "resources", "requests", "cpu"), 5),
        (("spec", "containers", 1, "resources", "limits", "cpu"), 8),
        (("metadata", "labels"), 1),
    ],
)
def test_every_field_has_its_line_and_what_is_absent_that_of_its_parent(path: tuple[str | int, ...], line: int) -> None:
    assert line == read(POD)[1].at(path)


def test_lines_count_newlines_only_whatever_else_yaml_calls_a_break() -> None:
    assert read("a: 'x\u2028y\x85z'\nb: é\n")[1].at(("b",)) == 2


@pytest.mark.parametrize("text", ["---\n# nothing\n", "# nothing\n"])
def test_an_empty_document_is_null(text: str) -> None:
    assert read_yaml(Chunk(file="f.yaml", document=0, text=text, first_line=3, breaks=()))[0] is None


@pytest.mark.parametrize("text", ["a: 1\na: 2\n", "{a: 1,\n a: 2}\n", "a: 1\n'a': 2\n"])
def test_a_key_given_twice_is_refused(text: str) -> None:
    error = refusal(text)
    assert (error.line, error.reason) == (2, "key 'a' is given twice: first on line 1")


@pytest.mark.parametrize("text", ["1: a\n", "yes: a\n", "~: a\n", "[a]: b\n", "{a: 1}: b\n", "1.5: a\n"])
def test_a_key_that_is_no_text_is_refused(text: str) -> None:
    assert "is no text: quote it" in refusal(text).reason


@pytest.mark.parametrize("text", ["a:\n\tb: 1\n", "a: b\n\tc\n", "a:\n  - x\n\t- y\n"])
def test_a_tab_in_the_indentation_is_named(text: str) -> None:
    assert "a tab in the indentation: use spaces" in refusal(text).reason


@pytest.mark.parametrize(
    ("text", "line"),
    [("a: [1\n", 2), ("a: b: c\n", 1), ("x: 1\na: 'b\n", 3), ("- a\nb: 1\n", 2), ("a: @b\n", 1), ("a: \x07\n", 1)],
)
def test_a_syntax_error_has_a_line(text: str, line: int) -> None:
    assert line == refusal(text).line


def test_a_control_character_is_named_by_its_number() -> None:
    assert refusal("a: b\nc: \x07\n").reason == "control character U+0007: remove it"


def test_a_template_is_told_to_be_rendered_first() -> None:
    assert "render it first" in refusal("{{ .Values.x }}: a\n").reason


def test_infinities_are_refused_with_their_line() -> None:
    error = refusal("a: 1\nb: .inf\n")
    assert (error.line, ".inf is no JSON number" in error.reason) == (2, True)


def test_aliases_repeat_the_value_of_their_anchor() -> None:
    assert value("a: &x {b: 1}\nc: *x\n") == {"a": {"b": 1}, "c": {"b": 1}}


@pytest.mark.parametrize("text", ["a: *x\n", "a: &x [*x]\n"])
def test_an_alias_without_a_finished_anchor_is_refused(text: str) -> None:
    assert refusal(text).reason.startswith("alias *x")


def test_an_alias_bomb_is_refused_at_once() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 40)]
    assert f"more than {MAX_ALIASED} values" in refusal("\n".join(rows)).reason


def test_merge_keys_fill_in_what_is_not_written() -> None:
    assert value("a: &x {b: 1, c: 2}\nd:\n  e: 0\n  <<: *x\n  c: 3\n")["d"] == {"e": 0, "b": 1, "c": 3}  # type: ignore[index]  # an object


def test_the_first_of_several_merged_objects_wins() -> None:
    assert value("a: &a {k: 1}\nb: &b {k: 2, l: 3}\nc: {<<: [*a, *b]}\n")["c"] == {"k": 1, "l": 3}  # type: ignore[index]  # an object


def test_merged_fields_have_the_lines_of_the_anchor() -> None:
    assert read("a: &x\n  b: 1\nd:\n  <<: *x\n")[1].at(("d", "b")) == 2


def test_a_key_before_the_merge_key_that_sets_it_too_is_refused() -> None:
    assert "stands before the merge key" in refusal("a: &x {b: 1}\nd:\n  b: 0\n  <<: *x\n").reason


@pytest.mark.parametrize("text", ["a: {<<: 1}\n", "a: {<<: [1]}\n"])
def test_a_merge_key_needs_objects(text: str) -> None:
    assert "needs an object" in refusal(text).reason


def test_two_merge_keys_in_one_object_are_refused() -> None:
    assert "given twice" in refusal("a: &x {b: 1}\nd: {<<: *x, '<<': 1, <<: *x}\n").reason


def test_a_quoted_merge_key_is_an_ordinary_key() -> None:
    assert value('a: {"<<": 1}\n') == {"a": {"<<": 1}}


@pytest.mark.parametrize("depth", [MAX_DEPTH + 1, 5000])
def test_deep_nesting_is_refused(depth: int) -> None:
    assert "nest" in refusal("[" * depth + "]" * depth).reason
