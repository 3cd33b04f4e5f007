"""Runs the real numagate service on loopback and lets a test cluster call it."""

import contextlib
import os
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any
from typing import Protocol
from typing import Self

import httpx
import yaml
from controlplane.cluster import ControlPlane
from controlplane.counted import requests_counted
from controlplane.process import Daemon
from controlplane.process import free_ports
from controlplane.process import until

NUMAGATE = Path(sys.executable).with_name("numagate")
READY_SECONDS = 60
CONFIGURATIONS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")

SCOUT = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "scout"},
    "spec": {
        "containers": [
            {
                "name": "main",
                "image": "registry.example/vllm/vllm-openai:v1",
                "resources": {"limits": {"nvidia.com/gpu": "1", "cpu": "4", "memory": "8Gi"}},
            }
        ]
    },
}
"""A pod about which numagate is asked, whatever it says; it is only ever created as a dry run."""


def numagate(*arguments: str, cwd: Path | None = None) -> str:
    """Run a numagate command that must work, and answer what it prints."""
    done = subprocess.run([str(NUMAGATE), *arguments], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        msg = f"numagate {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        raise AssertionError(msg)
    return done.stdout


class WebhookService:
    """`numagate serve` with a fresh certificate, for the time of a `with` block."""

    def __init__(self, *, policy: Path | None = None, arguments: Sequence[str] = ()) -> None:
        """Serve `policy` (None: the built-in one); `arguments` are added to those of `numagate serve`."""
        self.policy = policy
        self.arguments = tuple(arguments)

    def __enter__(self) -> Self:
        self._folder = tempfile.TemporaryDirectory(prefix="numagate-service-", ignore_cleanup_errors=True)
        self.folder = Path(self._folder.name)
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _start(self) -> None:
        numagate("certs", "issue", "--dir", str(self.folder), "--ip", "127.0.0.1", "--dns", "localhost")
        self.ca = self.folder / "ca.crt"
        port, probe_port = free_ports(2)
        self.url = f"https://127.0.0.1:{port}"
        self.probe_url = f"http://127.0.0.1:{probe_port}"
        self.http = httpx.Client(
            verify=ssl.create_default_context(cafile=str(self.ca)), timeout=30, trust_env=False, base_url=self.url
        )
        command = [str(NUMAGATE), "serve", f"--cert-dir={self.folder}", "--bind=127.0.0.1", "--drain-seconds=0"]
        command += [f"--port={port}", f"--probe-port={probe_port}", *self._policy_arguments(), *self.arguments]
        self.daemon = Daemon("numagate", command, folder=self.folder, env=os.environ)
        self.daemon.until_ready(self._is_ready, seconds=READY_SECONDS)

    def _stop(self) -> None:
        if hasattr(self, "daemon"):
            self.daemon.stop()
        if hasattr(self, "http"):
            self.http.close()
        self._folder.cleanup()

    def _policy_arguments(self) -> list[str]:
        return [] if self.policy is None else ["--policy", str(self.policy)]

    def _is_ready(self) -> bool:
        try:
            return self.http.get(f"{self.probe_url}/readyz").is_success
        except httpx.TransportError:
            return False

    def logs(self, lines: int = 30) -> str:
        """Answer the last lines of the service's log."""
        return f"--- numagate\n{self.daemon.tail(lines)}\n"

    def requests_seen(self) -> float:
        """Answer how many admission requests the service has counted."""
        return requests_counted(self.http, self.probe_url)

    def configurations(self, mode: str = "enforce") -> list[dict[str, Any]]:
        """Answer the webhook configurations of an overlay, as `numagate manifests` renders them for this service."""
        return configurations_for(self.url, self.ca, mode, *self._policy_arguments())


class Asked(Protocol):
    """Something that an API server can ask."""

    def requests_seen(self) -> float:
        """Answer how many admission requests it has counted."""

    def configurations(self, mode: str = "enforce") -> list[dict[str, Any]]:
        """Answer the webhook configurations that lead to it."""


def configurations_for(url: str, ca: Path, mode: str, *arguments: str) -> list[dict[str, Any]]:
    """Render the webhook configurations of an overlay for an address."""
    text = numagate("manifests", "--overlay", mode, "--url", url, "--ca-bundle", str(ca), *arguments)
    return [document for document in yaml.safe_load_all(text) if document["kind"] in CONFIGURATIONS]


@contextlib.contextmanager
def registered(control_plane: ControlPlane, service: Asked, mode: str = "enforce") -> Iterator[None]:
    """Let the API server of `control_plane` ask `service`, from the first line of the `with` block to its end."""
    objects = {"apiVersion": "v1", "kind": "List", "items": service.configurations(mode)}
    control_plane.kubectl("apply", "-f", "-", input=objects)
    try:
        # The API server learns of a new configuration by watch, a moment after it has taken it.
        before = service.requests_seen()
        until(lambda: _asks(control_plane, service, before), what="the first admission request")
        yield
    finally:
        control_plane.kubectl("delete", "--ignore-not-found", "-f", "-", input=objects)


def _asks(control_plane: ControlPlane, service: Asked, before: float) -> bool:
    control_plane.request("POST", "/api/v1/namespaces/default/pods?dryRun=All", SCOUT)
    return service.requests_seen() > before
