"""An alert, and the rule that Prometheus reads."""

from dataclasses import dataclass
from typing import Literal

from webhook.manifests.settings import Manifest

RUNBOOK = "docs/operations.md"
"""The page that has a section for each alert, with its name as heading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One alert: `expression` must hold for `minutes`. The texts are Go templates over the labels of what it finds.

    `critical` is for what refuses pods or soon will, `warning` for what somebody has to see to in a day, `info` for the
    next look.
    """

    name: str
    severity: Literal["critical", "warning", "info"]
    expression: str
    minutes: int
    summary: str
    description: str

    @property
    def runbook(self) -> str:
        """The section that says what to do."""
        return f"{RUNBOOK}#{self.name.lower()}"

    @property
    def rule(self) -> Manifest:
        """The rule, as in a rule file."""
        return {
            "alert": self.name,
            "expr": self.expression,
            **({"for": f"{self.minutes}m"} if self.minutes else {}),
            "labels": {"severity": self.severity},
            "annotations": {"summary": self.summary, "description": self.description, "runbook": self.runbook},
        }
