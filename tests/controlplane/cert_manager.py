"""Runs cert-manager's own controllers against a test cluster, and plays the kubelet that mounts what they issue."""

import base64
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC
from datetime import datetime
from pathlib import Path

from controlplane import build
from controlplane.cluster import ControlPlane
from controlplane.process import Daemon
from controlplane.process import until

NAMESPACE = "numagate-system"

_COUNT = itertools.count(1)


def install_kinds(cluster: ControlPlane) -> None:
    """Let the API server know cert-manager's kinds, as its release defines them."""
    folder = build.files_of(build.CERT_MANAGER)
    cluster.kubectl("apply", "--server-side", *(f"--filename={file}" for file in sorted(folder.glob("*.yaml"))))
    cluster.kubectl("wait", "--for=condition=Established", "customresourcedefinitions", "--all")


@contextmanager
def running(cluster: ControlPlane, program: Path) -> Iterator[Daemon]:
    """Run the controllers and the cainjector for the time of a `with` block."""
    command = [str(program), f"--kubeconfig={cluster.kubeconfig()}"]
    daemon = Daemon("cert-manager", command, folder=cluster.folder, env=cluster.environment())
    try:
        yield daemon
    finally:
        daemon.stop()


def secret(cluster: ControlPlane, name: str) -> dict[str, bytes]:
    """Answer what a Secret of ours holds; nothing where there is none."""
    answer = cluster.request("GET", f"/api/v1/namespaces/{NAMESPACE}/secrets/{name}")
    return {key: base64.b64decode(value) for key, value in answer.body.get("data", {}).items()}


def renew(cluster: ControlPlane, certificate: str) -> dict[str, bytes]:
    """Ask for a new certificate as `cmctl renew` does, and answer its Secret when it is there."""
    path = f"/apis/cert-manager.io/v1/namespaces/{NAMESPACE}/certificates/{certificate}"
    found = cluster.request("GET", path).body
    name = found["spec"]["secretName"]
    before = secret(cluster, name)["tls.crt"]
    asked = {
        "type": "Issuing",
        "status": "True",
        "reason": "ManuallyTriggered",
        "message": "a test asks for it",
        "lastTransitionTime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    found["status"]["conditions"].append(asked)
    answer = cluster.request("PUT", f"{path}/status", found)
    assert answer.status == 200, answer.body

    def issued() -> dict[str, bytes]:
        held = secret(cluster, name)
        return {} if held.get("tls.crt", before) == before else held

    return until(issued, what=f"a new certificate in Secret {name}")


def mount(held: dict[str, bytes], folder: Path) -> None:
    """Bring a Secret's files into `folder` as the kubelet does: all at once, by one symbolic link."""
    version = folder / f"..{next(_COUNT)}"
    version.mkdir()
    for name in ("tls.crt", "tls.key"):
        (version / name).touch(0o600)
        (version / name).write_bytes(held[name])
    fresh = folder / "..fresh"
    fresh.symlink_to(version.name)
    fresh.replace(folder / "..data")
    for name in ("tls.crt", "tls.key"):
        if not (folder / name).is_symlink():
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(Path("..data") / name)
