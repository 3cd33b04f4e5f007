"""Keeps lists of reasons short: what is wrong ten thousand times is told a few times, and counted."""

from collections.abc import Sequence

from webhook.config.words import printable

_MOST = 4
_LONGEST = 60


def few(reasons: Sequence[str]) -> tuple[str, ...]:
    """Answer the first reasons, and how many more there are.

    >>> few(["a", "b", "c", "d", "e", "f"])
    ('a', 'b', 'c', 'd', '+2 more')
    """
    more = len(reasons) - _MOST
    return (*reasons[:_MOST], f"+{more} more") if more > 1 else tuple(reasons)


def cut(name: str) -> str:
    """Answer a name that somebody wrote, no longer than names are, and fit for a terminal."""
    return printable(name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…")
