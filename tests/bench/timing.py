"""Times functions and prints a table; keeps the medians beside those of an earlier run."""

import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from collections.abc import Mapping
from pathlib import Path

KEPT = Path(__file__).with_name("figures.json")
"""What was last kept: medians in microseconds, figures of a large cluster, and the machine that they are from."""

ROUNDS = 300
WARM_UP = 2
MOST_SECONDS = 2.0


class Table:
    """Prints one line per measurement, with its ratio to another one of the same run and the figure that is kept."""

    def __init__(self) -> None:
        """Read what is kept."""
        self.kept: dict[str, float] = json.loads(KEPT.read_text())["microseconds"] if KEPT.exists() else {}
        self.medians: dict[str, float] = {}

    def head(self, title: str) -> None:
        """Begin a part of the table."""
        print(f"\n{title:58}{'median':>12}{'p99':>12}{'kept':>12}  ratio")  # noqa: T201

    def add(self, name: str, run: Callable[[], object], *, rounds: int = ROUNDS, than: str | None = None) -> float:
        """Time `run` and print it; `than` names a measurement before, for the ratio."""
        measured = times(run, rounds)
        median = statistics.median(measured) * 1e6
        p99 = measured[min(len(measured) - 1, len(measured) * 99 // 100)] * 1e6
        kept = f"{self.kept[name]:>10.0f}µs" if name in self.kept else f"{'-':>12}"
        ratio = f"  x{median / self.medians[than]:.2f} {than}" if than else ""
        print(f"{name:58}{median:>10.0f}µs{p99:>10.0f}µs{kept}{ratio}", flush=True)  # noqa: T201
        self.medians[name] = median
        return median

    def keep(self) -> None:
        """Write this run's medians in place of those kept before."""
        keep("microseconds", {name: round(median, 1) for name, median in self.medians.items()})


def keep(part: str, figures: Mapping[str, float]) -> None:
    """Write figures of one part in place of those kept before, and the machine that they are from."""
    machine = {"python": platform.python_version(), "cpus": os.cpu_count(), "architecture": platform.machine()}
    kept = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    found = {**kept, "machine": machine, part: figures}
    KEPT.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n")


def times(run: Callable[[], object], rounds: int = ROUNDS) -> list[float]:
    """Time `run` after some rounds to warm up, in seconds, for `rounds` or two seconds."""
    for _ in range(WARM_UP):
        run()
    measured: list[float] = []
    began = time.perf_counter()
    while len(measured) < rounds and (len(measured) < 3 or time.perf_counter() - began < MOST_SECONDS):
        start = time.perf_counter()
        run()
        measured.append(time.perf_counter() - start)
    return sorted(measured)
