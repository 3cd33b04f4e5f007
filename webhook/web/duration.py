"""Reads the time budget that the API server sends as `?timeout=` in Go's duration text.

>>> parse("1m30s")
90.0
>>> parse("soon") is None
True
"""

import re
from functools import lru_cache
from urllib.parse import parse_qs

DEFAULT_SECONDS = 10.0
"""What the API server waits where a webhook entry names no timeoutSeconds."""

MAX_SECONDS = 30.0
"""The longest timeoutSeconds that the API server accepts."""

MARGIN_SECONDS = 0.2
"""Kept back for the way of the reply."""

_UNITS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_PART = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h)")
_MAX_TEXT = 64


def parse(text: str) -> float | None:
    """Read `text` as Go's time.ParseDuration does; None for what Go refuses."""
    if len(text) > _MAX_TEXT:
        return None
    sign = -1.0 if text.startswith("-") else 1.0
    rest = text[1:] if text[:1] in {"-", "+"} else text
    if rest == "0":
        return 0.0
    seconds, end = 0.0, 0
    while part := _PART.match(rest, end):
        seconds += float(part[1]) * _UNITS[part[2]]
        end = part.end()
    return sign * seconds if rest and end == len(rest) else None


@lru_cache(maxsize=64)
def budget(query: bytes) -> float:
    """Answer the seconds that a request with this query string may take; anything odd means the default.

    >>> budget(b"timeout=3s")
    2.8
    >>> budget(b"timeout=never")
    9.8
    """
    values = parse_qs(query.decode("ascii", "replace"), max_num_fields=None).get("timeout", [])
    seconds = parse(values[0]) if values else None
    if seconds is None or seconds <= 0:
        seconds = DEFAULT_SECONDS
    return max(min(seconds, MAX_SECONDS) - MARGIN_SECONDS, MARGIN_SECONDS)
