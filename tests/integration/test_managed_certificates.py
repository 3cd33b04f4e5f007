"""Certificates that the controller looks after, against a real API server that calls a real server with them."""

import base64
import os
import re
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from contextlib import contextmanager
from datetime import UTC
from datetime import datetime
from pathlib import Path
from typing import Self

import httpx
import pytest
from controlplane.cluster import ControlPlane
from controlplane.identity import CONTROLLER
from controlplane.issuing import ADMISSION
from controlplane.issuing import KINDS
from controlplane.issuing import Issuer
from controlplane.issuing import aged
from controlplane.issuing import authorities
from controlplane.issuing import bundles
from controlplane.issuing import configurations
from controlplane.issuing import install
from controlplane.issuing import leader
from controlplane.issuing import put_secret
from controlplane.issuing import vacate
from controlplane.mounted import SECRET_PATH
from controlplane.mounted import Mounted
from controlplane.mounted import secret_data
from controlplane.numagate_api import SETTINGS
from controlplane.process import Daemon
from controlplane.process import free_ports
from controlplane.process import until
from controlplane.service import NUMAGATE
from controlplane.service import numagate
from gpupods import gpu_pod

from webhook.controller.secret import NOTHING
from webhook.controller.secret import ClusterSecret
from webhook.kube.connect import connect
from webhook.kube.error import KubeError
from webhook.tls.holdings import read

POD = gpu_pod("default", resources="4/900Gi/8")
MERGE = "application/merge-patch+json"


def ask(cluster: ControlPlane) -> str:
    """Create a pod that numagate refuses, as a dry run; answer what the API server says."""
    answer = cluster.request("POST", "/api/v1/namespaces/default/pods?dryRun=All", POD)
    return f"{answer.status} {answer.body.get('message', '')}"


def refused(told: str) -> bool:
    return told.startswith("403 ") and "never fit" in told


@contextmanager
def serving(folder: Path, port: int) -> Iterator[Daemon]:
    """Run `numagate serve` on the files of `folder`."""
    (probe_port,) = free_ports(1)
    command = [str(NUMAGATE), "serve", f"--cert-dir={folder}", "--profile=generic-2x4", "--bind=127.0.0.1"]
    command += [f"--port={port}", f"--probe-port={probe_port}", "--drain-seconds=0"]
    daemon = Daemon("serving", command, folder=folder.parent, env=os.environ)
    try:
        ready = f"http://127.0.0.1:{probe_port}/readyz"
        daemon.until_ready(lambda: is_well(ready), seconds=60)
        yield daemon
    finally:
        daemon.stop()


def is_well(url: str) -> bool:
    try:
        return httpx.get(url, trust_env=False).is_success
    except httpx.TransportError:
        return False


@pytest.fixture(scope="module")
def cluster(world_cluster: ControlPlane) -> ControlPlane:
    """Run an API server with numagate's kinds, its namespace and exactly the rendered rights."""
    return world_cluster


@pytest.fixture(scope="module")
def port() -> int:
    return free_ports(1)[0]


class Load:
    """Pods that are created again and again, as dry runs; every one must be judged by numagate."""

    def __init__(self, cluster: ControlPlane) -> None:
        self._cluster = cluster
        self.failures: list[str] = []
        self.judged = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            told = ask(self._cluster)
            if refused(told):
                self.judged += 1
            else:
                self.failures.append(told)


def test_a_ca_is_rotated_under_load_though_each_leader_is_killed(
    cluster: ControlPlane, port: int, tmp_path: Path
) -> None:
    old = aged(datetime.now(UTC))
    folder = tmp_path / "tls"
    folder.mkdir()
    with ExitStack() as stack:
        stack.callback(vacate, cluster)
        put_secret(cluster, old)
        install(cluster, f"https://127.0.0.1:{port}", old.bundle)
        mounted = stack.enter_context(Mounted(cluster, folder, lag=0.5))
        until(lambda: mounted.filled, what="the files")
        stack.enter_context(serving(folder, port))
        until(lambda: refused(ask(cluster)), what="an answer of numagate")
        load = stack.enter_context(Load(cluster))
        running = {name: Issuer(cluster, name, short=True) for name in ("one", "two", "three")}
        for issuer in running.values():
            stack.callback(issuer.daemon.stop)

        def kill_the_leader() -> None:
            running.pop(leader(cluster)).daemon.process.kill()

        until(lambda: authorities(cluster) == 2, what="the next CA")
        assert read(secret_data(cluster)).holdings.leaf == old.leaf
        kill_the_leader()
        until(lambda: read(secret_data(cluster)).holdings.leaf != old.leaf, seconds=30, what="the next leaf")
        assert authorities(cluster) == 2
        kill_the_leader()
        until(lambda: authorities(cluster) == 1, seconds=30, what="the end of the old CA")
        final = read(secret_data(cluster))
        until(lambda: bundles(cluster) == {final.holdings.bundle}, what="the bundle without it")
        seen = load.judged
        until(lambda: load.judged > seen + 20, what="some more pods")

    assert load.failures == []
    assert (final.faults, final.holdings.bundle == old.bundle) == ((), False)


