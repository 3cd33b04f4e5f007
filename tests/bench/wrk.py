"""Loads a webhook with wrk, Debian's HTTP load generator: one thread, kept-alive TLS connections, closed loop."""

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from bench.reviews import VARIED
from bench.webhooks import BenchError
from bench.webhooks import Webhook

SCRIPT = Path(__file__).with_name("load.lua")
INSTALL = ("apt-get", "install", "--yes", "--no-install-recommends", "wrk")


@dataclass(frozen=True, slots=True)
class Load:
    """What one run measured: latency in milliseconds."""

    p50: float
    p99: float
    rate: float


def provide() -> None:
    """See that there is wrk; install Debian's where this is root.

    Raises:
        BenchError: there is none.
    """
    if shutil.which("wrk"):
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        print("installing wrk", flush=True)  # noqa: T201
        subprocess.run(["apt-get", "update", "--quiet"], check=False, stdout=subprocess.DEVNULL)
        subprocess.run(INSTALL, check=False, stdout=subprocess.DEVNULL)
    if not shutil.which("wrk"):
        msg = f"the comparison needs wrk on PATH: install it, on Debian by `{' '.join(INSTALL)}` as root"
        raise BenchError(msg)


def load(webhook: Webhook, review: Path, *, connections: int, seconds: int, unlike: bool) -> Load:
    """Send the review all the time; with `unlike` every pod asks for another amount of memory.

    Raises:
        BenchError: not every request was answered.
    """
    command = ["wrk", "--threads=1", f"--connections={connections}", f"--duration={seconds}s", "--timeout=10s"]
    command += [f"--script={SCRIPT}", webhook.url, "--", str(review), *([VARIED] if unlike else [])]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found = json.loads(done.stdout.splitlines()[-1])
    if found["failed"] or not found["requests"]:
        msg = f"{webhook.name} failed {found['failed']} of {found['requests']} requests"
        raise BenchError(msg)
    rate = found["requests"] * 1e6 / found["microseconds"]
    return Load(p50=found["p50"] / 1000, p99=found["p99"] / 1000, rate=rate)
