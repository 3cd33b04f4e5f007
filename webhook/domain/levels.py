"""The three cumulative levels of alignment, and the four modes that each are set to one."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

MODES: Final = ("enforce", "repair", "warn", "audit")
"""The names of the modes, as policies and namespace labels write them."""


class Level(IntEnum):
    """How far a pod has come; each level includes those before it."""

    NONE = 0
    GUARANTEED = 1
    """QoS class Guaranteed, by the API server's exact rules."""
    EXCLUSIVE = 2
    """And exclusive CPUs for every accelerator container."""
    ALIGNED = 3
    """And a fit on one NUMA node (or the number asked for) of an eligible node class."""

    def __str__(self) -> str:
        """Write the level as policies, labels and messages do."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Modes:
    """The level up to which each mode acts; `Level.NONE` switches a mode off."""

    enforce: Level = Level.ALIGNED
    repair: Level = Level.ALIGNED
    warn: Level = Level.ALIGNED
    audit: Level = Level.ALIGNED

    @property
    def strongest(self) -> str:
        """The first mode that is on, in the order of MODES; "none" where all are off.

        >>> Modes(enforce=Level.NONE, repair=Level.GUARANTEED).strongest
        'repair'
        """
        return next((mode for mode in MODES if getattr(self, mode) is not Level.NONE), "none")
