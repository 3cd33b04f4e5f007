"""What is fuzzed: a reader of foreign bytes, texts to begin with, and what must hold for any other bytes."""

from collections.abc import Callable
from collections.abc import Iterable
from dataclasses import dataclass


def refusal(error: type[Exception], read: Callable[[], object]) -> str:
    """Answer in which words `read` refuses its input, "" where it takes it."""
    try:
        read()
    except error as told:
        return str(told)
    return ""


@dataclass(frozen=True, slots=True)
class Target:
    """`check` raises for bytes that show a bug; errors that are documented it takes for an answer."""

    name: str
    title: str
    seeds: Callable[[], Iterable[bytes]]
    check: Callable[[bytes], None]
    max_bytes: int = 8192
