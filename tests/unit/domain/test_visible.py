"""Foreign text is shown, never obeyed."""

import pytest

from webhook.domain.visible import visible


@pytest.mark.parametrize("text", ["", "plain text", "spec.containers[0]", "größe 大きさ 😀", "# one", "a ## b"])
def test_harmless_text_stays_as_it_is(text: str) -> None:
    assert text == visible(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\nb\r\tc", r"a\nb\r\tc"),
        ("\x1b[31mred\x07", r"\x1b[31mred\x07"),
        ("\x00\x7f\x9b", r"\x00\x7f\x9b"),
        ("a\u202eb\u2066c", r"a\u202eb\u2066c"),
        ("a\u200bb\ufeff", r"a\u200bb\ufeff"),
        ("a\u2028b\u2029", r"a\u2028b\u2029"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\ue0041"),
        ("##[error]x", r"#\x23[error]x"),
        ("a ##vso[task.setvariable]x", r"a #\x23vso[task.setvariable]x"),
    ],
)
def test_what_a_terminal_or_a_runner_would_obey_is_escaped(text: str, shown: str) -> None:
    assert shown == visible(text)
