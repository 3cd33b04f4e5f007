"""Every mask that is the intersection of one mask per set, without trying all combinations where there are many."""

from collections.abc import Iterable
from collections.abc import Sequence
from typing import Final

from webhook.domain.kubelet import bitmask

_PAIRS: Final = 1 << 16
"""Up to this many pairs are intersected one by one."""


def conjunctions(universe: int, sets: Iterable[set[int]]) -> set[int]:
    """Answer every a & b & … with one mask of each of the `sets`; the empty mask is left out."""
    reachable = {universe}
    for masks in sets:
        reachable = _pairwise(universe, reachable, masks)
    return reachable - {0}


def _pairwise(universe: int, first: set[int], second: set[int]) -> set[int]:
    if len(first) * len(second) <= _PAIRS:
        return {mask & other for mask in first for other in second}
    # Pairs whose masks both contain m are counted for every m; counting back leaves the pairs that meet in m exactly.
    masks = bitmask.subsets(universe)
    counts = [one * other for one, other in zip(_above(masks, first), _above(masks, second), strict=True)]
    _fold(counts, sign=-1)
    return {mask for mask, count in zip(masks, counts, strict=True) if count}


def _above(masks: Sequence[int], chosen: set[int]) -> list[int]:
    """Count, for each of all `masks`, the chosen ones that contain it."""
    counts = [int(mask in chosen) for mask in masks]
    _fold(counts, sign=1)
    return counts


def _fold(counts: list[int], sign: int) -> None:
    """Add to (or subtract from) each count those of the masks with one bit more, bit by bit."""
    step = 1
    while step < len(counts):
        for start in range(0, len(counts), 2 * step):
            for index in range(start, start + step):
                counts[index] += sign * counts[index + step]
        step *= 2
