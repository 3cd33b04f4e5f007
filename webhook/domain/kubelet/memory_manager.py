"""The memory manager with the Static policy: memory and huge pages pinned to NUMA nodes (MM/policy_static.go)."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from typing import Final

from webhook.domain.kubelet import bitmask
from webhook.domain.kubelet.cpu_manager import is_pinnable
from webhook.domain.kubelet.hints import Affinity
from webhook.domain.kubelet.hints import Hints
from webhook.domain.kubelet.memory_request import Request
from webhook.domain.kubelet.memory_request import UnrepresentableError
from webhook.domain.kubelet.memory_request import container_request
from webhook.domain.kubelet.memory_request import pod_request
from webhook.domain.kubelet.memory_table import MemoryTable
from webhook.domain.kubelet.refusal import panic
from webhook.domain.kubelet.refusal import unexpected
from webhook.domain.pod import Container
from webhook.domain.pod import ContainerKind
from webhook.domain.pod import PodFacts

_NO_DEFAULT: Final = (
    "[memorymanager] failed to get the default NUMA affinity, no NUMA nodes with enough memory is available"
)


@dataclass(slots=True)
class Block:
    """Bytes of one kind that a container holds within a mask of NUMA nodes (MM/state/state.go:Block)."""

    resource: str
    mask: int
    size: int


class MemoryManager:
    """What is free on each NUMA node of one machine, and which nodes are used together.

    `_groups` holds for each NUMA node the mask it was last used with, `_uses` how many blocks lie on it.
    """

    __slots__ = ("_blocks", "_free", "_groups", "_reusable", "_table", "_used", "_uses")

    def __init__(self, table: MemoryTable) -> None:
        """Start with everything free and every NUMA node on its own."""
        self._table = table
        self._free = {resource: dict(row) for resource, row in table.allocatable.items()}
        self._used = {resource: dict.fromkeys(row, 0) for resource, row in table.allocatable.items()}
        self._groups = {cell: 1 << cell for cell in table.cells}
        self._uses = dict.fromkeys(table.cells, 0)
        self._blocks: dict[str, list[Block]] = {}
        self._reusable: dict[tuple[int, str], int] = {}

    @property
    def blocks(self) -> dict[str, list[Block]]:
        """The current pod's blocks by container."""
        return self._blocks

    def begin(self) -> None:
        """Forget the pod before: it is admitted, its memory is gone for good."""
        self._blocks = {}
        self._reusable = {}

    def release(self) -> None:
        """Give the current pod's memory back (releaseMemory); groups dissolve with their last block only."""
        for blocks in self._blocks.values():
            for block in blocks:
                self._refund(block)
        self.begin()

    def container_hints(self, pod: PodFacts, container: Container) -> list[Hints | None]:
        """Mirror GetTopologyHints: what cannot be read or served is no preference."""
        if not is_pinnable(pod):
            return [None]
        try:
            request = container_request(container)
        except UnrepresentableError:
            return [None]
        return [self._hints(request)] * max(1, len(request))

    def pod_hints(self, pod: PodFacts) -> list[Hints | None]:
        """Mirror GetPodTopologyHints."""
        if not is_pinnable(pod):
            return [None]
        try:
            request = pod_request(pod)
        except UnrepresentableError:
            return [None]
        return [self._hints(request)] * max(1, len(request))

    def allocate(self, pod: PodFacts, container: Container, affinity: Affinity) -> None:
        """Mirror Allocate.

        Raises:
            RefusedError: no NUMA nodes have enough memory, or they are in use in another grouping.
        """
        if not is_pinnable(pod):
            return
        try:
            request = container_request(container)
        except UnrepresentableError:
            message = "[memorymanager] failed to represent quantity as int64"
            raise unexpected(message) from None
        if not request and self._table.skips_none:
            return
        mask = self._settle(request, affinity)
        if self._violates_groups(mask):
            message = "[memorymanager] preferred hint violates NUMA node allocation"
            raise unexpected(message)
        blocks = [Block(resource, mask, size) for resource, size in request.items()]
        for block in blocks:
            self._charge(block, max(0, block.size - self._reusable.get((mask, block.resource), 0)))
        self._update_reusable(container, blocks)
        self._blocks[container.name] = blocks
        if self._reusable:
            self._shrink_inits(pod, container, blocks)

    def _settle(self, request: Request, affinity: Affinity) -> int:
        """Answer the NUMA nodes to use: the affinity, or the best hint that serves where it is none or too small."""
        mask, preferred = affinity.mask, affinity.preferred
        if mask is None:
            mask, found_preferred = self._default(request)
            if preferred and not found_preferred:
                message = "[memorymanager] failed to find the default preferred hint"
                raise unexpected(message)
            preferred = found_preferred
        cells = tuple(bitmask.members(mask))
        self._check_tables(request, cells)
        if all(sum(self._free[resource][cell] for cell in cells) >= size for resource, size in request.items()):
            return mask
        mask, found_preferred = self._extended(request, mask)
        if preferred and not found_preferred:
            message = "[memorymanager] failed to find the extended preferred hint"
            raise unexpected(message)
        return mask

    def _default(self, request: Request) -> tuple[int, bool]:
        """Mirror getDefaultHint."""
        found = self._best(request, within=0)
        if found is None:
            raise unexpected(_NO_DEFAULT)
        return found

    def _extended(self, request: Request, mask: int) -> tuple[int, bool]:
        """Mirror extendTopologyManagerHint."""
        found = self._best(request, within=mask)
        if found is None:
            message = "[memorymanager] failed to find NUMA nodes to extend the current topology hint"
            raise unexpected(message)
        return found

    def _best(self, request: Request, *, within: int) -> tuple[int, bool] | None:
        """Mirror findBestHint: preferred before others, then the narrowest; only masks that contain `within`."""
        hints = self._hints(request)
        best = next((mask for mask in hints.ascending() if mask & within == within), None) if hints else None
        return None if best is None or hints is None else (best, hints.prefers(best))

    def _hints(self, request: Request) -> Hints | None:
        """Mirror calculateHints: the same hints for every resource; None where no mask at all can serve."""
        if not request:
            return None
        self._check_tables(request, self._table.cells)
        self._check_reserved()
        if not self._serves_at_all(request):
            return None
        return Hints(bitmask.of(self._table.cells), self._least_size(request), partial(self._serves, request))

    def _check_tables(self, request: Request, cells: Iterable[int]) -> None:
        """Refuse where the kubelet follows a nil pointer: a NUMA node without a row for a requested size of pages."""
        missing = ((cell, name) for cell in cells for name in request if cell not in self._free.get(name, {}))
        for cell, resource in missing:
            message = (
                f"NUMA node {cell} has no {resource}, not even 0, and the memory manager follows a nil pointer: "
                "do without, or use nodes that have such pages on every NUMA node"
            )
            raise panic(message)

    def _check_reserved(self) -> None:
        """Refuse where the kubelet's unsigned numbers wrap around and promise memory that is not there."""
        if self._table.overdrawn is not None:
            message = (
                f"more memory is reserved on NUMA node {self._table.overdrawn} than it has beside its huge pages, "
                "and the memory manager's numbers wrap around: reserve less there, or make fewer huge pages"
            )
            raise panic(message)

    def _least_size(self, request: Request) -> int:
        """Answer the fewest NUMA nodes whose allocatable (not free) bytes serve; all where none do."""
        rows = [(self._table.allocatable[resource], size) for resource, size in request.items()]
        sizes = [bitmask.least_size(list(row.values()), size) for row, size in rows]
        if len(rows) == 1:
            return sizes[0]
        cells = self._table.cells
        for least in range(max(sizes), len(cells)):
            for mask in bitmask.of_size(bitmask.of(cells), least):
                bits = tuple(bitmask.members(mask))
                if all(sum(row[cell] for cell in bits) >= size for row, size in rows):
                    return least
        return len(cells)

    def _serves(self, request: Request, mask: int) -> bool:
        """Tell whether the mask may be used and has enough, allocatable and free."""
        bits = tuple(bitmask.members(mask))
        if len(bits) == 1 and self._groups[bits[0]] != mask:
            return False
        if self._violates_groups(mask):
            return False
        for resource, size in request.items():
            allocatable, free = self._table.allocatable[resource], self._free[resource]
            if sum(allocatable[cell] for cell in bits) < size:
                return False
            if sum(free[cell] for cell in bits) + self._reusable.get((mask, resource), 0) < size:
                return False
        return True

    def _serves_at_all(self, request: Request) -> bool:
        """Tell whether any mask serves, without trying them all: among unused nodes the widest mask has the most."""
        unused = bitmask.of(cell for cell, uses in self._uses.items() if uses == 0)
        masks = {*self._groups.values(), *(mask for mask, _ in self._reusable), unused}
        return any(mask and self._serves(request, mask) for mask in masks)

    def _violates_groups(self, mask: int) -> bool:
        """Mirror isAffinityViolatingNUMAAllocations: several nodes, one of them in use alone or in another group."""
        if mask.bit_count() == 1:
            return False
        return any(self._uses[cell] and self._groups[cell] != mask for cell in bitmask.members(mask))

    def _charge(self, block: Block, size: int) -> None:
        """Mirror updateMachineState: fill the nodes of the mask in order; all of them join the group."""
        free, used = self._free[block.resource], self._used[block.resource]
        for cell in bitmask.members(block.mask):
            self._uses[cell] += 1
            self._groups[cell] = block.mask
            part = min(size, free[cell])
            free[cell] -= part
            used[cell] += part
            size -= part

    def _refund(self, block: Block) -> None:
        """Mirror releaseMemory for one block."""
        free, used, size = self._free[block.resource], self._used[block.resource], block.size
        for cell in bitmask.members(block.mask):
            self._uses[cell] -= 1
            if self._uses[cell] == 0:
                self._groups[cell] = 1 << cell
            part = min(size, used[cell])
            free[cell] += part
            used[cell] -= part
            size -= part

    def _update_reusable(self, container: Container, blocks: Iterable[Block]) -> None:
        """Mirror updatePodReusableMemory."""
        for block in blocks:
            key = (block.mask, block.resource)
            before = self._reusable.get(key, 0)
            if container.kind is ContainerKind.INIT:
                self._reusable[key] = max(before, block.size)
            elif before:
                self._reusable[key] = max(0, before - block.size)

    def _shrink_inits(self, pod: PodFacts, container: Container, blocks: Iterable[Block]) -> None:
        """Mirror updateInitContainersMemoryBlocks: what is used again counts for its last user only."""
        before = takewhile(lambda other: other.name != container.name, pod.containers)
        inits = [other.name for other in before if other.kind is ContainerKind.INIT]
        for block in blocks:
            size = block.size
            for old in (old for name in inits for old in self._blocks.get(name, ())):
                if old.resource == block.resource and old.mask == block.mask:
                    part = min(size, old.size)
                    old.size -= part
                    size -= part
