"""Sets of NUMA nodes as integers: bit n stands for NUMA node n (TM/bitmask/bitmask.go)."""

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Final

from webhook.domain.kubelet.refusal import TooManyCellsError

MAX_MASKS: Final = 1 << 17
"""How many masks are tried before the simulation gives up: all of 16 NUMA nodes, and then some."""

_GROUPING: Final = 2
_WIDTH: Final = 64


def of(bits: Iterable[int]) -> int:
    """Make a mask of bit numbers."""
    mask = 0
    for bit in bits:
        mask |= 1 << bit
    return mask


def members(mask: int) -> Iterator[int]:
    """Iterate over the bit numbers in `mask`, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def narrowest(mask: int) -> tuple[int, int]:
    """Sort key of bitMask.IsNarrowerThan: fewer bits first, then the smaller number."""
    return mask.bit_count(), mask


def text(mask: int) -> str:
    """Write a mask as bitMask.String does: binary, in pairs of digits where the highest bit is not alone."""
    width = next((shift + _GROUPING for shift in range(_WIDTH - _GROUPING, 0, -_GROUPING) if mask > 1 << shift), 0)
    return f"{mask:0{width or _GROUPING}b}"


def of_size(bits: Sequence[int], size: int) -> Iterator[int]:
    """Iterate over the masks of `size` of the `bits`, in the order of bitmask.IterateBitMasks.

    Raises:
        TooManyCellsError: there are more than `MAX_MASKS` of them.
    """
    if comb(len(bits), size) > MAX_MASKS:
        raise TooManyCellsError(len(bits))
    singles = [1 << bit for bit in bits]
    return iter(singles) if size == 1 else map(sum, combinations(singles, size))


@lru_cache(maxsize=64)
def subsets(bits: tuple[int, ...]) -> tuple[int, ...]:
    """Answer every mask of the `bits`, the empty one first; position i holds the bits that i has as a number.

    Raises:
        TooManyCellsError: there are more than `MAX_MASKS` of them.
    """
    return tuple(subset_sums([1 << bit for bit in bits]))


def subset_sums(values: Sequence[int]) -> list[int]:
    """Sum the `values` for every mask of their positions, in the order of `subsets`.

    Raises:
        TooManyCellsError: there are more than `MAX_MASKS` of them.
    """
    if len(values) >= MAX_MASKS.bit_length():
        raise TooManyCellsError(len(values))
    sums = [0]
    for value in values:
        sums += [value + total for total in sums]
    return sums


def least_size(counts: Sequence[int], wanted: int) -> int:
    """Answer how many of the `counts`, the largest first, reach `wanted`; all of them where even that is too little."""
    total = 0
    for size, count in enumerate(sorted(counts, reverse=True), start=1):
        total += count
        if total >= wanted:
            return size
    return len(counts)
