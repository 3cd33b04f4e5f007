"""What a comparison with Kubernetes' own code is: numbered questions, compared batch by batch."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import field
from typing import Protocol

LATE_SHARE = 0.005
"""At most this share of the questions may be too hard for Kubernetes to be answered in time."""


@dataclass
class Found:
    """What some questions showed: answers by kind, those that came too late, and the texts of differences.

    A text is made when it is asked for: it may take many more questions.
    """

    asked: int = 0
    late: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    differences: list[Callable[[], str]] = field(default_factory=list)

    def add(self, other: "Found") -> None:
        """Add what other questions showed."""
        self.asked += other.asked
        self.late += other.late
        self.outcomes += other.outcomes
        self.differences += other.differences

    @property
    def proves(self) -> bool:
        """Whether nothing differed, and nearly everything was compared."""
        return not self.differences and self.late <= max(5, self.asked * LATE_SHARE)


class Comparison(Protocol):
    """Something that is compared; the questions of a number are the same in every run of a seed."""

    @property
    def name(self) -> str:
        """What the questions are, in one word."""

    @property
    def batch(self) -> int:
        """How many questions one run of the program answers."""

    def compare(self, first: int, count: int) -> Found:
        """Ask the questions from number `first` on, and compare the answers."""
