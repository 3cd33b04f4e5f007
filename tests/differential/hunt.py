"""Holds the simulation against recorded answers and prints the first that it does not give: run on a faulty copy."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from differential import casefiles
from differential.admissions import differs
from differential.admissions import simulated
from differential.scenarios import read


def catches(answers: Path) -> Iterator[str]:
    """Yield what catches the error: cases first, then the lines of `answers`, a question and an answer each."""
    yield from (case.id for case in casefiles.load() if simulated(case.scenario) != case.expected)
    with answers.open("r", encoding="utf-8") as lines:
        for question, answer in map(json.loads, lines):
            if differs(read(question), answer):
                yield question["name"]


if __name__ == "__main__":
    sys.stdout.write(next(catches(Path(sys.argv[1])), ""))
