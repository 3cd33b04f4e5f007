"""Lays findings out: a table with what to do below it, or JSON."""

import sys
from collections.abc import Sequence
from typing import Final

from webhook.cli import table
from webhook.cli.doctor.examine import Finding
from webhook.cli.doctor.examine import healthy
from webhook.cli.doctor.result import Status
from webhook.domain.visible import visible

SCHEMA: Final = "numagate.io/doctor/v1"
COLUMNS: Final = ("STATUS", "CHECK", "FOUND")
NARROW: Final = ("STATUS", "CHECK")


def as_json(findings: Sequence[Finding]) -> dict[str, object]:
    """Make the document."""
    return {
        "schema": SCHEMA,
        "healthy": healthy(tuple(findings)),
        "checks": [
            {
                "name": one.probe,
                "status": one.result.status.value,
                "message": one.result.text,
                "remedy": one.result.remedy or None,
            }
            for one in findings
        ],
    }


def as_text(findings: Sequence[Finding]) -> None:
    """Print the table, what to do, and a last line that says it all."""
    rows = [(one.result.status.value, one.probe, one.result.text) for one in findings]
    table.show(COLUMNS, rows, narrow=NARROW)
    remedies: dict[str, list[str]] = {}
    for one in findings:
        if one.result.remedy:
            remedies.setdefault(one.result.remedy, []).append(one.result.text)
    if remedies:
        sys.stdout.write("\nWhat to do:\n")
    for remedy, texts in remedies.items():
        sys.stdout.writelines(f"- {visible(text)}\n" for text in texts)
        sys.stdout.write(f"    {visible(remedy)}\n")
    counts = {status: sum(one.result.status is status for one in findings) for status in Status}
    told = [
        f"{counts[status]} {word}"
        for status, word in (
            (Status.PROBLEM, "problems"),
            (Status.WARNING, "warnings"),
            (Status.UNKNOWN, "unknown"),
            (Status.OK, "ok"),
        )
        if counts[status]
    ]
    sys.stdout.write(f"\n{'healthy' if not counts[Status.PROBLEM] else 'not healthy'}: {', '.join(told)}\n")
