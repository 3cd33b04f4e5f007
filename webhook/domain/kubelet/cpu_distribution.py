"""Chooses the NUMA nodes that share a request evenly (option distribute-cpus-across-numa, KEP-2902)."""

from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from math import sqrt
from typing import Final
from typing import TypeAlias

from webhook.domain.kubelet.cpu_accumulator import Accumulator
from webhook.domain.kubelet.refusal import TooManyCellsError
from webhook.domain.kubelet.refusal import panic

MAX_TRIES: Final = 1 << 17
"""How many combinations are looked at before the simulation gives up: half a second; a real kubelet takes as long."""

_Array: TypeAlias = list[int]
"""What a Go slice points to: a combination of `size` items is in its first places, see `_combinations`."""


@dataclass(frozen=True, slots=True)
class Choice:
    """`share` CPUs from each of the `cells`; what is left over comes in groups from the `remainder` cells."""

    cells: tuple[int, ...]
    remainder: tuple[int, ...]
    share: int


@dataclass(frozen=True, slots=True)
class _Remainder:
    """The cells that give the rest, and how uneven that leaves the machine."""

    balance: float
    cells: _Array
    size: int


@dataclass(frozen=True, slots=True)
class _Found:
    """The best combination so far."""

    cells: _Array
    remainder: _Remainder
    one_socket: bool

    def outdoes(self, *, one_socket: bool) -> bool:
        """Tell whether no combination of this kind can be better, so that none need be scored."""
        if self.one_socket == one_socket:
            return self.remainder.balance == 0
        return self.one_socket


class _Tried:
    """Knows combinations by the free CPUs of their cells: a second one with the same numbers is as uneven as the first.

    So it is never better, and need not be scored; where sockets count, it has to be of the same kind as well.
    """

    def __init__(self, free: Mapping[int, int]) -> None:
        self.free = free
        self.seen: set[tuple[int, ...]] = set()

    def knows(self, combo: Sequence[int], *, one_socket: bool = False) -> bool:
        """Tell whether such a combination was asked for before."""
        numbers = (one_socket, *map(self.free.__getitem__, combo))
        known = numbers in self.seen
        self.seen.add(numbers)
        return known


