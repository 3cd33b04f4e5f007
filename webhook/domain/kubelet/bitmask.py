"""Sets of NUMA nodes as integers: bit n stands for NUMA node n (TM/bitmask/bitmask.go)."""

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from webhook.domain.kubelet.refusal import TooManyCellsError

MAX_MASKS: Final = 1 << 16
"""How many masks are tried before the simulation gives up: every one of 16 NUMA nodes."""

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


def text(mask: int) -> str:
    """Write a mask as bitMask.String does: binary, in pairs of digits where the highest bit is not alone."""
    width = next((shift + _GROUPING for shift in range(_WIDTH - _GROUPING, 0, -_GROUPING) if mask > 1 << shift), 0)
    return f"{mask:0{width or _GROUPING}b}"


def of_size(within: int, size: int) -> Iterator[int]:
    """Iterate over the masks of `size` bits of `within`, the smallest number first.

    Raises:
        TooManyCellsError: `MAX_MASKS` of them did not satisfy the caller.
    """
    bits = tuple(members(within))
    dense = within & (within + 1) == 0
    mask, end = (1 << size) - 1, 1 << len(bits)
    tried = 0
    while 0 < mask < end:
        if tried == MAX_MASKS:
            raise TooManyCellsError(len(bits))
        tried += 1
        yield mask if dense else of(bits[index] for index in members(mask))
        # The next larger number with as many bits.
        low = mask & -mask
        ripple = mask + low
        mask = ripple | ((mask ^ ripple) // low >> 2)


@lru_cache(maxsize=64)
def subsets(within: int) -> tuple[int, ...]:
    """Answer every mask of bits of `within`, ascending, the empty one first.

    Raises:
        TooManyCellsError: there are more than `MAX_MASKS` of them.
    """
    if within.bit_count() >= MAX_MASKS.bit_length():
        raise TooManyCellsError(within.bit_count())
    masks = [0]
    for bit in members(within):
        masks += [mask | 1 << bit for mask in masks]
    return tuple(masks)


def least_size(counts: Sequence[int], wanted: int) -> int:
    """Answer how many of the `counts`, the largest first, reach `wanted`; all of them where even that is too little."""
    total = 0
    for size, count in enumerate(sorted(counts, reverse=True), start=1):
        total += count
        if total >= wanted:
            return size
    return len(counts)