def test_the_secret_is_created_once_and_written_by_name_and_version_only(cluster: ControlPlane) -> None:
    client = connect(kubeconfig=cluster.kubeconfig(CONTROLLER))
    secret, other = (
        ClusterSecret(client, namespace=SETTINGS.namespace, name=name) for name in ("numagate-tls", "another")
    )
    secret.write(NOTHING, {"ca.crt": b"first"})
    seen = secret.read()

    statuses = []
    for target, before in ((secret, NOTHING), (other, NOTHING), (secret, seen), (secret, seen)):
        try:
            target.write(before, {"ca.crt": b"second"})
            statuses.append(0)
        except KubeError as error:
            statuses.append(error.status)
    found = secret_data(cluster)
    vacate(cluster)

    assert statuses == [409, 403, 0, 409]
    assert (seen.data, found) == ({"ca.crt": b"first"}, {"ca.crt": b"second"})


COMMANDS = (Path(__file__).parents[2] / "docs" / "certificates.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_certificates_of_a_person_are_taken_over_by_the_commands_of_the_manual(
    cluster: ControlPlane, port: int, tmp_path: Path
) -> None:
    numagate("certs", "issue", "--ip", "127.0.0.1", cwd=tmp_path)
    numagate_ca = (tmp_path / "certs" / "ca.crt").read_bytes()
    target = ["--url", f"https://127.0.0.1:{port}", "--image", "registry.example/numagate:1"]
    before = numagate("manifests", "--overlay", "enforce", "--ca-bundle", "certs/ca.crt", *target, cwd=tmp_path)
    cluster.kubectl("apply", "-f", "-", input=before)
    encoded = {
        key: base64.b64encode((tmp_path / "certs" / key).read_bytes()).decode() for key in ("tls.crt", "tls.key")
    }
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "numagate-tls"}, "type": "kubernetes.io/tls"}
    assert cluster.request("POST", SECRET_PATH.rpartition("/")[0], {**secret, "data": encoded}).status == 201
    (takeover,) = re.findall(
        r"controller's\n.*?```console\n(.*?)```", COMMANDS.partition("### From your own")[2], re.DOTALL
    )
    servers, _, annotate = takeover.strip().splitlines()
    issuing = Issuer(cluster, "taker", short=True)
    try:
        run(cluster, tmp_path, servers)
        until(lambda: authorities(cluster) == 2, seconds=30, what="a CA of the controller's")
        assert bundles(cluster) == {numagate_ca}
        assert secret_data(cluster)["tls.crt"] == (tmp_path / "certs" / "tls.crt").read_bytes()

        run(cluster, tmp_path, annotate)
        until(lambda: bundles(cluster) != {numagate_ca}, seconds=30, what="both CAs")
        assert all(numagate_ca in bundle for bundle in bundles(cluster))

        after = numagate("manifests", "--overlay", "enforce", *target, cwd=tmp_path)
        cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", input=after)
        assert b"" not in bundles(cluster)
        until(lambda: authorities(cluster) == 1, seconds=30, what="the end of the other CA")
        assert numagate_ca != secret_data(cluster)["ca.crt"]
        until(lambda: bundles(cluster) == {secret_data(cluster)["ca.crt"]}, what="the bundle without it")
    finally:
        issuing.daemon.stop()
        vacate(cluster)


