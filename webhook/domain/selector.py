"""Label selectors, matched as the API server matches them (apimachinery pkg/labels/selector.go)."""

from collections.abc import Mapping
from dataclasses import dataclass

OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
"""Every operator that a requirement may have."""


@dataclass(frozen=True, slots=True)
class LabelRequirement:
    """One requirement: `operator` is one of `OPERATORS`; `values` are compared by In and NotIn only."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Write it as kubectl takes it."""
        match self.operator:
            case "Exists":
                return self.key
            case "DoesNotExist":
                return f"!{self.key}"
            case _:
                return f"{self.key} {self.operator.lower()} ({', '.join(self.values)})"

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether `labels` meet it; NotIn and DoesNotExist are met where the key is absent."""
        match self.operator:
            case "In":
                return labels.get(self.key) in self.values
            case "NotIn":
                return labels.get(self.key) not in self.values
            case "Exists":
                return self.key in labels
            case _:
                return self.key not in labels


@dataclass(frozen=True, slots=True)
class LabelSelector:
    """Requirements that must all be met; an empty selector matches everything."""

    requirements: tuple[LabelRequirement, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Tell whether `labels` meet every requirement."""
        return all(requirement.matches(labels) for requirement in self.requirements)

    def __str__(self) -> str:
        """Write it as kubectl takes selectors; an empty one is any labels."""
        return ",".join(map(str, self.requirements)) or "any labels"

    @property
    def keys(self) -> frozenset[str]:
        """The labels that it reads."""
        return frozenset(requirement.key for requirement in self.requirements)
