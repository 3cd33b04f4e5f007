"""Go's duration text, and the budget made of it."""

import pytest

from webhook.web import duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("3s", 3.0),
        ("1m30s", 90.0),
        ("500ms", 0.5),
        ("1.5s", 1.5),
        (".5s", 0.5),
        ("1.s", 1.0),
        ("+2s", 2.0),
        ("-2s", -2.0),
        ("1h", 3600.0),
        ("1h1m1s", 3661.0),
        ("250us", 0.00025),
        ("250µs", 0.00025),
        ("250μs", 0.00025),  # Go takes both letters
        ("7ns", 7e-9),
        ("0", 0.0),
        ("-0", 0.0),
    ],
)
def test_go_durations_are_read(text: str, seconds: float) -> None:
    assert duration.parse(text) == pytest.approx(seconds)


GARBAGE = (
    ["", "3", "s", ".s", "3 s", " 3s", "3s ", "3S", "3sec", "3d", "1_0s", "\u0663s", "\uff13s", "1e3s"],
    ["--3s", "+-3s", "+", "s3", "NaNs", "infs", "3s\n", "9" * 70 + "s"],
)


@pytest.mark.parametrize("text", [text for row in GARBAGE for text in row])
def test_what_go_refuses_is_none(text: str) -> None:
    assert duration.parse(text) is None


@pytest.mark.parametrize(
    ("query", "seconds"),
    [
        (b"timeout=3s", 2.8),
        (b"timeout=1s", 0.8),
        (b"timeout=500ms", 0.3),
        (b"timeout=1m30s", 29.8),
        (b"timeout=100ms", 0.2),
        (b"a=b&timeout=5s&timeout=9s", 4.8),
        (b"timeout=5s&dryRun=true", 4.8),
        (b"", 9.8),
        (b"timeout=", 9.8),
        (b"timeout", 9.8),
        (b"timeout=soon", 9.8),
        (b"timeout=0s", 9.8),
        (b"timeout=-3s", 9.8),
        (b"timeout=\xff", 9.8),
        (b"timeout=3%73", 2.8),
        (b"&" * 10_000, 9.8),
    ],
)
def test_the_budget_leaves_a_margin_and_anything_odd_is_the_default(query: bytes, seconds: float) -> None:
    assert duration.budget(query) == pytest.approx(seconds)
