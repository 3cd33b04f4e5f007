"""Merges the hints of all resources into one affinity, as each policy wants it (TM/policy.go)."""

from collections.abc import Iterable
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from webhook.domain.kubelet import bitmask
from webhook.domain.kubelet.conjunction import conjunctions
from webhook.domain.kubelet.distances import Distances
from webhook.domain.kubelet.distances import closest_first
from webhook.domain.kubelet.hints import Affinity
from webhook.domain.kubelet.hints import Hints

NONE: Final = "none"
BEST_EFFORT: Final = "best-effort"
RESTRICTED: Final = "restricted"
SINGLE_NUMA_NODE: Final = "single-numa-node"


@dataclass(frozen=True, slots=True)
class HintMerger:
    """The merge of one policy on one machine (TM/policy.go:HintMerger); `cells` is the mask of all NUMA nodes.

    The kubelet tries every combination of one hint per resource. The same answer needs less: a preferred combination
    has the same mask for every resource, and only the best-effort policy takes any other one.
    `distances` (with the option prefer-closest-numa-nodes) decides between masks of the same size.
    """

    policy: str
    cells: int
    distances: Distances | None = None

    def merge(self, lists: Sequence[Hints | None]) -> Affinity:
        """Answer the best hint; None entries have no preference."""
        hinted = [hints for hints in lists if hints is not None]
        if self.policy == SINGLE_NUMA_NODE:
            return self._merge_single(hinted)
        best = self._preferred(hinted) if hinted else self.cells
        if best is not None:
            return Affinity(best, preferred=True)
        if self.policy == RESTRICTED:
            return Affinity(self.cells, preferred=False)
        return Affinity(self._compromise(hinted), preferred=False)

    def admits(self, affinity: Affinity) -> bool:
        """Tell whether the policy takes a pod with this hint (canAdmitPodResult)."""
        return affinity.preferred or self.policy == BEST_EFFORT

    def _merge_single(self, lists: Sequence[Hints]) -> Affinity:
        """Mirror TM/policy_single_numa_node.go:Merge: preferred hints of one bit; all of the machine is no affinity."""
        singles = [1 << cell for cell in bitmask.members(self.cells)] if lists else [self.cells]
        best = next((mask for mask in singles if all(hints.prefers(mask) for hints in lists)), None)
        return Affinity(None if best == self.cells else best, preferred=best is not None)

    def _preferred(self, lists: Sequence[Hints]) -> int | None:
        """Answer the best mask that every resource prefers."""
        within, sizes = _common_sizes(lists)
        for size in sizes:
            for mask in self._ordered(within, size):
                if all(hints.prefers(mask) for hints in lists):
                    return self._checked(mask)
        return None

    def _ordered(self, within: int, size: int) -> Iterable[int]:
        """Order masks of one size as TM/numa_info.go:Narrowest or Closest does."""
        return closest_first(self.distances, within, size) if self.distances else bitmask.of_size(within, size)

    def _checked(self, mask: int) -> int:
        return self.distances.check(mask) if self.distances else mask

    def _compromise(self, lists: Sequence[Hints]) -> int:
        """Answer the best mask that is not preferred (HintMerger.compare).

        It aims at the size that the most demanding resource needs at least; then a larger one below that size, then
        the smallest above.
        """
        narrowest = [next(hints.ascending(), 0) for hints in lists]
        served = [hints for hints, mask in zip(lists, narrowest, strict=True) if mask]
        if not served:
            return self.cells
        aim = max(mask.bit_count() for mask in narrowest)
        for mask in self._ordered(self.cells, aim):
            if _is_reached(mask, served):
                return self._checked(mask)
            if not _is_beyond(mask, served):
                break

        def rank(mask: int) -> tuple[float, ...]:
            size = mask.bit_count()
            average = self.distances.average(self._checked(mask)) if self.distances else 0
            if size == aim:
                return 0, 0, average, mask
            return (1, -size, average, mask) if size < aim else (2, size, average, mask)

        return min(conjunctions(self.cells, [hints.every() for hints in served]), key=rank, default=self.cells)


def _is_reached(mask: int, lists: Sequence[Hints]) -> bool:
    """Tell, without a search, that `mask` is certainly the intersection of some hints: one's own, others wider."""

    def widest(hints: Hints) -> bool:
        return mask & ~hints.cells == 0 and hints.serves(hints.cells)

    def own(hints: Hints) -> bool:
        return mask & ~hints.cells == 0 and hints.serves(mask)

    return any(map(own, lists)) and all(own(hints) or widest(hints) for hints in lists)


def _is_beyond(mask: int, lists: Sequence[Hints]) -> bool:
    """Tell, without a search, that `mask` is certainly no intersection: a resource has nothing on one of its nodes."""
    return any(mask & ~hints.cells for hints in lists)


def _common_sizes(lists: Sequence[Hints]) -> tuple[int, Iterable[int]]:
    """Answer the NUMA nodes that all resources may use, and the sizes that all may prefer, ascending."""
    within = lists[0].cells
    for hints in lists:
        within &= hints.cells
    fixed = {hints.least for hints in lists if hints.wide is None}
    if len(fixed) > 1:
        return within, ()
    return within, fixed or range(1, within.bit_count() + 1)
