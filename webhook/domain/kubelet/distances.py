"""How far the NUMA nodes of a mask are from each other (TM/numa_info.go), for prefer-closest-numa-nodes."""

from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from webhook.domain.kubelet import bitmask
from webhook.domain.kubelet.refusal import panic

_UNKNOWN: Final = -1.0


@dataclass(frozen=True, slots=True, eq=False)
class Distances:
    """The distance table of one machine, by NUMA node; compared by identity."""

    table: Mapping[int, Sequence[int]]

    def average(self, mask: int) -> float:
        """Mirror CalculateAverageFor: over all ordered pairs, each node with itself included; -1 where one lacks."""
        cells = tuple(bitmask.members(mask))
        rows = [self.table[cell] for cell in cells]
        if any(cells[-1] >= len(row) for row in rows):
            return _UNKNOWN
        return sum(row[other] for row in rows for other in cells) / len(cells) ** 2

    def check(self, mask: int) -> int:
        """Answer `mask`.

        Raises:
            RefusedError: a node of it has no distance to another, where the real kubelet panics.
        """
        if self.average(mask) == _UNKNOWN:
            message = (
                "a NUMA node has no distance to another, and the topology manager reads beyond its table: "
                "do without prefer-closest-numa-nodes"
            )
            raise panic(message)
        return mask


@lru_cache(maxsize=256)
def distances_of(rows: tuple[tuple[int, tuple[int, ...]], ...]) -> Distances:
    """Make the table of these NUMA nodes and their distances; machines with equal tables share it."""
    return Distances(dict(rows))


@lru_cache(maxsize=64)
def closest_first(distances: Distances, within: int, size: int) -> tuple[int, ...]:
    """Order the masks of `size` bits of `within` as Closest does: by average distance, then the smaller number.

    There may be thousands, but they are the same for every pod. Those with an unknown distance come first.

    Raises:
        TooManyCellsError: there are more than `bitmask.MAX_MASKS`.
    """
    return tuple(sorted(bitmask.of_size(within, size), key=distances.average))