class _Search:
    """The search over combinations of one size."""

    def __init__(self, accumulator: Accumulator, group: int, *, align_by_socket: bool) -> None:
        topology = accumulator.topology
        self.topology = topology
        self.count = accumulator.needed
        self.group = group
        self.align_by_socket = align_by_socket
        self.tries = 0
        self.cells = accumulator.sorted_cells()
        self.free = {cell: accumulator.free_in(cell) for cell in self.cells}

    def sizes(self) -> range:
        """Mirror rangeNUMANodesNeededToSatisfy."""
        groups = (self.topology.cpus.bit_count() - 1) // self.group + 1
        per_cell = (groups - 1) // len(self.topology.cells) + 1
        needed = (self.count - 1) // self.group + 1
        return range((needed - 1) // per_cell + 1, min(needed, len(self.cells)) + 1)

    def best(self, size: int) -> _Found | None:
        """Score the combinations of `size` cells."""
        best: _Found | None = None
        tried = _Tried(self.free)
        for array in _combinations(self.cells, size):
            if best and best.remainder.balance == 0 and (best.one_socket or not self.align_by_socket):
                break
            self._count()
            combo = array[:size]
            one_socket = self.align_by_socket and self._in_one_socket(combo)
            if (best and best.outdoes(one_socket=one_socket)) or tried.knows(combo, one_socket=one_socket):
                continue
            remainder = self._score(combo)
            if remainder is None:
                continue
            if one_socket != (best.one_socket if best else False):
                better = one_socket
            else:
                better = remainder.balance < (best.remainder.balance if best else inf)
            if better:
                best = _Found(array, remainder, one_socket)
        return best

    def _count(self) -> None:
        self.tries += 1
        if self.tries > MAX_TRIES:
            raise TooManyCellsError(len(self.free))

    def whole_groups(self, cell: int) -> int:
        """Answer how many of the cell's free CPUs can be handed out in groups."""
        return self.free[cell] // self.group * self.group

    def _score(self, combo: Sequence[int]) -> _Remainder | None:
        """Answer how uneven the combination leaves the machine, or None where it cannot share the request."""
        if sum(map(self.whole_groups, combo)) < self.count:
            return None
        share = self.count // len(combo) // self.group * self.group
        if self.align_by_socket:
            share = min(share, *map(self.whole_groups, combo))
        if any(self.free[cell] < share for cell in combo):
            return None
        after = {cell: free - share if cell in combo else free for cell, free in self.free.items()}
        return self._best_remainder(after, combo, self.count - share * len(combo))

    def _best_remainder(self, after: dict[int, int], combo: Sequence[int], rest: int) -> _Remainder:
        """Find the cells from which the rest is best taken, as many as possible first."""
        if rest == 0:
            return _Remainder(_deviation(after.values()), [], 0)
        best = _Remainder(inf, [], 0)
        candidates = [cell for cell in combo if after[cell] >= self.group]
        for size in range(len(candidates), 0, -1):
            tried = _Tried(after)
            for array in _combinations(candidates, size):
                self._count()
                subset = array[:size]
                if tried.knows(subset) or sum(after[cell] for cell in subset) < rest:
                    continue
                balance = _deviation(self._hand_out(after, subset, rest).values())
                if balance < best.balance:
                    best = _Remainder(balance, array, size)
        return best

    def _hand_out(self, after: dict[int, int], subset: Sequence[int], rest: int) -> dict[int, int]:
        """Take the rest as `rounds` would, as many rounds at once as all of the cells can give."""
        left = dict(after)
        while True:
            giving = [cell for cell in subset if left[cell] >= self.group]
            turns = min((left[cell] // self.group for cell in giving), default=0)
            turns = min(turns, rest // (self.group * len(giving))) if giving else 0
            if not turns:
                break
            for cell in giving:
                left[cell] -= turns * self.group
            rest -= turns * self.group * len(giving)
        for cell in rounds(subset, rest, self.group, left.__getitem__):
            left[cell] -= self.group
        return left

    def _in_one_socket(self, combo: Sequence[int]) -> bool:
        """Mirror CPU/topology/topology.go:AreNUMANodesInSameSocket."""
        cpus = 0
        for cell in combo:
            cpus |= self.topology.cells[cell]
        return sum(1 for bits in self.topology.sockets.values() if bits & cpus) <= 1


def choose(accumulator: Accumulator, group: int, *, align_by_socket: bool, within_free: bool = True) -> Choice | None:
    """Try combinations of NUMA nodes, smallest first; None means that no even spread exists.

    With `within_free` the share is at most what the chosen NUMA nodes have: the combination that was found best may
    have been overwritten since (`_combinations`).
    Mirrors the loop of CPU/cpu_assignment.go:takeByTopologyNUMADistributed.

    Raises:
        RefusedError: the kubelet's own loop would never end.
    """
    search = _Search(accumulator, group, align_by_socket=align_by_socket)
    for size in search.sizes():
        found = search.best(size)
        if found is not None:
            cells = found.cells[:size]
            share = search.count // size // group * group
            if within_free:
                share = min(share, *map(search.whole_groups, cells))
            return Choice(tuple(cells), tuple(found.remainder.cells[: found.remainder.size]), share)
    return None


def rounds(cells: Sequence[int], rest: int, group: int, free: Callable[[int], int]) -> Iterator[int]:
    """Iterate over the cells round and round, each time to take a group from it, until the rest is down to zero.

    Raises:
        RefusedError: single threads are left where whole groups are wanted; the kubelet's own loop never ends.
    """
    while rest > 0:
        before = rest
        for cell in cells:
            if rest > 0 and free(cell) >= group:
                yield cell
                rest -= group
        if rest == before:
            message = (
                "distribute-cpus-across-numa never ends, as the free CPUs do not divide into whole cores: "
                "reserve whole cores, or ask for fewer CPUs"
            )
            raise panic(message)


def _deviation(values: Collection[int]) -> float:
    """Mirror standardDeviation: both the mean and the result are rounded to thousandths."""
    mean = _round(sum(values) / len(values))
    return _round(sqrt(sum((value - mean) * (value - mean) for value in values) / len(values)))


def _round(number: float) -> float:
    """Mirror math.Round(x*1000)/1000 for numbers that are not negative."""
    return int(number * 1000 + 0.5) / 1000


def _combinations(items: Sequence[int], size: int) -> Iterator[_Array]:
    """Iterate as iterateCombinations does, its shared memory included.

    The kubelet keeps the best combination while its iteration still writes to it: a slice that grew past three items
    has room to spare, so that a later combination with the same beginning overwrites the end of the one that was
    kept. Here the same array is yielded again in the same cases.
    """
    return _extend(items, size, 0, [], 0)


def _extend(items: Sequence[int], missing: int, start: int, array: _Array, length: int) -> Iterator[_Array]:
    """Append as Go does: in place where the array has room, else into a new one of twice the size."""
    for index in range(start, len(items) - missing + 1):
        target = array if length < len(array) else array + [0] * max(1, len(array))
        target[length] = items[index]
        if missing == 1:
            yield target
        else:
            yield from _extend(items, missing - 1, index + 1, target, length + 1)
