"""Merges the hints of all resources into one affinity, as each policy wants it (TM/policy.go)."""

from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Final
from typing import TypeAlias

from webhook.domain.kubelet import bitmask
from webhook.domain.kubelet.hints import Affinity
from webhook.domain.kubelet.hints import Hints
from webhook.domain.kubelet.refusal import panic

NONE: Final = "none"
BEST_EFFORT: Final = "best-effort"
RESTRICTED: Final = "restricted"
SINGLE_NUMA_NODE: Final = "single-numa-node"

HintLists: TypeAlias = Sequence[Hints | None]
_Key: TypeAlias = Callable[[int], tuple[float, ...]]

_PAIRS: Final = 1 << 16
"""Up to this many pairs of masks are intersected one by one."""


@dataclass(frozen=True, slots=True)
class HintMerger:
    """The merge of one policy on one machine (TM/policy.go:HintMerger).

    The kubelet tries every combination of one hint per resource. The same answer needs less: a preferred combination
    has the same mask for every resource, and only the best-effort policy takes any other one.
    `distances` (by NUMA node, with the option prefer-closest-numa-nodes) decides between masks of the same size.
    """

    policy: str
    cells: tuple[int, ...]
    distances: Mapping[int, Sequence[int]] | None = None

    def merge(self, lists: HintLists) -> Affinity:
        """Answer the best hint; None entries have no preference."""
        everything = bitmask.of(self.cells)
        masks = [set(hints.preferred) for hints in lists if hints is not None]
        if not masks:
            return Affinity(None if self.policy == SINGLE_NUMA_NODE else everything, preferred=True)
        common: Iterable[int] = set.intersection(*masks)
        if self.policy == SINGLE_NUMA_NODE:
            best = min((mask for mask in common if mask.bit_count() == 1), default=None)
            # Where a node has one NUMA node only, its mask is all of them: no affinity.
            return Affinity(None if best == everything else best, preferred=best is not None)
        best = min(common, key=self._order(), default=None)
        if best is not None:
            return Affinity(best, preferred=True)
        if self.policy == RESTRICTED:
            return Affinity(everything, preferred=False)
        return Affinity(self._compromise([hints for hints in lists if hints is not None]), preferred=False)

    def admits(self, affinity: Affinity) -> bool:
        """Tell whether the policy takes a pod with this hint (canAdmitPodResult)."""
        return affinity.preferred or self.policy == BEST_EFFORT

    def _order(self) -> _Key:
        """Answer the sort key of preferred masks (TM/numa_info.go:Narrowest, Closest)."""
        distances = self.distances
        if distances is None:
            return bitmask.narrowest
        return lambda mask: (mask.bit_count(), _average(distances, mask), mask)

    def _compromise(self, lists: Sequence[Hints]) -> int:
        """Answer the best mask that is not preferred (HintMerger.compare).

        It aims at the size that the most demanding resource needs at least; then a larger one below that size, then
        the smallest above.
        """
        choices = [set(hints.every()) for hints in lists]
        choices = [masks for masks in choices if masks]
        aim = max((min(mask.bit_count() for mask in masks) for masks in choices), default=0)
        everything = bitmask.of(self.cells)
        reachable = reduce(self._conjunctions, choices, {everything})
        reachable.discard(0)
        order = self._order()

        def key(mask: int) -> tuple[float, ...]:
            size = mask.bit_count()
            if size == aim:
                return (0, 0, *order(mask))
            return (1, -size, *order(mask)) if size < aim else (2, size, *order(mask))

        return min(reachable, key=key, default=everything)

    def _conjunctions(self, first: set[int], second: set[int]) -> set[int]:
        """Answer every a & b."""
        if len(first) * len(second) <= _PAIRS:
            return {mask & other for mask in first for other in second}
        # Count supersets, multiply, count back: exact, and 2^cells instead of 4^cells.
        masks = bitmask.subsets(self.cells)
        counts = [above * other for above, other in zip(_above(masks, first), _above(masks, second), strict=True)]
        step = 1
        while step < len(counts):
            for start in range(0, len(counts), 2 * step):
                for index in range(start, start + step):
                    counts[index] -= counts[index + step]
            step *= 2
        return {mask for mask, count in zip(masks, counts, strict=True) if count}


def _above(masks: Sequence[int], chosen: set[int]) -> list[int]:
    """Count, for each of all `masks`, the chosen ones that contain it."""
    counts = [1 if mask in chosen else 0 for mask in masks]
    step = 1
    while step < len(counts):
        for start in range(0, len(counts), 2 * step):
            for index in range(start, start + step):
                counts[index] += counts[index + step]
        step *= 2
    return counts


def _average(distances: Mapping[int, Sequence[int]], mask: int) -> float:
    """Mirror TM/numa_info.go:CalculateAverageFor: over all ordered pairs, each node with itself included."""
    cells = tuple(bitmask.members(mask))
    try:
        total = sum(distances[cell][other] for cell in cells for other in cells)
    except IndexError:
        message = "a NUMA node has no distance to another: the topology manager reads beyond its table"
        raise panic(message) from None
    return total / len(cells) ** 2
