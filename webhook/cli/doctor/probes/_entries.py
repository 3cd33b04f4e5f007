"""Says once what is wrong with many entries."""

from collections.abc import Iterable
from collections.abc import Iterator


def grouped(wrong: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Join pairs of an entry and what is wrong with it.

    >>> list(grouped([("a", "has no caBundle"), ("b", "has no caBundle"), ("b", "is odd")]))
    ['a and 1 more: has no caBundle', 'b: is odd']
    """
    entries: dict[str, list[str]] = {}
    for entry, what in wrong:
        entries.setdefault(what, []).append(entry)
    for what, names in entries.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield f"{names[0]}{more}: {what}"
