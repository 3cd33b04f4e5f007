"""The parts of what a pod holds as a whole: some containers have their own, the others share what is left."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic
from typing import TypeVar

_Part = TypeVar("_Part")


@dataclass(frozen=True, slots=True)
class Division(Generic[_Part]):
    """By container name: `own` is exclusive, `pool` is shared with the pod's other containers, never with other pods.

    A container is in one of the two. An init container's part overlaps those of later containers: it is gone by then.
    """

    own: Mapping[str, _Part]
    pool: Mapping[str, _Part]
