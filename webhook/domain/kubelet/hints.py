"""What a hint provider answers for one resource: which masks of NUMA nodes can serve the request."""

from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from webhook.domain.kubelet import bitmask
from webhook.domain.pod import Container
from webhook.domain.pod import PodFacts


@dataclass(frozen=True, slots=True)
class Hints:
    """The hints for one resource, told by a question instead of a list, for there may be 2^cells of them.

    There is a hint for a mask of `cells` if it `serves`. It is preferred if it has `least` bits, the fewest that could
    serve on an empty machine, or if it is `wide`: align-by-socket prefers some wider masks too.
    """

    cells: int
    least: int
    serves: Callable[[int], bool]
    wide: Callable[[int], bool] | None = None

    def prefers(self, mask: int) -> bool:
        """Tell whether there is a preferred hint for the mask."""
        if mask.bit_count() != self.least and not (self.wide and self.wide(mask)):
            return False
        return mask & ~self.cells == 0 and self.serves(mask)

    def every(self) -> set[int]:
        """Answer the masks of all hints."""
        return set(filter(self.serves, bitmask.subsets(self.cells)[1:]))

    def ascending(self) -> Iterator[int]:
        """Iterate over the masks of all hints, the narrowest first; none is narrower than `least`."""
        for size in range(self.least, self.cells.bit_count() + 1):
            yield from filter(self.serves, bitmask.of_size(self.cells, size))


IMPOSSIBLE = Hints(0, 1, bool)
"""An empty list of hints: no mask at all, so that none can serve the request (a hint nil/false)."""


@dataclass(frozen=True, slots=True)
class Affinity:
    """A merged hint as the topology manager stores it; `mask` None is the kubelet's nil."""

    mask: int | None
    preferred: bool


class HintProvider(Protocol):
    """A manager as the topology manager sees it (TM/topology_manager.go:HintProvider)."""

    def container_hints(self, pod: PodFacts, container: Container) -> list[Hints | None]:
        """Answer one entry per resource of the container; None means no preference."""

    def pod_hints(self, pod: PodFacts) -> list[Hints | None]:
        """Answer one entry per resource of the pod as a whole; None means no preference."""

    def allocate(self, pod: PodFacts, container: Container, affinity: Affinity) -> None:
        """Allocate for the container.

        Raises:
            RefusedError: the kubelet refuses the pod.
        """
