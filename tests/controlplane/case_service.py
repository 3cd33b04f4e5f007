"""Runs numagate for one world of the cases, and lets a test cluster call it for the namespaces of that world only."""

import contextlib
import copy
import os
import ssl
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import Protocol

import casetable
import httpx
from casetable import Case
from caseworlds import World
from caseworlds import moved
from caseworlds import namespaces_of
from caseworlds import world_of
from controlplane.cluster import ControlPlane
from controlplane.counted import requests_counted
from controlplane.process import Daemon
from controlplane.process import free_ports
from controlplane.process import until
from controlplane.service import NUMAGATE
from controlplane.service import READY_SECONDS
from controlplane.service import SCOUT

ADMISSION_LABEL = "numagate.io/admission"
_ADMISSION = "/apis/admissionregistration.k8s.io/v1"


class Asked(Protocol):
    """What a webhook configuration can point to."""

    url: str

    def requests_seen(self) -> float:
        """Answer how many admission requests have come."""
        ...


class CaseService:
    """`numagate serve` with the policy file of one world, for the time of a `with` block."""

    def __init__(self, world: World, *, certificates: Path, folder: Path) -> None:
        """Start at once; `certificates` is a folder of `numagate certs issue`, shared by all worlds."""
        self.world = world
        port, probe_port = free_ports(2)
        self.url = f"https://127.0.0.1:{port}"
        self.probe_url = f"http://127.0.0.1:{probe_port}"
        policy = folder / f"{world.name}.yaml"
        policy.write_text(world.text, "utf-8")
        command = [str(NUMAGATE), "serve", f"--cert-dir={certificates}", "--bind=127.0.0.1", "--drain-seconds=0"]
        command += [f"--port={port}", f"--probe-port={probe_port}", f"--policy={policy}"]
        self.folder, self.command = folder, command
        self.start()
        trusted = ssl.create_default_context(cafile=str(certificates / "ca.crt"))
        self.http = httpx.Client(verify=trusted, timeout=30, trust_env=False, base_url=self.url)

    def start(self) -> None:
        """Start the service, again after `halt`."""
        self.daemon = Daemon(f"numagate-{self.world.name}", self.command, folder=self.folder, env=os.environ)

    def halt(self) -> None:
        """End the service for a while; its address stays."""
        self.daemon.stop()

    def until_ready(self) -> None:
        """Wait until the service has read its policy."""
        self.daemon.until_ready(self._is_ready, seconds=READY_SECONDS)

    def stop(self) -> None:
        """End the service."""
        self.http.close()
        self.daemon.stop()

    def logs(self, lines: int = 30) -> str:
        """Answer the last lines of the service's log."""
        return f"--- {self.daemon.name}\n{self.daemon.tail(lines)}\n"

    def ask(self, review_pass: str, body: bytes) -> dict[str, Any]:
        """Send a review to the endpoint of a pass ("mutate", "validate"); answer the response in it."""
        answer = self.http.post(f"/{review_pass}", content=body, headers={"Content-Type": "application/json"})
        answer.raise_for_status()
        response: dict[str, Any] = answer.json()["response"]
        return response

    def requests_seen(self) -> float:
        """Answer how many admission requests the service has counted."""
        return requests_counted(self.http, self.probe_url)

    def _is_ready(self) -> bool:
        try:
            return self.http.get(f"{self.probe_url}/readyz").is_success
        except httpx.TransportError:
            return False


@contextlib.contextmanager
def registered_for(
    control_plane: ControlPlane, service: CaseService, configurations: list[dict[str, Any]]
) -> Iterator[None]:
    """Let the API server ask `service` about the namespaces of its world.

    `configurations` are those of `numagate manifests` for another address. What the reviews of the world change is
    created before them: much of it would not be admitted.
    """
    names = namespaces_of(service.world)
    for name in names:
        if control_plane.request("GET", f"/api/v1/namespaces/{name}").status == httpx.codes.NOT_FOUND:
            create_namespace(control_plane, name)
    for case in casetable.for_runner("apiserver", review=True):
        if world_of(case) == service.world:
            _create_old(control_plane, case)
    with asked(control_plane, service, configurations, names):
        yield


def create_namespace(control_plane: ControlPlane, name: str) -> str:
    """Create a namespace that the configurations for all namespaces leave out: only limited ones are for it."""
    return control_plane.create_namespace(name, {ADMISSION_LABEL: "disabled"})


def opt(control_plane: ControlPlane, namespace: str, *, out: bool) -> None:
    """Let the configurations for all namespaces leave one out, or take it in; the API server follows in a moment."""
    patch = {"metadata": {"labels": {ADMISSION_LABEL: "disabled" if out else None}}}
    path = f"/api/v1/namespaces/{namespace}"
    control_plane.request("PATCH", path, patch, content="application/merge-patch+json")


@contextlib.contextmanager
def asked(
    control_plane: ControlPlane,
    service: Asked,
    configurations: list[dict[str, Any]],
    namespaces: Sequence[str],
) -> Iterator[None]:
    """Let the API server ask `service` about some namespaces, from the first line of the `with` block to its end."""
    name = f"numagate-{namespaces[0]}"
    mine = [limited(item, name=name, url=service.url, namespaces=namespaces) for item in configurations]
    for item in mine:
        answer = control_plane.request("POST", f"{_ADMISSION}/{item['kind'].lower()}s", item)
        assert answer.status == httpx.codes.CREATED, answer.body
    try:
        until(lambda: _asks(control_plane, service, namespaces[0]), what=f"the first answer of {service.url}")
        yield
    finally:
        for item in mine:
            control_plane.request("DELETE", f"{_ADMISSION}/{item['kind'].lower()}s/{name}")


def _create_old(control_plane: ControlPlane, case: Case) -> None:
    if case.review is None or case.review.old is None:
        return
    body = moved(case, world_of(case), case.review.old)
    answer = control_plane.request("POST", f"/api/v1/namespaces/{body['metadata']['namespace']}/pods", body)
    assert answer.status in {httpx.codes.CREATED, httpx.codes.CONFLICT}, answer.body


def limited(configuration: dict[str, Any], *, name: str, url: str, namespaces: Sequence[str]) -> dict[str, Any]:
    """Point a configuration to `url` under a name of its own, for some namespaces; the rest stays as rendered."""
    mine = copy.deepcopy(configuration)
    mine["metadata"]["name"] = name
    for entry in mine["webhooks"]:
        path = entry["clientConfig"]["url"].rsplit("/", 1)[1]
        entry["clientConfig"]["url"] = f"{url}/{path}"
        rules = entry["namespaceSelector"]["matchExpressions"]
        kept = [rule for rule in rules if rule["key"] != ADMISSION_LABEL]
        only = {"key": "kubernetes.io/metadata.name", "operator": "In", "values": list(namespaces)}
        entry["namespaceSelector"]["matchExpressions"] = [*kept, only]
    return mine


def _asks(control_plane: ControlPlane, service: Asked, namespace: str) -> bool:
    """Whether one creation is asked about twice: the API server learns of each configuration by a watch of its own."""
    before = service.requests_seen()
    control_plane.request("POST", f"/api/v1/namespaces/{namespace}/pods?dryRun=All", SCOUT)
    return service.requests_seen() == before + 2
