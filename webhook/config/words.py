"""Writes values and suggestions into messages."""

import difflib
from collections.abc import Iterable

_LONGEST = 60


def printable(text: str) -> str:
    r"""Show control characters and the like, so that a document cannot write on a terminal.

    >>> printable("a\x1b[2J\n")
    'a\\x1b[2J\\n'
    """
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


def shorten(value: object) -> str:
    r"""Write a value from a document: text quoted, control characters shown, at most 60 characters.

    >>> shorten("a\tb"), shorten(1.5), shorten(True)
    ('"a\\tb"', '1.5', 'true')
    """
    if isinstance(value, str):
        text = '"' + printable(value[:_LONGEST]) + '"'
    elif isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, dict | list):
        text = "a map" if isinstance(value, dict) else "a list"
    else:
        text = ascii(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "..."


def closest(word: str, known: Iterable[str]) -> str | None:
    """Answer the known word that is probably meant, or None."""
    by_small = {candidate.lower(): candidate for candidate in known}
    found = difflib.get_close_matches(word[:_LONGEST].lower(), by_small, n=1)
    return by_small[found[0]] if found else None


def suggest(word: str, known: Iterable[str]) -> str:
    """Name the known word that is probably meant, or all of them.

    >>> suggest("enforced", ["audit", "enforce"])
    'did you mean enforce?'
    """
    words = sorted(known)
    close = closest(word, words)
    if close is not None:
        return f"did you mean {close}?"
    return f"write one of {', '.join(words)}" if len(words) > 1 else f"write {words[0]}"
