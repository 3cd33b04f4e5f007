"""The errors of `make mutants`: each can still be planted. Whether they are caught takes minutes, and is no test."""

import ast
from collections import Counter

import pytest
from differential.mutations import KUBELET
from differential.mutations import MUTATIONS
from differential.mutations import PACKAGE
from differential.mutations import Mutation

PAGE = PACKAGE.parent / "docs" / "kubelet.md"
WITHOUT_BEHAVIOUR = {"__init__.py", "admit.py", "asked_before.py", "division.py", "refusal.py", "trace.py"}
"""What is there to be called, to be told or to remember, and the words of refusals, which every case compares."""


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.error)
def test_an_error_can_still_be_planted(mutation: Mutation) -> None:
    assert ast.dump(ast.parse(mutation.applied()))


def test_errors_are_told_apart_and_spread_over_all_files() -> None:
    files = {path.name for path in (PACKAGE / KUBELET).glob("*.py")}
    errors = Counter(mutation.error for mutation in MUTATIONS)

    assert len(MUTATIONS) >= 25
    assert set(errors.values()) == {1}
    assert {mutation.file for mutation in MUTATIONS} == files - WITHOUT_BEHAVIOUR


def test_the_page_has_the_table_of_all_errors() -> None:
    rows = [line.split(" | ") for line in PAGE.read_text("utf-8").splitlines() if line.count("`") == 2]
    told = [(row[0].removeprefix("| "), row[1].strip("`")) for row in rows if len(row) == 3 and row[1].endswith(".py`")]

    assert told == [(mutation.error, mutation.file) for mutation in MUTATIONS]