def run(cluster: ControlPlane, folder: Path, command: str) -> None:
    """Run a command of the manual in bash, as an administrator of the cluster."""
    search = os.pathsep.join([str(cluster.programs["kubectl"].parent), str(NUMAGATE.parent), os.environ["PATH"]])
    told = {"PATH": search, "KUBECONFIG": str(cluster.kubeconfig()), "IMAGE": "registry.example/numagate:1"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder,
        env={**os.environ, **told},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def issuer(cluster: ControlPlane, port: int) -> Iterator[Issuer]:
    """Install as a person would: configurations without a bundle, no Secret, and a controller."""
    install(cluster, f"https://127.0.0.1:{port}")
    running = Issuer(cluster, "issuer", short=False)
    yield running
    running.daemon.stop()


@pytest.fixture(scope="module")
def fresh(cluster: ControlPlane, issuer: Issuer, port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Wait as the kubelet does for the Secret, and start a server then."""
    folder = tmp_path_factory.mktemp("mounted") / "tls"
    folder.mkdir()
    with Mounted(cluster, folder) as mounted:
        issuer.daemon.until_ready(lambda: mounted.filled, seconds=30)
        with serving(folder, port):
            yield


@pytest.mark.usefixtures("fresh")
def test_a_fresh_install_answers_the_api_server_without_a_manual_step(cluster: ControlPlane, issuer: Issuer) -> None:
    until(lambda: refused(ask(cluster)), what="an answer of numagate")

    data = secret_data(cluster)
    assert set(data) == {"tls.crt", "tls.key", "ca.crt", "ca.key"}
    assert bundles(cluster) == {data["ca.crt"]}
    until(lambda: "[+]certificates ok: steady, CA until " in issuer.told(), what="a word about the certificates")
    assert cluster.request("GET", SECRET_PATH).body["metadata"]["labels"]["app.kubernetes.io/name"] == "numagate"


@pytest.mark.usefixtures("fresh")
@pytest.mark.parametrize("spoilt", ["", base64.b64encode(b"no certificate").decode()], ids=["blank", "garbage"])
def test_a_bundle_that_somebody_took_out_comes_back(cluster: ControlPlane, spoilt: str) -> None:
    until(lambda: refused(ask(cluster)), what="an answer of numagate")
    (good,) = bundles(cluster)

    for kind, found in zip(KINDS, configurations(cluster), strict=True):
        for entry in found["webhooks"]:
            entry["clientConfig"]["caBundle"] = spoilt
        cluster.request("PUT", f"{ADMISSION}/{kind}/numagate", found)
    assert bundles(cluster) != {good}

    until(lambda: bundles(cluster) == {good}, seconds=30, what="the bundle")
    until(lambda: refused(ask(cluster)), what="an answer of numagate")


@pytest.mark.usefixtures("fresh")
def test_a_secret_that_somebody_broke_is_mended_and_the_same_certificate_is_served(
    cluster: ControlPlane, issuer: Issuer
) -> None:
    until(lambda: refused(ask(cluster)), what="an answer of numagate")
    before = secret_data(cluster)

    broken = {"data": {"tls.key": base64.b64encode(b"torn").decode(), "ca.key": None}}
    assert cluster.request("PATCH", SECRET_PATH, broken, content=MERGE).status == 200

    until(lambda: secret_data(cluster) == before, seconds=30, what="the Secret as it was")
    assert refused(ask(cluster))
    assert "certificates: mend (ca.key holds no key of a CA in ca.crt; tls.key holds no PEM" in issuer.daemon.tail(200)


@pytest.mark.usefixtures("fresh")
def test_a_configuration_that_is_not_the_controllers_is_left_alone(cluster: ControlPlane) -> None:
    until(lambda: refused(ask(cluster)), what="an answer of numagate")
    path = f"{ADMISSION}/{KINDS[1]}/numagate"
    (good,) = bundles(cluster)
    found = cluster.request("GET", path).body
    found["metadata"]["annotations"]["numagate.io/certificates"] = "self-signed"
    for entry in found["webhooks"]:
        entry["clientConfig"]["caBundle"] = ""
    written = cluster.request("PUT", path, found).body["metadata"]["resourceVersion"]

    # The other one is mended after that: so this one was seen, too.
    other = configurations(cluster)[0]
    other["webhooks"][0]["clientConfig"]["caBundle"] = ""
    cluster.request("PUT", f"{ADMISSION}/{KINDS[0]}/numagate", other)
    until(lambda: good in bundles(cluster), seconds=30, what="the bundle of the other")

    assert cluster.request("GET", path).body["metadata"]["resourceVersion"] == written
