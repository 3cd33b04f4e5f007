"""Fuzzes the readers of foreign bytes, one after the other: the command behind `make fuzz`."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import field
from pathlib import Path

from fuzz import plain
from fuzz.target import Target
from fuzz.targets import TARGETS

RSS_LIMIT_MB = 1024
HANG_SECONDS = 30
PATIENCE = 3
GRACE_SECONDS = 300
"""A busy machine may take so many times the seconds asked for, and so many more to start, with every seed."""
SHOWN = 25
SLOWEST = "slowest.bin"

_STATUS = re.compile(r"#\d+\s+(\w+)\s+cov: (\d+) ft: \d+ corp: (\d+)/.*? rss: (\d+)Mb")
_STATISTIC = re.compile(r"stat::(\w+):\s+(\d+)")


@dataclass
class Outcome:
    """What fuzzing a target showed; `rss` in MiB, as it went; `slowest` in seconds, without instruments."""

    target: Target
    coverage: int = 0
    corpus: int = 0
    slowest: float = 0.0
    statistics: dict[str, int] = field(default_factory=dict)
    rss: list[int] = field(default_factory=list)
    findings: list[Path] = field(default_factory=list)
    failure: str = ""

    @property
    def row(self) -> str:
        """The outcome as a row of a table."""
        cells = (
            self.target.name,
            f"{self.statistics.get('number_of_executed_units', 0):,}",
            f"{self.statistics.get('average_exec_per_sec', 0):,}",
            f"{self.coverage:,}",
            f"{self.corpus:,}",
            f"{self.slowest * 1000:.0f} ms",
            f"{self.rss[0]} to {self.rss[-1]} MiB" if self.rss else "",
            str(len(self.findings) or ("failed" if self.failure else 0)),
        )
        return "| " + " | ".join(cells) + " |"


def main(arguments: Sequence[str]) -> int:
    """Fuzz what is asked for; 0 if nothing was found, 1 if something was, or a target could not run."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", help=f"some of {', '.join(TARGETS)}; all of them if none is named")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--corpus", type=Path, default=default_corpus(), help="where inputs are kept between runs")
    parser.add_argument("--seed", type=int, default=0, help="0 is another one each time")
    parser.add_argument("--plain", type=int, default=0, help="so many inputs for each target, without instruments")
    asked = parser.parse_args(arguments)
    unknown = [name for name in asked.targets if name not in TARGETS]
    if unknown:
        parser.error(f"no such target: {', '.join(unknown)}; there are {', '.join(TARGETS)}")
    if asked.plain:
        return plainly([TARGETS[name] for name in asked.targets or TARGETS], asked)
    outcomes = [fuzz(TARGETS[name], asked) for name in asked.targets or TARGETS]
    say("\n| target | inputs | a second | branches | corpus | slowest | memory | findings |")
    say("|---|---|---|---|---|---|---|---|")
    for outcome in outcomes:
        say(outcome.row)
    for outcome in outcomes:
        tell(outcome, asked.corpus)
    return int(any(outcome.findings or outcome.failure for outcome in outcomes))


def plainly(targets: Sequence[Target], asked: argparse.Namespace) -> int:
    """Try a number of inputs in this process; 1 if one shows a bug."""
    say("| target | inputs | a second |\n|---|---|---|")
    for target in targets:
        started = time.monotonic()
        try:
            plain.check(target, asked.plain, asked.seed)
        except plain.FoundError as found:
            folder = asked.corpus / target.name / "findings"
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "plain").write_bytes(found.data)
            say("".join(traceback.format_exception(found)))
            return 1
        say(f"| {target.name} | {asked.plain:,} | {asked.plain / (time.monotonic() - started):,.0f} |")
    return 0


def default_corpus() -> Path:
    """Answer the folder outside the tree where inputs are kept."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "numagate" / "fuzz"


def fuzz(target: Target, asked: argparse.Namespace) -> Outcome:
    """Fuzz one target in a process of its own, and show its progress."""
    folder = asked.corpus / target.name
    seeds, corpus, findings = folder / "seeds", folder / "corpus", folder / "findings"
    shutil.rmtree(seeds, ignore_errors=True)
    for each in (seeds, corpus, findings):
        each.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds()):
        (seeds / f"{number:05}").write_bytes(seed)
    (folder / SLOWEST).unlink(missing_ok=True)
    options = [
        f"-max_total_time={asked.seconds}",
        f"-max_len={target.max_bytes}",
        f"-seed={asked.seed}",
        f"-rss_limit_mb={RSS_LIMIT_MB}",
        f"-timeout={HANG_SECONDS}",
        f"-artifact_prefix={findings}/",
        "-print_final_stats=1",
        "-detect_leaks=0",
    ]
    command = [sys.executable, "-m", "fuzz.child", target.name, str(folder), *options, str(corpus), str(seeds)]
    say(f"\n== {target.name}: {target.title}, {asked.seconds} s")
    before = set(findings.iterdir())
    with (folder / "log.txt").open("w+", encoding="utf-8", errors="replace") as log:
        try:
            done = subprocess.run(
                command,
                stdout=log,
                stderr=subprocess.STDOUT,
                timeout=PATIENCE * asked.seconds + GRACE_SECONDS,
                check=False,
            )
            end = f"ended with {done.returncode}" if done.returncode else ""
        except subprocess.TimeoutExpired:
            end = "did not end in time"
        log.seek(0)
        lines = log.read().splitlines()
    outcome = read_log(target, lines)
    outcome.findings = sorted(set(findings.iterdir()) - before)
    outcome.failure = "\n".join([end, *lines[-SHOWN:]]) if end else ""
    outcome.slowest = seconds_of(target, folder / SLOWEST)
    say(outcome.row)
    return outcome


def read_log(target: Target, lines: Sequence[str]) -> Outcome:
    """Read libFuzzer's lines."""
    outcome = Outcome(target)
    for line in lines:
        if found := _STATUS.match(line):
            outcome.coverage, outcome.corpus = int(found[2]), int(found[3])
            outcome.rss.append(int(found[4]))
        elif found := _STATISTIC.match(line):
            outcome.statistics[found[1]] = int(found[2])
    return outcome


def seconds_of(target: Target, file: Path) -> float:
    """Answer the CPU seconds of an input without instruments, once everything is loaded."""
    if not file.exists():
        return 0.0
    data = file.read_bytes()
    seconds = []
    for _ in range(3):
        start = time.thread_time()
        with suppress(Exception):  # what it shows is told already
            target.check(data)
        seconds.append(time.thread_time() - start)
    return min(seconds)


def tell(outcome: Outcome, corpus: Path) -> None:
    """Show what was found, and how to see it again."""
    if not (outcome.findings or outcome.failure):
        return
    say(f"\n== {outcome.target.name}: {outcome.failure}")
    for finding in outcome.findings:
        folder = corpus / outcome.target.name
        say(f"again: PYTHONPATH=tests {sys.executable} -m fuzz.child {outcome.target.name} {folder} {finding}")


def say(line: str) -> None:
    """Print at once, so that whoever waits sees it."""
    print(line, flush=True)  # noqa: T201  # a progress report


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
