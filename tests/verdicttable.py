"""Reads the tables of tests/cases/verdicts: what a node shows, and what must be found there."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from builders import world
from observednodes import observation

from webhook.domain.observation import Observation
from webhook.domain.policy import Verification
from webhook.domain.verdict import NodeVerdict
from webhook.domain.verdict import RuleVerdict
from webhook.engine.verify import judge

FOLDER = Path(__file__).parent / "cases" / "verdicts"


@dataclass(frozen=True, slots=True, eq=False)
class VerdictCase:
    """One row. `rules` maps a rule's code to the outcome, with the reason where the row names it."""

    id: str
    title: str
    observation: Observation
    verification: Verification
    outcome: str
    pod: str
    rules: Mapping[str, str]
    more: Mapping[str, Any]

    def judge(self) -> NodeVerdict:
        """Judge what the node shows."""
        return judge(self.observation, world(verification=self.verification))


def load() -> tuple[VerdictCase, ...]:
    """Read every table."""
    rows = [row for file in sorted(FOLDER.glob("*.yaml")) for row in yaml.safe_load(file.read_text("utf-8"))]
    return tuple(map(_case, rows))


def told(rule: RuleVerdict, expected: str) -> str:
    """Write what a rule says as the table does: the outcome, and the reason if the table names one."""
    return f"{rule.outcome.value}: {rule.reason}" if ":" in expected else rule.outcome.value


def _case(row: Mapping[str, Any]) -> VerdictCase:
    expect = dict(row["expect"])
    asked = row.get("verification", {})
    return VerdictCase(
        id=row["id"],
        title=row["title"],
        observation=observation(row),
        verification=Verification(
            local_memory_percent=asked.get("localMemoryPercent", 99), settle_seconds=asked.get("settleSeconds", 30)
        ),
        outcome=expect.pop("outcome", ""),
        pod=expect.pop("pod", "team-a/llm"),
        rules=expect.pop("rules", {}),
        more=expect,
    )
