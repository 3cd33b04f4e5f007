"""Reads an instant as RFC 3339 writes it."""

import re
from datetime import datetime

_FORM = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


def parse(text: str) -> datetime | None:
    """Read `text`; None where it is no instant with date, time and offset.

    >>> parse("2026-12-01T00:00:00Z")
    datetime.datetime(2026, 12, 1, 0, 0, tzinfo=datetime.timezone.utc)
    >>> parse("2026-12-01") is None
    True
    """
    if not _FORM.fullmatch(text):
        return None
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError:
        return None
