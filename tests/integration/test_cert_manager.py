"""The overlay for cert-manager, with cert-manager's own controllers and cainjector, up to an answered pod."""

import base64
import json
import threading
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from controlplane import build
from controlplane import cert_manager
from controlplane.cert_manager import NAMESPACE
from controlplane.cluster import ControlPlane
from controlplane.process import until
from controlplane.service import CONFIGURATIONS
from controlplane.service import SCOUT
from controlplane.service import WebhookService
from controlplane.service import numagate
from cryptography import x509

from webhook.tls.pair import read_certificate
from webhook.tls.pair import subject_names

SERVING = "numagate-serving"
ROOT = "numagate-ca"
TLS = "numagate-tls"


@pytest.fixture(scope="module")
def cluster(programs: dict[str, Path], provide: Callable[[build.Module], dict[str, Path]]) -> Iterator[ControlPlane]:
    """Run an API server with cert-manager."""
    program = provide(build.CERT_MANAGER)["cert-manager"]
    with ControlPlane(programs=programs, controllers=False) as running:
        cert_manager.install_kinds(running)
        with cert_manager.running(running, program):
            yield running


@pytest.fixture(scope="module")
def service() -> Iterator[WebhookService]:
    """Run numagate with a certificate of its own, for now."""
    with WebhookService(arguments=["--profile", "generic-2x4"]) as running:
        yield running


@pytest.fixture(scope="module")
def installed(cluster: ControlPlane, service: WebhookService) -> ControlPlane:
    """Apply the overlay as it is rendered, wait for cert-manager, and mount its Secret."""
    for overlay, options in (("crds", []), ("enforce-cert-manager", ["--url", service.url])):
        text = numagate("manifests", "--overlay", overlay, *options)
        cluster.kubectl("apply", "--server-side", "-f", "-", input=text)
        cluster.kubectl("wait", "--for=condition=Established", "customresourcedefinitions", "--all")
    until(lambda: cert_manager.secret(cluster, TLS), what="the Secret")
    until(lambda: trusted(cluster) == {serials(cert_manager.secret(cluster, TLS))}, what="the injected CA")
    mount_and_serve(cluster, service)
    return cluster


def mount_and_serve(cluster: ControlPlane, service: WebhookService) -> None:
    """Mount the Secret of the moment and wait until it is served."""
    held = cert_manager.secret(cluster, TLS)
    cert_manager.mount(held, service.folder)
    serial = f"{leaf(held).serial_number:x}"
    until(lambda: f'"serial":"{serial}"' in service.daemon.tail(200), what="the mounted certificate")


def leaf(held: dict[str, bytes]) -> x509.Certificate:
    return read_certificate(held["tls.crt"], Path(TLS))


def authority(held: dict[str, bytes]) -> x509.Certificate:
    return read_certificate(held["ca.crt"], Path(TLS))


def serials(*held: dict[str, bytes]) -> frozenset[int]:
    """Answer the serial numbers of the CAs in Secrets."""
    return frozenset(authority(one).serial_number for one in held)


def configuration(kind: str) -> str:
    return f"/apis/admissionregistration.k8s.io/v1/{kind.lower()}s/numagate"


def trusted(cluster: ControlPlane) -> set[frozenset[int]]:
    """Answer the different CA bundles of all webhook entries, as the serial numbers in them."""
    found: set[frozenset[int]] = set()
    for kind in CONFIGURATIONS:
        for entry in cluster.request("GET", configuration(kind)).body["webhooks"]:
            pem = base64.b64decode(entry["clientConfig"].get("caBundle", ""))
            found.add(
                frozenset(one.serial_number for one in x509.load_pem_x509_certificates(pem)) if pem else frozenset()
            )
    return found


def with_another_ca(cluster: ControlPlane) -> dict[str, bytes]:
    """Let cert-manager make a CA with another key, and a leaf signed by it; answer the leaf's Secret."""
    before = cert_manager.secret(cluster, TLS)
    cluster.kubectl("-n", NAMESPACE, "delete", "secret", ROOT)
    until(lambda: cert_manager.secret(cluster, ROOT).get("tls.crt"), what="a CA")

    def signed() -> dict[str, bytes]:
        held = cert_manager.renew(cluster, SERVING)
        return held if held["ca.crt"] != before["ca.crt"] else {}

    return until(signed, what="a leaf of the new CA")


