"""Styled lines: widths, cutting, wrapping, blocks side by side."""

import pytest
from explanations import HOSTILE
from rich.cells import cell_len

from webhook.cli.drawing.spans import Line
from webhook.cli.drawing.spans import beside
from webhook.cli.drawing.spans import foreign
from webhook.cli.drawing.spans import line
from webhook.cli.drawing.spans import pad
from webhook.cli.drawing.spans import plain
from webhook.cli.drawing.spans import width
from webhook.cli.drawing.spans import wrap


def texts(*lines: Line) -> list[str]:
    return plain(lines).split("\n")


def test_foreign_text_is_visible_and_cut() -> None:
    assert foreign("a\x1b[2J\nb") == r"a\x1b[2J\nb"
    assert foreign("x" * 100) == "x" * 63 + "…"
    assert cell_len(foreign("漢字" * 100)) <= 64


def test_a_line_is_as_wide_as_its_columns() -> None:
    assert width(line("ab", ("漢", "bold"))) == 4


@pytest.mark.parametrize(("columns", "text"), [(6, "abcd  "), (4, "abcd"), (3, "abc"), (1, "a"), (0, "")])
def test_a_line_is_filled_or_cut_to_its_columns(columns: int, text: str) -> None:
    assert "".join(part for part, _ in pad(line("ab", ("cd", "bold")), columns)) == text


def test_a_character_that_is_cut_in_half_becomes_a_blank() -> None:
    assert pad(line("漢字"), 3) == (("漢 ", ""),)


def test_text_breaks_at_spaces_and_hangs() -> None:
    assert texts(*wrap("one two three four", 12, indent="- ", hang="  ")) == ["- one two", "  three four"]


def test_a_word_longer_than_a_line_is_broken() -> None:
    assert texts(*wrap("a bbbbbbbbbb c", 6, hang=" ")) == ["a", " bbbbb", " bbbbb", " c"]


@pytest.mark.parametrize("columns", range(4, 12))
def test_no_line_starts_like_a_command_of_a_ci_runner(columns: int) -> None:
    lines = texts(*wrap("::error::x ::warning:: ::", columns, indent=" ", hang="  "))

    assert [one for one in lines if one.lstrip().startswith("::")] == []


def test_empty_text_is_an_empty_line() -> None:
    assert texts(*wrap("", 10)) == [""]


@pytest.mark.parametrize("columns", [1, 2, 7, 40])
def test_no_line_is_wider_than_asked(columns: int) -> None:
    lines = list(wrap(f"{foreign(HOSTILE)} {'x' * 90} a b", columns))

    assert max(map(width, lines)) <= columns
    assert "".join(texts(*lines)).count("x") >= 90


def test_blocks_stand_side_by_side() -> None:
    assert texts(*beside([[line("aa"), line("a")], [line("b")]], gap="|")) == ["aa|b", "a |"]
