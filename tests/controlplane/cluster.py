"""Runs a real control plane on loopback: etcd, kube-apiserver and, if wanted, kube-controller-manager."""

import json
import os
import shutil
import ssl
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any
from typing import Self

import httpx
import kubernetes
from controlplane import flags
from controlplane import identity
from controlplane.identity import ADMIN
from controlplane.identity import CONTROLLER_MANAGER
from controlplane.process import Daemon
from controlplane.process import free_ports
from controlplane.process import until

READY_SECONDS = 120
KUBECTL_SECONDS = 120


class KubectlError(AssertionError):
    """A kubectl command that should have worked did not; the text holds the command and what it printed."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of the API server: status, JSON body and the warnings that kubectl would print."""

    status: int
    body: dict[str, Any]
    warnings: tuple[str, ...]


class ControlPlane:
    """A control plane for the time of a `with` block.

    Feature gates hold for every daemon; `api_server_flags` are added to the API server's own. Another Kubernetes
    version is another set of `programs`.
    """

    def __init__(
        self,
        *,
        programs: Mapping[str, Path],
        controllers: bool = True,
        feature_gates: Mapping[str, bool] | None = None,
        api_server_flags: Sequence[str] = (),
    ) -> None:
        self.programs = programs
        self.controllers = controllers
        self.feature_gates = dict(feature_gates or {})
        self.api_server_flags = tuple(api_server_flags)
        self.daemons: list[Daemon] = []

    def __enter__(self) -> Self:
        self.folder = Path(tempfile.mkdtemp(prefix="numagate-"))
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if error is not None:
                sys.stderr.write(self.logs())
        finally:
            # Also where nobody reads standard error any more.
            self._stop()

    def _start(self) -> None:
        client_port, peer_port, port = free_ports(3)
        self.url = f"https://127.0.0.1:{port}"
        self.identity = identity.make(self.folder)
        self.http = httpx.Client(
            base_url=self.url,
            verify=ssl.create_default_context(cafile=str(self.identity.ca)),
            timeout=60,
            trust_env=False,
        )
        etcd = flags.etcd(self.programs["etcd"], folder=self.folder, client_port=client_port, peer_port=peer_port)
        self._run("etcd", etcd).until_ready(
            lambda: self._answers(f"http://127.0.0.1:{client_port}/health"), seconds=READY_SECONDS
        )
        api_server = flags.api_server(
            self.programs["kube-apiserver"],
            folder=self.folder,
            etcd_port=client_port,
            port=port,
            identity=self.identity,
            service_accounts=self.controllers,
            feature_gates=self.feature_gates,
        )
        self._api_server = [*api_server, *self.api_server_flags]
        self.start_api_server()
        if self.controllers:
            self._start_controllers()
        for binding in identity.ORDINARY_MAY_EDIT:
            self.request("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", binding)

    def start_api_server(self) -> None:
        """Start the API server, again after `stop_api_server`, and wait until it is ready."""
        self._run("kube-apiserver", self._api_server).until_ready(
            lambda: self._answers(f"{self.url}/readyz"), seconds=READY_SECONDS
        )

    def stop_api_server(self, *, seconds: float = 15) -> None:
        """End the API server for a while, by force after `seconds`; its address stays, and etcd keeps what it knew."""
        (daemon,) = [daemon for daemon in self.daemons if daemon.name == "kube-apiserver"]
        self.daemons.remove(daemon)
        daemon.stop(seconds=seconds)

    def _start_controllers(self) -> None:
        command = flags.controller_manager(
            self.programs["kube-controller-manager"],
            kubeconfig=self.kubeconfig(CONTROLLER_MANAGER),
            identity=self.identity,
            feature_gates=self.feature_gates,
        )
        self._run("kube-controller-manager", command).until_ready(
            lambda: self._has_service_account("default"), seconds=READY_SECONDS
        )

    def _run(self, name: str, command: Sequence[str]) -> Daemon:
        daemon = Daemon(name, command, folder=self.folder, env=self.environment())
        self.daemons.append(daemon)
        return daemon

    def _stop(self) -> None:
        # The API server before etcd, without which it cannot end in good order.
        while self.daemons:
            self.daemons.pop().stop()
        if hasattr(self, "http"):
            self.http.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _answers(self, url: str) -> bool:
        try:
            return self.http.get(url, headers=self._authorization(ADMIN)).is_success
        except httpx.TransportError:
            return False

    def _has_service_account(self, namespace: str) -> bool:
        return self.request("GET", f"/api/v1/namespaces/{namespace}/serviceaccounts/default").status == httpx.codes.OK

    def _authorization(self, user: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.identity.tokens[user]}"}

    def environment(self) -> dict[str, str]:
        """Answer the environment of every child: no proxy, no configuration of the person who runs the tests."""
        return {"PATH": os.environ.get("PATH", os.defpath), "HOME": str(self.folder)}

    def logs(self, lines: int = 30) -> str:
        """Answer the last lines of each daemon's log."""
        return "\n".join(f"--- {daemon.name}\n{daemon.tail(lines)}\n" for daemon in self.daemons)

    def kubeconfig(self, user: str = ADMIN) -> Path:
        """Answer the kubeconfig file of `user`."""
        path = self.folder / f"{user.replace(':', '-')}.kubeconfig"  # a colon separates files there
        if path.exists():
            return path
        return identity.write_kubeconfig(path, server=self.url, ca=self.identity.ca, token=self.identity.tokens[user])

    def kubectl(
        self,
        *arguments: str,
        input: object = None,  # noqa: A002 - named as in subprocess.run
        check: bool = True,
        user: str = ADMIN,
    ) -> subprocess.CompletedProcess[str]:
        """Run kubectl as `user`; `input` is text, or an object that kubectl gets as JSON.

        Raises:
            KubectlError: it failed though `check` says that it must not.
        """
        done = subprocess.run(
            [str(self.programs["kubectl"]), f"--kubeconfig={self.kubeconfig(user)}", *arguments],
            input=input if isinstance(input, str | None) else json.dumps(input),
            env=self.environment(),
            capture_output=True,
            text=True,
            timeout=KUBECTL_SECONDS,
            check=False,
        )
        if check and done.returncode != 0:
            msg = f"kubectl {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
            raise KubectlError(msg)
        return done

    def shown(self, *arguments: str, input: object) -> str:  # noqa: A002 - named as in subprocess.run
        """Run kubectl, which may fail, and answer what a terminal shows: both its streams in the order of writing."""
        return subprocess.run(
            [str(self.programs["kubectl"]), f"--kubeconfig={self.kubeconfig()}", *arguments],
            input=json.dumps(input),
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=KUBECTL_SECONDS,
            check=False,
        ).stdout

    def request(
        self, method: str, path: str, body: object = None, *, user: str = ADMIN, content: str = "application/json"
    ) -> Answer:
        """Send one request as `user` to the API server; `content` is the media type of the JSON `body`."""
        answer = self.http.request(
            method,
            path,
            content=None if body is None else json.dumps(body),
            headers={"Content-Type": content, **self._authorization(user)},
        )
        warnings = [value.split('"', 1)[1].rsplit('"', 1)[0] for value in answer.headers.get_list("warning")]
        return Answer(answer.status_code, answer.json(), tuple(warnings))

    def client(self, user: str = ADMIN) -> kubernetes.client.ApiClient:
        """Answer a client of the `kubernetes` package that acts as `user`; use it in a `with` statement."""
        settings = kubernetes.client.Configuration(
            host=self.url, api_key={"authorization": f"Bearer {self.identity.tokens[user]}"}
        )
        settings.ssl_ca_cert = str(self.identity.ca)
        return kubernetes.client.ApiClient(settings)

    def create_namespace(self, name: str, labels: Mapping[str, str] | None = None) -> str:
        """Create a namespace and wait until pods may be created in it; answer its name."""
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": dict(labels or {})}}
        answer = self.request("POST", "/api/v1/namespaces", body)
        if answer.status != httpx.codes.CREATED:
            msg = f"namespace {name}: {answer.body}"
            raise AssertionError(msg)
        if self.controllers:
            until(lambda: self._has_service_account(name), what=f"service account of namespace {name}")
        return name

    def audit_events(self, verb: str, **reference: str) -> list[dict[str, Any]]:
        """Answer the audit events of `verb` whose objectRef has the values of `reference` (resource, name, …)."""
        with (self.folder / "audit.log").open(encoding="utf-8") as lines:
            events = [json.loads(line) for line in lines if line.endswith("\n")]
        return [
            event
            for event in events
            if event["verb"] == verb and reference.items() <= event.get("objectRef", {}).items()
        ]