def create(cluster: ControlPlane) -> Any:  # a JSON object
    """Create a pod as a dry run, and answer what the API server said."""
    return cluster.request("POST", "/api/v1/namespaces/default/pods?dryRun=All", SCOUT)


@contextmanager
def creating(cluster: ControlPlane, failures: list[str]) -> Iterator[None]:
    """Create pods, one after the other, until the block ends; what fails is put into `failures`."""
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            answer = create(cluster)
            if answer.status != 201:
                failures.append(answer.body["message"])

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield
    finally:
        done.set()
        worker.join(60)


def test_the_leaf_has_the_names_that_the_api_server_calls(installed: ControlPlane, service: WebhookService) -> None:
    held = cert_manager.secret(installed, TLS)

    assert set(subject_names(leaf(held))) == {
        "numagate",
        f"numagate.{NAMESPACE}",
        f"numagate.{NAMESPACE}.svc",
        f"numagate-controller.{NAMESPACE}.svc",
        service.url.removeprefix("https://").partition(":")[0],
    }
    leaf(held).verify_directly_issued_by(authority(held))
    assert set(held) == {"ca.crt", "tls.crt", "tls.key"}


def test_every_entry_of_both_configurations_has_the_ca(installed: ControlPlane) -> None:
    assert trusted(installed) == {serials(cert_manager.secret(installed, TLS))}


def test_a_pod_goes_through(installed: ControlPlane, service: WebhookService) -> None:
    before = service.requests_seen()

    answer = create(installed)

    assert answer.status == 201
    assert service.requests_seen() >= before + 2


def test_a_renewed_leaf_is_taken_up_without_a_failure(installed: ControlPlane, service: WebhookService) -> None:
    before, failures = cert_manager.secret(installed, TLS), list[str]()

    with creating(installed, failures):
        after = cert_manager.renew(installed, SERVING)
        mount_and_serve(installed, service)

    assert failures == []
    assert after["ca.crt"] == before["ca.crt"]
    assert leaf(after).public_key() != leaf(before).public_key()


@pytest.mark.long
def test_a_deleted_secret_is_issued_again_without_a_failure(installed: ControlPlane, service: WebhookService) -> None:
    before, failures = cert_manager.secret(installed, TLS), list[str]()

    with creating(installed, failures):
        installed.kubectl("-n", NAMESPACE, "delete", "secret", TLS)
        until(lambda: cert_manager.secret(installed, TLS).get("tls.crt"), what="the Secret again")
        mount_and_serve(installed, service)

    assert failures == []
    assert trusted(installed) == {serials(before)}


def test_a_renewed_ca_is_taken_up_without_a_failure(installed: ControlPlane, service: WebhookService) -> None:
    before, failures = cert_manager.secret(installed, TLS), list[str]()

    with creating(installed, failures):
        cert_manager.renew(installed, ROOT)
        after = cert_manager.renew(installed, SERVING)
        # cainjector trusts the new CA beside the old one. The pods, for a minute, still have the old leaf.
        until(lambda: trusted(installed) == {serials(before, after)}, what="both CAs")
        assert create(installed).status == 201
        mount_and_serve(installed, service)

    assert failures == []
    assert authority(after).public_key() == authority(before).public_key()


@pytest.mark.long
def test_another_key_of_the_ca_is_taken_up_without_a_failure(installed: ControlPlane, service: WebhookService) -> None:
    before, failures = cert_manager.secret(installed, TLS), list[str]()

    with creating(installed, failures):
        after = with_another_ca(installed)
        until(lambda: all(serials(before, after) <= found for found in trusted(installed)), what="both CAs")
        assert create(installed).status == 201
        mount_and_serve(installed, service)

    assert failures == []
    assert authority(after).public_key() != authority(before).public_key()


@pytest.mark.long
def test_an_old_ca_is_trusted_until_its_end_unless_the_bundle_is_emptied(installed: ControlPlane) -> None:
    held = cert_manager.secret(installed, TLS)
    assert all(len(found) > 1 for found in trusted(installed))

    for kind in CONFIGURATIONS:
        entries = installed.request("GET", configuration(kind)).body["webhooks"]
        patch = [{"op": "remove", "path": f"/webhooks/{index}/clientConfig/caBundle"} for index in range(len(entries))]
        installed.kubectl("patch", kind.lower(), "numagate", "--type=json", f"--patch={json.dumps(patch)}")

    until(lambda: trusted(installed) == {serials(held)}, what="the new CA alone")
