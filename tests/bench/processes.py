"""Reads what a process takes of the machine: memory and CPU time, as Linux counts them."""

import os
from dataclasses import dataclass
from pathlib import Path

MIB = 1 << 20
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process has taken so far: resident memory in MiB, now and at most, and seconds of CPU time."""

    resident: float
    peak: float
    cpu: float


def usage(pid: int) -> Usage:
    """Look at a process that runs."""
    folder = Path("/proc", str(pid))
    status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
    # The name of the program, which may hold anything, stands in parentheses.
    fields = (folder / "stat").read_text().rpartition(")")[2].split()
    return Usage(
        resident=_mebibytes(status["VmRSS"]),
        peak=_mebibytes(status["VmHWM"]),
        cpu=(int(fields[11]) + int(fields[12])) / _TICKS,
    )


def _mebibytes(text: str) -> float:
    return int(text.split(maxsplit=1)[0]) * 1024 / MIB
