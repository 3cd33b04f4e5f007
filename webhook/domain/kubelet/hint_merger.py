"""Merges the hints of all resources into one affinity, as each policy wants it (TM/policy.go)."""

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from typing import TypeAlias

from webhook.domain.kubelet import bitmask
from webhook.domain.kubelet.conjunction import conjunctions
from webhook.domain.kubelet.hints import Affinity
from webhook.domain.kubelet.hints import Hints
from webhook.domain.kubelet.refusal import panic

NONE: Final = "none"
BEST_EFFORT: Final = "best-effort"
RESTRICTED: Final = "restricted"
SINGLE_NUMA_NODE: Final = "single-numa-node"

_Rank: TypeAlias = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class HintMerger:
    """The merge of one policy on one machine (TM/policy.go:HintMerger); `cells` is the mask of all NUMA nodes.

    The kubelet tries every combination of one hint per resource. The same answer needs less: a preferred combination
    has the same mask for every resource, and only the best-effort policy takes any other one.
    `distances` (by NUMA node, with the option prefer-closest-numa-nodes) decides between masks of the same size.
    """

    policy: str
    cells: int
    distances: Mapping[int, Sequence[int]] | None = None

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
        common = (mask for mask in _common_sizes(lists) if all(hints.prefers(mask) for hints in lists))
        if self.distances is None:
            return next(common, None)
        first = next(common, None)
        if first is None:
            return None
        size = first.bit_count()
        return min([first, *(mask for mask in common if mask.bit_count() == size)], key=self._rank)

    def _rank(self, mask: int) -> _Rank:
        """Sort masks as TM/numa_info.go:Narrowest or Closest does."""
        if self.distances is None:
            return bitmask.narrowest(mask)
        return mask.bit_count(), _average(self.distances, mask), mask

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
        likely = (1 << aim) - 1
        if self.distances is None and self._is_reached(likely, served):
            return likely

        def rank(mask: int) -> _Rank:
            size = mask.bit_count()
            if size == aim:
                return (0, 0, *self._rank(mask))
            return (1, -size, *self._rank(mask)) if size < aim else (2, size, *self._rank(mask))

        return min(conjunctions(self.cells, [hints.every() for hints in served]), key=rank, default=self.cells)

    def _is_reached(self, mask: int, lists: Sequence[Hints]) -> bool:
        """Tell, without a search, that `mask` is certainly the intersection of some hints: one's own, others wider."""

        def widest(hints: Hints) -> bool:
            return mask & ~hints.cells == 0 and hints.serves(hints.cells)

        def own(hints: Hints) -> bool:
            return mask & ~hints.cells == 0 and hints.serves(mask)

        return any(map(own, lists)) and all(own(hints) or widest(hints) for hints in lists)


def _common_sizes(lists: Sequence[Hints]) -> Iterator[int]:
    """Iterate over the masks that have a size which every resource may prefer, the narrowest first."""
    within = lists[0].cells
    for hints in lists:
        within &= hints.cells
    fixed = {hints.least for hints in lists if hints.wide is None}
    sizes: Iterable[int] = fixed or range(1, within.bit_count() + 1)
    if len(fixed) <= 1:
        for size in sizes:
            yield from bitmask.of_size(within, size)


def _average(distances: Mapping[int, Sequence[int]], mask: int) -> float:
    """Mirror TM/numa_info.go:CalculateAverageFor: over all ordered pairs, each node with itself included."""
    cells = tuple(bitmask.members(mask))
    try:
        total = sum(distances[cell][other] for cell in cells for other in cells)
    except IndexError:
        message = "a NUMA node has no distance to another: the topology manager reads beyond its table"
        raise panic(message) from None
    return total / len(cells) ** 2
