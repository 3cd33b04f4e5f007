"""Runs a daemon of the test cluster: own log file, a deadline for everything, no orphan."""

import random
import socket
import subprocess
import time
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

PORTS = range(20_000, 32_000)
"""Below the ranges from which kernels pick the ports of outgoing connections, so that none is lost to one."""

POLL_SECONDS = 0.05


class DaemonError(Exception):
    """A daemon ended or did not get ready in time; the text ends with the last lines of its log."""


class Daemon:
    """One background process with its log in `folder`/`name`.log."""

    def __init__(self, name: str, command: Sequence[str], *, folder: Path, env: Mapping[str, str]) -> None:
        """Start `command` at once, in a session of its own so that Ctrl-C reaches pytest only."""
        self.name = name
        self.log = folder / f"{name}.log"
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def tail(self, lines: int = 30) -> str:
        """Answer the last lines of the log."""
        text = self.log.read_text("utf-8", "replace") if self.log.exists() else ""
        return "\n".join(text.splitlines()[-lines:])

    def until_ready(self, probe: Callable[[], bool], *, seconds: float) -> None:
        """Wait until `probe` answers true.

        Raises:
            DaemonError: the process ended, or the time is over.
        """
        deadline = time.monotonic() + seconds
        while not probe():
            status = self.process.poll()
            if status is not None:
                msg = f"{self.name} ended with {status}:\n{self.tail()}"
                raise DaemonError(msg)
            if time.monotonic() > deadline:
                msg = f"{self.name} is not ready after {seconds:.0f} s:\n{self.tail()}"
                raise DaemonError(msg)
            time.sleep(POLL_SECONDS)

    def stop(self, *, seconds: float = 15) -> int:
        """End the process, by force where it does not obey within `seconds`; answer its exit status."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.process.kill()
        return self.process.wait()


def until(probe: Callable[[], T], *, seconds: float = 20, what: str = "the expected state") -> T:
    """Call `probe` until its answer is true, and answer that.

    Raises:
        TimeoutError: the answer is still false after `seconds`; the text shows the last one.
    """
    deadline = time.monotonic() + seconds
    while True:
        answer = probe()
        if answer:
            return answer
        if time.monotonic() > deadline:
            msg = f"{what} did not come within {seconds:.0f} s; last seen: {answer!r}"
            raise TimeoutError(msg)
        time.sleep(POLL_SECONDS)


def free_ports(count: int) -> list[int]:
    """Answer `count` different ports of the loopback address on which nobody listens."""
    found: list[int] = []
    for port in random.sample(PORTS, len(PORTS)):
        if len(found) == count:
            break
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        found.append(port)
    return found
