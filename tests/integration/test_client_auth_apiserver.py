"""A real API server that shows numagate a certificate, as the files of `numagate certs client` tell it to."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from controlplane.cluster import ControlPlane
from controlplane.process import until
from controlplane.service import SCOUT
from controlplane.service import WebhookService
from controlplane.service import numagate
from controlplane.service import registered

from webhook.tls.files import ADMISSION
from webhook.tls.files import CA_CERTIFICATE
from webhook.tls.files import CLIENT_CERTIFICATE
from webhook.tls.files import CLIENT_KEY
from webhook.tls.files import KUBECONFIG

ANOTHER_NAME = "localhost"
"""The same service under a host name for which the API server has a certificate of another name."""


def issue_client(folder: Path, *options: str) -> Path:
    numagate("certs", "client", "--dir", str(folder), "--host-dir", str(folder), *options)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Issue what the API server gets."""
    return issue_client(tmp_path_factory.mktemp("api-server"))


@pytest.fixture(scope="module")
def service(folder: Path) -> Iterator[WebhookService]:
    """Run a service that trusts the CA of the API server's certificate."""
    with WebhookService(arguments=[f"--client-ca={folder / CA_CERTIFICATE}"]) as running:
        yield running


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebhookService]:
    """Run a service that trusts another CA."""
    other = issue_client(tmp_path_factory.mktemp("other"))
    with WebhookService(arguments=[f"--client-ca={other / CA_CERTIFICATE}"]) as running:
        yield running


@pytest.fixture(scope="module")
def cluster(
    programs: dict[str, Path],
    folder: Path,
    service: WebhookService,
    stranger: WebhookService,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ControlPlane]:
    """Run an API server with the rendered files, and one user more: of another name."""
    hosts = [one.url.removeprefix("https://") for one in (service, stranger)]
    issue_client(folder, *(f"--target={host}" for host in hosts))
    somebody = issue_client(tmp_path_factory.mktemp("somebody"), "--name=somebody")
    for name in (CA_CERTIFICATE, "ca.key"):
        (somebody / name).write_bytes((folder / name).read_bytes())
    issue_client(somebody, "--name=somebody")
    users = yaml.safe_load((folder / KUBECONFIG).read_text())
    pair = {"client-certificate": str(somebody / CLIENT_CERTIFICATE), "client-key": str(somebody / CLIENT_KEY)}
    users["users"].append({"name": another_name(hosts[0]), "user": pair})
    (folder / KUBECONFIG).write_text(json.dumps(users))
    flag = f"--admission-control-config-file={folder / ADMISSION}"
    with ControlPlane(programs=programs, controllers=False, api_server_flags=[flag]) as running:
        yield running


def another_name(url: str) -> str:
    return url.replace("127.0.0.1", ANOTHER_NAME)


def test_the_certificate_of_the_files_is_accepted(cluster: ControlPlane, service: WebhookService) -> None:
    with registered(cluster, service):
        before = service.requests_seen()
        answer = cluster.request("POST", "/api/v1/namespaces/default/pods?dryRun=All", SCOUT)

    assert answer.status == 201
    assert service.requests_seen() >= before + 2
    assert [refused(service, reason) for reason in ("missing", "untrusted", "expired", "name")] == [0, 0, 0, 0]


@contextlib.contextmanager
def asking(cluster: ControlPlane, configurations: list[dict[str, Any]]) -> Iterator[None]:
    objects = {"apiVersion": "v1", "kind": "List", "items": configurations}
    cluster.kubectl("apply", "-f", "-", input=objects)
    try:
        yield
    finally:
        cluster.kubectl("delete", "--ignore-not-found", "-f", "-", input=objects)


def refusal(cluster: ControlPlane) -> str:
    """Answer what the API server says about a pod that numagate does not answer for; "" as long as it takes it."""
    answer = cluster.request("POST", "/api/v1/namespaces/default/pods?dryRun=All", SCOUT)
    return str(answer.body["message"]) if answer.status >= 400 else ""


def refused(service: WebhookService, reason: str) -> float:
    """Answer how many clients `service` has turned away for `reason`."""
    lines = service.http.get(f"{service.probe_url}/metrics").text.splitlines()
    (line,) = [one for one in lines if one.startswith(f'numagate_clients_refused_total{{reason="{reason}"}}')]
    return float(line.rpartition(" ")[2])


def test_another_ca_fails_closed(cluster: ControlPlane, stranger: WebhookService) -> None:
    with asking(cluster, stranger.configurations()):
        said = until(lambda: refusal(cluster), what="a refusal")

    assert said.startswith('Internal error occurred: failed calling webhook "pods.mutate.numagate.io"')
    assert refused(stranger, "untrusted") > 0
    assert stranger.requests_seen() == 0


def test_another_name_fails_closed_and_is_told_why(cluster: ControlPlane, service: WebhookService) -> None:
    text = json.dumps(service.configurations()).replace(service.url, another_name(service.url))
    before = service.requests_seen()
    with asking(cluster, json.loads(text)):
        said = until(lambda: refusal(cluster), what="a refusal")

    assert "the name of the client certificate may not call numagate: name it with --client-name" in said
    assert refused(service, "name") > 0
    assert service.requests_seen() == before


def test_without_the_files_the_api_server_shows_nothing_and_it_fails_closed(
    control_plane: ControlPlane, service: WebhookService, namespace: str
) -> None:
    items = service.configurations()
    for item in items:
        item["metadata"]["name"] = "numagate-without-certificate"
        for entry in item["webhooks"]:
            entry["namespaceSelector"] = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
    path = f"/api/v1/namespaces/{namespace}/pods?dryRun=All"

    with asking(control_plane, items):
        answer = until(
            lambda: (found := control_plane.request("POST", path, SCOUT)).status == 500 and found, what="a refusal"
        )

    assert answer.body["message"].startswith("Internal error occurred: failed calling webhook")
    assert refused(service, "missing") > 0
