"""Documents of a file, as kubectl cuts them."""

import pytest

from webhook.domain.errors import InputError
from webhook.sources.chunk import Chunk
from webhook.sources.chunk import refuse_what_is_no_yaml
from webhook.sources.chunk import split


def lines(text: str) -> list[tuple[int, int, str]]:
    return [(chunk.document, chunk.first_line, chunk.text) for chunk in split("f.yaml", text)]


def only(text: str) -> Chunk:
    (chunk,) = split("f.yaml", text)
    return chunk


def test_a_file_without_separator_is_one_document() -> None:
    assert lines("a: 1\n") == [(0, 1, "a: 1\n")]


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "  # indented\n\n"])
def test_a_file_that_says_nothing_has_no_document(text: str) -> None:
    assert lines(text) == []


def test_every_separator_starts_a_document_with_its_own_first_line() -> None:
    assert lines("a: 1\n---\nb: 2\n---\nc: 3\n") == [(0, 1, "a: 1\n"), (1, 2, "---\nb: 2\n"), (2, 4, "---\nc: 3\n")]


def test_comments_before_the_first_separator_are_no_document() -> None:
    assert lines("# licence\n\n---\na: 1\n") == [(0, 3, "---\na: 1\n")]


def test_an_empty_document_between_separators_is_counted() -> None:
    assert [document for document, _, _ in lines("---\na: 1\n---\n---\nb: 2\n")] == [0, 1, 2]


def test_directives_belong_to_the_document_that_follows() -> None:
    assert lines("%YAML 1.1\n---\na: 1\n") == [(0, 1, "%YAML 1.1\n---\na: 1\n")]


def test_windows_line_ends_separate_documents_too() -> None:
    assert [first for _, first, _ in lines("a: 1\r\n---\r\nb: 2\r\n")] == [1, 2]


def test_an_offset_is_turned_into_a_line_of_the_file() -> None:
    chunk = list(split("f.yaml", "a: 1\n---\nb: 2\nc: 3\n"))[1]
    assert [chunk.line(offset) for offset in (0, 3, 4, 8, 9)] == [2, 2, 3, 3, 4]


def test_an_error_names_file_document_and_line() -> None:
    error = only("a: 1\nb: 2\n").error("wrong", 6)
    assert (error.file, error.document, error.line, error.reason) == ("f.yaml", 0, 2, "wrong")


@pytest.mark.parametrize("marker", ["<<<<<<< HEAD", "=======", ">>>>>>> branch", "||||||| base", "<<<<<<<"])
def test_a_merge_conflict_marker_is_refused_with_its_line(marker: str) -> None:
    with pytest.raises(InputError, match="merge-conflict marker") as caught:
        refuse_what_is_no_yaml(only(f"a: 1\n{marker}\nb: 2\n"))
    assert caught.value.line == 2


@pytest.mark.parametrize("text", ["a: <<<<<<<\n", "a: |\n  <<<<<<< HEAD\n", "<<<<<<<<\n", "# =======\n"])
def test_what_only_resembles_a_marker_is_let_through(text: str) -> None:
    refuse_what_is_no_yaml(next(split("f.yaml", text + "b: 1\n")))


@pytest.mark.parametrize("separator", ["---", "--- ", "--- # comment", "---\t#comment"])
def test_blanks_and_comments_may_follow_a_separator(separator: str) -> None:
    refuse_what_is_no_yaml(only(f"{separator}\na: 1\n"))


@pytest.mark.parametrize("separator", ["--- a: 1", "---a", "-----BEGIN CERTIFICATE-----"])
def test_content_behind_a_separator_is_refused_as_kubectl_does(separator: str) -> None:
    with pytest.raises(InputError, match="behind the separator"):
        refuse_what_is_no_yaml(only(f"{separator}\n"))
