"""Runs a stand-in for a Service on loopback: one address before several replicas, which may come and go."""

import json
import os
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from controlplane import pass_through
from controlplane.process import Daemon
from controlplane.process import free_ports
from controlplane.process import until

LAG_SECONDS = 1.5
"""From a change of a pod's readiness to the last node that knows it: what makes restarts dangerous."""

READY_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Backend:
    """The two ports of a replica on loopback; the probe port tells whether it wants connections."""

    port: int
    probe_port: int


class Balancer:
    """A Service for the time of a `with` block; `delay` are seconds that every reply spends on its way.

    Replies on their way keep connections busy, so that the API server opens new ones all the time.
    """

    def __init__(self, *, lag: float = LAG_SECONDS, delay: float = 0.0) -> None:
        self.lag, self.delay = lag, delay

    def __enter__(self) -> Self:
        self._temporary = tempfile.TemporaryDirectory(prefix="numagate-balancer-", ignore_cleanup_errors=True)
        self.folder = Path(self._temporary.name)
        self._replicas, self._state = self.folder / "replicas.json", self.folder / "state.json"
        self.change_to([])
        (self.port,) = free_ports(1)
        self.url = f"https://127.0.0.1:{self.port}"
        command = [sys.executable, pass_through.__file__, f"--port={self.port}", f"--replicas={self._replicas}"]
        command += [f"--state={self._state}", f"--lag={self.lag}", f"--delay={self.delay}"]
        self.daemon = Daemon("balancer", command, folder=self.folder, env=os.environ)
        self.daemon.until_ready(self._state.exists, seconds=READY_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        self.daemon.stop()
        self._temporary.cleanup()

    def change_to(self, backends: Iterable[Backend]) -> None:
        """Replace the replicas; those that are gone or new count `lag` seconds later."""
        pass_through.write(self._replicas, json.dumps([[one.port, one.probe_port] for one in backends]))

    def endpoints(self) -> frozenset[int]:
        """Answer the ports that take new connections now."""
        return frozenset(json.loads(self._state.read_text("utf-8"))["endpoints"])

    def passed(self) -> int:
        """Answer how many connections were opened."""
        passed: int = json.loads(self._state.read_text("utf-8"))["passed"]
        return passed

    def until_endpoints(self, backends: Iterable[Backend], *, seconds: float = READY_SECONDS) -> None:
        """Wait until just these take new connections."""
        wanted = {one.port for one in backends}
        until(lambda: self.endpoints() == wanted, seconds=seconds, what="the endpoints of the Service")

    def logs(self, lines: int = 30) -> str:
        """Answer the last lines of the program's log."""
        return f"--- balancer\n{self.daemon.tail(lines)}\n"
