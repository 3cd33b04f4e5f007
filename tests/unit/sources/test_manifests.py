"""Files, directories, Lists and standard input become manifests; what cannot be read becomes an error beside them."""

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from webhook.sources.manifests import MAX_BYTES
from webhook.sources.manifests import MAX_LISTS
from webhook.sources.manifests import Reading
from webhook.sources.manifests import read_manifests


def read(*names: str | Path, stdin: bytes = b"") -> Reading:
    return read_manifests([str(name) for name in names], stdin=io.BytesIO(stdin))


def kinds(reading: Reading) -> list[object]:
    return [manifest.content.get("kind") for manifest in reading.manifests]


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    def one(name: str, text: str | bytes) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return one


Write = Callable[[str, str | bytes], Path]


def test_documents_are_numbered_and_have_lines(write: Write) -> None:
    path = write("a.yaml", "kind: A\n---\n\nkind: B\n")
    found = [(m.file, m.document, m.place, m.positions.line) for m in read(path).manifests]
    assert found == [(str(path), 0, (), 1), (str(path), 1, (), 4)]


def test_standard_input_is_named_by_a_dash() -> None:
    reading = read("-", stdin=b"kind: A\n")
    assert (kinds(reading), reading.files) == (["A"], ("-",))


def test_a_file_named_twice_is_read_once(write: Write) -> None:
    path = write("a.yaml", "kind: A\n")
    assert kinds(read(path, path)) == ["A"]


def test_directories_are_searched_in_order_without_hidden_ones(write: Write, tmp_path: Path) -> None:
    for name in ("b.yml", "a.yaml", "sub/c.json", ".git/d.yaml", "notes.txt"):
        write(name, f'{{"kind": "{name}"}}')
    assert kinds(read(tmp_path)) == ["a.yaml", "b.yml", "sub/c.json"]


def test_a_directory_without_manifests_is_an_error(tmp_path: Path) -> None:
    assert [(str(tmp_path), None, None)] == [(e.file, e.document, e.line) for e in read(tmp_path).errors]


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n---\n", "\ufeff"])
def test_an_empty_file_has_no_objects_and_is_fine(write: Write, text: str) -> None:
    assert Reading(files=(str(write("a.yaml", text)),), manifests=(), errors=()) == read(write("a.yaml", text))


def test_one_bad_document_stops_neither_its_file_nor_the_others(write: Write) -> None:
    first = write("a.yaml", "kind: A\n---\na: 1\na: 2\n---\nkind: B\n")
    reading = read("missing.yaml", first, write("b.yaml", "kind: C\n"))
    assert (["A", "B", "C"], ["missing.yaml", str(first)]) == (kinds(reading), [e.file for e in reading.errors])


def test_a_missing_file_is_named_with_the_reason_of_the_system() -> None:
    (error,) = read("missing.yaml").errors
    assert (error.document, error.line, error.reason) == (None, None, "No such file or directory")


def test_a_name_with_a_nul_is_an_error() -> None:
    assert len(read("a\0b").errors) == 1


def test_bytes_that_are_no_utf_8_are_an_error_with_a_line(write: Write) -> None:
    (error,) = read(write("a.yaml", b"a: 1\nb: \xff\n")).errors
    assert (error.line, "no UTF-8: byte 0xff" in error.reason) == (2, True)


def test_a_file_beyond_all_measure_is_refused_without_reading_it_all(tmp_path: Path) -> None:
    huge = tmp_path / "a.yaml"
    huge.touch()
    os.truncate(huge, 1 << 40)  # sparse: it takes no room
    (error,) = read(huge).errors
    assert error.reason == f"larger than {MAX_BYTES >> 20} MiB: split it"


def test_the_pipe_of_a_process_substitution_is_read() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"kind: A\n")
    os.close(writer)
    assert kinds(read(f"/dev/fd/{reader}")) == ["A"]
    os.close(reader)


@pytest.mark.parametrize(
    ("text", "shown"), [("- 1\n", "a list"), ("text\n", "text"), ("5\n", "a number"), ("yes\n", "true or false")]
)
def test_a_document_that_is_no_object_is_an_error(write: Write, text: str, shown: str) -> None:
    (error,) = read(write("a.yaml", text)).errors
    assert f"a Kubernetes object was expected, not {shown}" == error.reason


def test_a_list_gives_its_members_with_their_places(write: Write) -> None:
    text = "apiVersion: v1\nkind: List\nitems:\n- kind: A\n- kind: PodList\n  apiVersion: v1\n  items:\n  - spec: {}\n"
    found = [(m.place, m.positions.line, m.content.get("kind")) for m in read(write("a.yaml", text)).manifests]
    assert found == [(("items", 0), 4, "A"), (("items", 1, "items", 0), 8, "Pod")]


def test_the_members_of_a_typed_list_get_its_kind(write: Write) -> None:
    (manifest,) = read(write("a.yaml", "apiVersion: apps/v1\nkind: DeploymentList\nitems: [{spec: {}}]\n")).manifests
    assert manifest.content == {"apiVersion": "apps/v1", "kind": "Deployment", "spec": {}}


def test_a_bad_member_of_a_list_does_not_hide_the_others(write: Write) -> None:
    reading = read(write("a.yaml", "kind: List\nitems:\n- kind: A\n- null\n- kind: B\n"))
    (error,) = reading.errors
    assert (kinds(reading), error.line, error.reason.startswith("items[1]: ")) == (["A", "B"], 4, True)


def test_an_empty_list_has_no_objects(write: Write) -> None:
    assert kinds(read(write("a.yaml", "kind: List\nitems:\n"))) == []


def test_a_kind_that_only_ends_like_a_list_is_an_object(write: Write) -> None:
    assert kinds(read(write("a.yaml", "kind: AllowList\nspec: {}\n"))) == ["AllowList"]


def test_lists_in_lists_end_somewhere(write: Write) -> None:
    text = '{"kind": "List", "items": [' * (MAX_LISTS + 1) + "]}" * (MAX_LISTS + 1)
    (error,) = read(write("a.json", text)).errors
    assert "Lists nested more than" in error.reason


def test_json_streams_count_their_documents(write: Write) -> None:
    reading = read(write("a.yaml", '{"kind": "A"}\n{"kind": "B"}\n---\nkind: C\n'))
    assert [(m.document, m.content["kind"]) for m in reading.manifests] == [(0, "A"), (1, "B"), (2, "C")]


def test_yaml_that_starts_like_json_is_read_as_yaml(write: Write) -> None:
    assert kinds(read(write("a.yaml", "{kind: A}\n"))) == ["A"]


def test_a_json_file_must_be_json(write: Write) -> None:
    (error,) = read(write("a.json", "{kind: A}\n")).errors
    assert error.reason.startswith("no JSON: ")


def test_surrogate_pairs_of_json_are_read_behind_a_separator_too() -> None:
    reading = read("-", stdin=b'---\n{"kind": "\\ud83d\\ude00"}\n')
    assert kinds(reading) == ["😀"]
