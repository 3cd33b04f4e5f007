"""What a hint provider answers for one resource: the masks of NUMA nodes that can serve the request."""

from collections.abc import Callable
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from webhook.domain.pod import Container
from webhook.domain.pod import PodFacts


@dataclass(frozen=True, slots=True)
class Hints:
    """The hints for one resource. No mask at all means that the request is impossible.

    `every` answers all masks, preferred or not, in any order. Only the best-effort policy needs it and there may be
    2^cells of them, so it is asked late.
    """

    preferred: tuple[int, ...]
    every: Callable[[], Iterable[int]]


IMPOSSIBLE = Hints((), tuple)
"""An empty list of hints: no NUMA nodes can serve the request (a hint nil/false)."""


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
