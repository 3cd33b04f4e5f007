"""Small files are read whole, within a bound, and what cannot be read is noted once."""

import os
from pathlib import Path

import pytest

from webhook.domain.observation import Unread
from webhook.node.readers import files
from webhook.node.readers.files import Gaps


def test_a_file_is_read_whole_and_from_an_open_folder(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(b"x" * files.MOST)
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        assert files.read("long", folder=folder) == b"x" * files.MOST
    finally:
        os.close(folder)


def test_a_file_that_gives_little_at_a_time_is_read_whole() -> None:
    assert files.read("/proc/self/status").endswith(b"\n")


def test_a_file_that_is_too_long_is_refused(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(b"x" * 20)

    with pytest.raises(ValueError, match="long is longer than 10 bytes"):
        files.read(tmp_path / "long", most=10)


def test_text_that_is_no_utf8_is_shown_escaped(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b" a\xff\n")

    assert files.text(tmp_path / "text") == r"a\xff"


def test_a_list_is_a_set_and_what_is_none_is_told_with_its_file(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("0-2,8\n")
    assert files.id_set(tmp_path / "list") == 0b1_0000_0111

    (tmp_path / "list").write_text("9999")
    with pytest.raises(ValueError, match=r"/list: CPU 9999 is too high"):
        files.id_set(tmp_path / "list")


@pytest.mark.parametrize("text", ["", "x", "--1", "1 2", "9" * 21, "0x10"])
def test_what_is_no_number_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "number").write_text(text)

    with pytest.raises(ValueError, match="is no number"):
        files.number(tmp_path / "number")


def test_a_number_may_be_negative(tmp_path: Path) -> None:
    (tmp_path / "number").write_text("-1\n")

    assert files.number(tmp_path / "number") == -1


def test_a_reason_is_one_short_line_without_anything_that_a_terminal_obeys() -> None:
    assert files.why(FileNotFoundError(2, "No such file or directory", "/a\x1b[2J")) == (
        r"/a\x1b[2J: No such file or directory"
    )
    assert files.why(OSError(5, "Input/output error")) == "Input/output error"
    assert len(files.why(ValueError("x\n" * 1000))) == 512


def test_what_cannot_be_read_is_noted_with_its_first_reason(tmp_path: Path) -> None:
    gaps = Gaps()

    assert gaps.take("size", lambda: files.number(tmp_path / "none")) is None
    assert gaps.take("size", lambda: files.number(tmp_path)) is None
    assert gaps.take("other", lambda: 5) == 5
    assert gaps.unread == (Unread("size", f"{tmp_path}/none: No such file or directory"),)
    assert (gaps.reason("size"), gaps.reason("other")) == (gaps.unread[0].reason, "")
