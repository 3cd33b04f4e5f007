"""Writes webhook/data/kubelet-versions.json: what the kubelet of each version knows, as its own code says.

PYTHONPATH=tests .venv/bin/python -m differential.known_facts builds the program for every version, which takes minutes.
"""

import json
import sys
from collections.abc import Iterator
from typing import Any

from differential.oracle import KUBELET_ORACLE
from differential.oracle import NEWEST
from differential.oracle import Answer
from differential.oracle import Oracle
from differential.oracle import build
from differential.oracle import isolated
from differential.oracle import parsed

from webhook.domain.kubelet_configuration.known import Gate
from webhook.domain.kubelet_configuration.known import Known
from webhook.domain.versions import Version
from webhook.sources.kubelet_versions import TABLE

PARTS = ("fields", "gates")


def as_known(answer: Answer, version: Version) -> Known:
    """Read the oracle's answer."""
    gates = {name: Gate(**{**one, "needs": tuple(one.get("needs", ()))}) for name, one in answer["gates"].items()}
    return Known(version=version, gates=gates, fields=answer["fields"])


def versions() -> list[Version]:
    """Answer the versions that the oracle can be built for, the newest first."""
    older = (parsed(folder.name) for folder in (KUBELET_ORACLE / "older").iterdir())
    return sorted([NEWEST, *older], reverse=True)


def table(answers: dict[str, Answer]) -> str:
    """Write the newest version in full, and of each older one what differs from the next newer; null: not there."""
    newer: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
    blocks = []
    for version, answer in answers.items():
        rows = {part: dict(sorted(differences(newer[part], answer[part]))) for part in PARTS}
        blocks.append(f' "{version}": {{\n' + ",\n".join(block(part, rows[part]) for part in PARTS) + "\n }")
        newer = answer
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def differences(newer: dict[str, Any], older: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what an older version has otherwise."""
    for name in newer.keys() | older.keys():
        if newer.get(name) != older.get(name):
            yield name, older.get(name)


def block(part: str, rows: dict[str, Any]) -> str:
    """Write one row a line, so that a change of one gate is a change of one line."""
    lines = ",\n".join(f"   {json.dumps(name)}: {json.dumps(value, sort_keys=True)}" for name, value in rows.items())
    return f'  "{part}": {{\n{lines}\n  }}' if lines else f'  "{part}": {{}}'


def main() -> int:
    """Ask each version's kubelet, and write the table."""
    answers = {}
    for version in versions():
        program = build(KUBELET_ORACLE, lambda line: print(line, flush=True), version)  # noqa: T201 - a progress report
        answers[".".join(map(str, version))] = Oracle(*isolated(program)).ask([{"facts": True}])[0]
    TABLE.write_text(table(answers), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
