"""Printing: colour in a terminal only, ASCII where there is nothing better, no markup."""

import io

import pytest

from webhook.cli.drawing import terminal
from webhook.cli.drawing.spans import Line

LINES: list[Line] = [(("┌─[red]", "bold"), (" A", "black on green")), (), (("▒·… :smile:", ""),)]


class Terminal(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Say yes."""
        return True


def printed(stream: io.TextIOWrapper) -> str:
    terminal.write(LINES, stream)
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode(stream.encoding)


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)


def test_a_pipe_gets_plain_text() -> None:
    assert printed(io.TextIOWrapper(io.BytesIO(), "utf-8")) == "┌─[red] A\n\n▒·… :smile:\n"


def test_a_pipe_without_box_drawing_gets_ascii() -> None:
    assert printed(io.TextIOWrapper(io.BytesIO(), "ascii")) == "+-[red] A\n\n%.~ :smile:\n"


def test_a_terminal_gets_colours_and_no_markup() -> None:
    assert printed(Terminal(io.BytesIO(), "utf-8")) == ("\x1b[1m┌─[red]\x1b[0m\x1b[30;42m A\x1b[0m\n\n▒·… :smile:\n")


def test_a_terminal_without_box_drawing_gets_ascii() -> None:
    assert printed(Terminal(io.BytesIO(), "latin-1")).endswith("%.~ :smile:\n")


def test_a_user_who_wants_no_colours_gets_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    assert "32m" not in printed(Terminal(io.BytesIO(), "utf-8"))
