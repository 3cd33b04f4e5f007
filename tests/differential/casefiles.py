"""Recorded cases: scenarios with the real kubelet's answer, in the YAML files of tests/cases/kubelet."""

import math
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from differential.admissions import Form
from differential.admissions import real
from differential.oracle import Answer
from differential.oracle import Question
from differential.scenarios import Scenario
from differential.scenarios import read

Raw = dict[str, Any]

FOLDER = Path(__file__).resolve().parents[1] / "cases" / "kubelet"
WIDTH = 120
LISTS = {"cores", "distances", "reservedMemory"}
"""Lists that say nothing where they are empty; devices without any, or a device without NUMA nodes, do."""
DEFAULTS = {"healthy": True, "skipPredicates": False, "start": False}


@dataclass(frozen=True)
class Case:
    """A scenario, and the real kubelet's answer to it as it was recorded.

    `expected` is the simulation's: another one only where it cannot or must not follow (`beyond.yaml`).
    """

    file: str
    scenario: Scenario
    recorded: list[Form]
    expected: list[Form]

    @property
    def id(self) -> str:
        """The case's name, after that of its file."""
        return f"{self.file}: {self.scenario.name}"


@cache
def load() -> tuple[Case, ...]:
    """Read the cases of every file."""
    return tuple(case for file in sorted(FOLDER.glob("*.yaml")) for case in load_file(file))


def load_file(file: Path) -> tuple[Case, ...]:
    """Read the cases of a file; what else it holds is there to be referred to."""
    found = yaml.safe_load(file.read_text("utf-8"))["cases"]
    return tuple(case(file.stem, fields) for fields in found)


def case(file: str, fields: Mapping[str, Any]) -> Case:
    """Read a case; one without an answer still has to be recorded."""
    scenario = read({key: value for key, value in fields.items() if key not in {"answer", "simulation"}})
    recorded = real(fields["answer"], scenario) if "answer" in fields else []
    expected = real(fields["simulation"], scenario) if "simulation" in fields else recorded
    return Case(file, scenario, recorded, expected)


def text(question: Question, answer: Answer) -> str:
    """Write a case file with one case, fields that say nothing left out."""
    lean = without_blanks({key: value for key, value in question.items() if key != "pods"})
    written = {"cases": [{**lean, "pods": question["pods"], "answer": without_names(answer)}]}
    return "".join(f"{line}\n" for line in expanded(written, 0))


def without_names(answer: Answer) -> Answer:
    """Leave out of an answer what the scenario says already."""
    if "error" in answer:
        return {"error": answer["error"]}
    if "timeout" in answer:
        return {"timeout": True}
    return {"pods": [{key: value for key, value in pod.items() if key != "name"} for pod in answer["pods"]]}


def block(value: Any, indent: int = 0) -> Iterator[str]:
    """Write YAML: what fits into a line behind `indent` in one line, anything longer item by item."""
    line = in_one_line(value)
    if is_short(value, line, indent):
        yield line
    else:
        yield from expanded(value, indent)


def expanded(value: Any, indent: int) -> Iterator[str]:
    """Write the items of a list, or the fields of an object, below each other."""
    if isinstance(value, list):
        for item in value:
            for number, text in enumerate(block(item, indent + 2)):
                yield f"- {text}" if number == 0 else f"  {text}"
    else:
        for key, item in value.items():
            yield from field(in_one_line(key), item, indent)


def field(name: str, value: Any, indent: int) -> Iterator[str]:
    """Write a field of an object."""
    line = in_one_line(value)
    if is_short(value, line, indent + len(name) + 2):
        yield f"{name}: {line}"
    else:
        step = 0 if isinstance(value, list) else 2
        yield f"{name}:"
        yield from (" " * step + text for text in expanded(value, indent + step))


def is_short(value: Any, line: str, indent: int) -> bool:
    """Tell whether a value is written in one line."""
    return not value or not isinstance(value, dict | list) or indent + len(line) <= WIDTH


def in_one_line(value: Any) -> str:
    """Write YAML in one line."""
    text = yaml.safe_dump(value, default_flow_style=True, sort_keys=False, width=math.inf, allow_unicode=True)
    return text.removesuffix("\n").removesuffix("\n...")


def without_blanks(value: Any) -> Any:
    """Leave out what is the same when it is missing."""
    if isinstance(value, list):
        return [without_blanks(item) for item in value]
    if not isinstance(value, dict):
        return value
    found = {key: without_blanks(item) for key, item in value.items()}
    return {key: item for key, item in found.items() if not says_nothing(key, item)}


def says_nothing(key: str, value: Any) -> bool:
    """Tell whether a field may be left out."""
    return value in (None, {}, "") or (value == [] and key in LISTS) or (key in DEFAULTS and value is DEFAULTS[key])
