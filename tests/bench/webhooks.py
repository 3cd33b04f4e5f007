"""The webhooks of the comparison that need no cluster: nothing in Go, next to nothing in Python, and numagate."""

import http.client
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.policies import namespace_of
from bench.reviews import bench_pod
from bench.reviews import bench_review
from controlplane import build
from controlplane.load import Call
from controlplane.load import Client
from controlplane.process import Daemon
from controlplane.process import free_ports
from controlplane.service import WebhookService
from controlplane.service import numagate

FLOOR = build.Module(
    name="floor",
    folder=Path(__file__).with_name("floor"),
    subject="the webhook that does nothing, with the API of Kubernetes",
    pin="k8s.io/api",
    programs=(build.Program("floor", ".", "half a minute"),),
)
READY_SECONDS = 60

NO_OP = "Go, no-op"
BARE = "FastAPI, bare"
NUMAGATE = "numagate"

MACHINE = "generic-2x4"
"""What numagate simulates the pods on."""

WRONG = {
    "half a CPU": bench_pod(cpu="7500m"),
    "more GPUs than a NUMA node has": bench_pod(gpus="8"),
}
"""Pods that every policy of the comparison must refuse."""


class BenchError(Exception):
    """A webhook does not do what the comparison takes for granted."""


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook that runs; `url` is what an API server would call to validate a pod."""

    name: str
    url: str
    ca: Path
    pid: int
    namespace: str
    judges: bool = True

    def ask(self, review: bytes) -> dict[str, Any]:
        """Answer the response of one call.

        Raises:
            OSError: it cannot be reached.
        """
        parts = urlsplit(self.url)
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        with Client(self.url, ca=self.ca) as client:
            reply = client.exchange(Call("POST", path, review))
        if reply.status != http.client.OK:
            msg = f"{self.name} answered {reply.status}: {reply.body[:300]!r}"
            raise BenchError(msg)
        response: dict[str, Any] = json.loads(reply.body)["response"]
        return response

    def answers(self) -> bool:
        """Tell whether it can be called."""
        try:
            self.ask(bench_review(self.namespace))
        except (OSError, http.client.HTTPException, BenchError):
            return False
        return True

    def why_useless(self) -> str:
        """Answer why it cannot be compared: it refuses the pod of the comparison, or lets a wrong one in."""
        if not self.ask(bench_review(self.namespace))["allowed"]:
            return f"{self.name} refuses the pod of the comparison"
        for why, wrong in WRONG.items() if self.judges else ():
            if self.ask(bench_review(self.namespace, wrong))["allowed"]:
                return f"{self.name} allows {why}"
        return ""


@contextmanager
def floor(folder: Path) -> Iterator[Webhook]:
    """Run the Go program that allows everything."""
    program = build.provide(FLOOR)["floor"]
    certificates(folder)
    (port,) = free_ports(1)
    command = [str(program), f"-address=127.0.0.1:{port}"]
    command += [f"-certificate={folder / 'tls.crt'}", f"-key={folder / 'tls.key'}"]
    with _running(NO_OP, command, folder, port) as found:
        yield found


@contextmanager
def bare(folder: Path) -> Iterator[Webhook]:
    """Run the FastAPI endpoint that allows everything."""
    certificates(folder)
    (port,) = free_ports(1)
    program = Path(__file__).with_name("bare.py")
    command = [sys.executable, str(program), f"--port={port}", f"--cert-dir={folder}"]
    with _running(BARE, command, folder, port) as found:
        yield found


@contextmanager
def ours() -> Iterator[tuple[Webhook, WebhookService]]:
    """Run numagate with the built-in policy and a machine to simulate."""
    with WebhookService(arguments=("--profile", MACHINE)) as service:
        url = f"{service.url}/validate?timeout=10s"
        yield Webhook(NUMAGATE, url, service.ca, service.daemon.process.pid, namespace_of(NUMAGATE)), service


def certificates(folder: Path) -> None:
    """Issue certificates for loopback into `folder`."""
    numagate("certs", "issue", "--dir", str(folder), "--ip", "127.0.0.1")


@contextmanager
def _running(name: str, command: list[str], folder: Path, port: int) -> Iterator[Webhook]:
    daemon = Daemon(name.replace(" ", "-"), command, folder=folder, env=os.environ)
    url = f"https://127.0.0.1:{port}/validate"
    found = Webhook(name, url, folder / "ca.crt", daemon.process.pid, namespace_of(name), judges=False)
    try:
        daemon.until_ready(found.answers, seconds=READY_SECONDS)
        yield found
    finally:
        daemon.stop()
