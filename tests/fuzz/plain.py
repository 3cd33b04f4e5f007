"""Fuzzes without instruments: the seeds, and changes of them by a seeded random number, on any Python."""

from collections.abc import Iterator
from random import Random

from fuzz.mutation import Mutator
from fuzz.target import Target

BYTES_CHANGED = 4


class FoundError(Exception):
    """An input shows a bug; `data` is the input, the cause says what."""

    def __init__(self, target: Target, data: bytes) -> None:
        """Keep the input."""
        super().__init__(f"{target.name}: {data!r}")
        self.data = data


def check(target: Target, count: int, seed: int = 1) -> None:
    """Try every seed of a target, and `count` changed ones.

    Raises:
        FoundError: one of them shows a bug.
    """
    for data in inputs(target, count, seed):
        try:
            target.check(data)
        except Exception as error:
            raise FoundError(target, data) from error


def inputs(target: Target, count: int, seed: int) -> Iterator[bytes]:
    """Yield the seeds and `count` changes; a change is often changed again."""
    random = Random(seed)  # noqa: S311  # the same inputs in every run
    pool = list(target.seeds())
    yield from pool
    mutator = Mutator(pool)
    for _ in range(count):
        data = random.choice(pool)
        changed = mutator.mutate(data, random) or damaged(data, random)
        changed = changed[: target.max_bytes]
        pool[random.randrange(len(pool))] = changed if random.random() < 0.3 else data
        yield changed


def damaged(data: bytes, random: Random) -> bytes:
    """Change a few bytes, wherever they are."""
    found = bytearray(data)
    for _ in range(random.randrange(1, BYTES_CHANGED)):
        at = random.randrange(len(found) + 1)
        found[at : at + random.randrange(3)] = random.choice(
            (b"", b"\x00", b"\xff", b"\n", b'"', b"\xf0\x9f\x98\x80", b"9")
        )
    return bytes(found)
