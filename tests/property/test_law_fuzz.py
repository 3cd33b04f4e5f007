"""What `make fuzz` does for hours, for a moment: no target is broken, and no seed shows a bug."""

from collections.abc import Mapping

import pytest
from fuzz import plain
from fuzz.run import read_log
from fuzz.target import Target
from fuzz.targets import TARGETS

INPUTS: Mapping[str, int] = {"review": 60, "policy": 60, "snapshot": 60, "manifests": 40, "nodes": 100}
OTHERS = 300


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_no_seed_and_no_change_of_one_shows_a_bug(target: Target) -> None:
    plain.check(target, INPUTS.get(target.name, OTHERS))


def broken(data: bytes) -> None:
    """Fail like a reader that was written for friends."""
    assert b"9" not in data


def test_a_bug_is_found_and_its_input_kept() -> None:
    target = Target("broken", "a reader", lambda: [b'{"a": 1}'], broken)

    with pytest.raises(plain.FoundError) as caught:
        plain.check(target, 1000)

    assert b"9" in caught.value.data


def test_the_same_seed_makes_the_same_inputs() -> None:
    target = TARGETS["patch"]

    assert list(plain.inputs(target, 50, 3)) == list(plain.inputs(target, 50, 3))
    assert list(plain.inputs(target, 50, 3)) != list(plain.inputs(target, 50, 4))


def test_libfuzzers_lines_are_read() -> None:
    lines = [
        "INFO: seed corpus: files: 2",
        "#12\tINITED cov: 61 ft: 70 corp: 5/20Kb exec/s: 0 rss: 90Mb",
        "#4096\tREDUCE cov: 81 ft: 437 corp: 73/37Kb lim: 8192 exec/s: 1181 rss: 93Mb L: 84/6534 MS: 1 Custom-",
        "stat::number_of_executed_units: 5000",
        "stat::average_exec_per_sec:     1065",
    ]

    outcome = read_log(TARGETS["patch"], lines)

    assert outcome.row == "| patch | 5,000 | 1,065 | 81 | 73 | 0 ms | 90 to 93 MiB | 0 |"
