"""docs/reliability.md: every item once, every test that it names, every file and target."""

import re
from collections import Counter
from pathlib import Path

import pytest
from promises import LONG_ONLY

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reliability.md").read_text("utf-8")
ROWS = [
    [cell.strip() for cell in row.split("|")[1:-1]] for row in re.findall(r"^\| [A-G]\d \|.*\|$", PAGE, re.MULTILINE)
]
ITEMS = {"A": 6, "B": 9, "C": 6, "D": 9, "E": 5, "F": 4, "G": 4}
"""How many promises each part has."""


def names_of_tests() -> Counter[str]:
    """Count the tests of the tree by their names."""
    texts = (path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    return Counter(name for text in texts for name in re.findall(r"^(?:async )?def (test_\w+)\(", text, re.MULTILINE))


def test_every_item_has_one_row() -> None:
    wanted = [f"{part}{number}" for part, count in ITEMS.items() for number in range(1, count + 1)]

    assert [row[0] for row in ROWS] == wanted
    assert {len(row) for row in ROWS} == {4}


def test_every_test_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"`(test_\w+)`", PAGE))

    assert named - names_of_tests().keys() == set()
    assert len(named) > 50


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_every_item_is_proven_or_has_a_reason(row: list[str]) -> None:
    _item, promise, proof, reason = row

    assert promise
    assert "`test_" in proof or reason


def test_every_file_and_target_that_the_page_names_is_there() -> None:
    files = set(re.findall(r"`((?:tests|docs)/[\w/.-]+)`", PAGE))
    targets = set(re.findall(r"\bmake ([a-z]+)", PAGE))
    makefile = (ROOT / "Makefile").read_text("utf-8")

    assert {name for name in files if not (ROOT / name).exists()} == set()
    assert {name for name in targets if f"\n{name}:" not in makefile} == set()


def test_every_test_of_the_folder_is_in_the_page() -> None:
    folder = ROOT / "tests" / "integration" / "reliability"
    texts = [path.read_text("utf-8") for path in folder.glob("test_*.py")]
    names = {name for text in texts for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)}

    assert {name for name in names if f"`{name}`" not in PAGE} == set()


def test_what_only_the_long_form_runs_has_a_short_form_elsewhere() -> None:
    tests = {path.name for path in (ROOT / "tests").rglob("test_*.py")}

    assert LONG_ONLY.keys() | set(LONG_ONLY.values()) <= tests
