"""Stands in for the kubelet: brings the Secret of the certificates into a folder, as it mounts it for the pods."""

import base64
import threading
from pathlib import Path
from typing import Self

from controlplane.cluster import ControlPlane
from controlplane.numagate_api import NAMESPACE

from webhook.domain import api

SECRET_PATH = f"/api/v1/namespaces/{NAMESPACE}/secrets/{api.TLS_SECRET}"
MOUNTED = ("tls.crt", "tls.key")


def secret_data(cluster: ControlPlane) -> dict[str, bytes]:
    """Answer what the Secret holds, nothing where there is none."""
    data = cluster.request("GET", SECRET_PATH).body.get("data") or {}
    return {key: base64.b64decode(value) for key, value in data.items()}


class Mounted:
    """The folder, kept like the Secret for the time of a `with` block; each version appears `lag` seconds late."""

    def __init__(self, cluster: ControlPlane, folder: Path, *, lag: float = 0.0) -> None:
        self.folder = folder
        self._cluster = cluster
        self._lag = lag
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._shown: tuple[bytes, ...] = ()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    @property
    def filled(self) -> bool:
        """Whether there is something to serve."""
        return (self.folder / MOUNTED[1]).exists()

    def _run(self) -> None:
        while not self._stop.wait(0.1):
            data = secret_data(self._cluster)
            content = tuple(data[name] for name in MOUNTED if data.get(name))
            # The kubelet waits for every key that a pod names.
            if len(content) == len(MOUNTED) and content != self._shown and not self._stop.wait(self._lag):
                self._show(content)
                self._shown = content

    def _show(self, content: tuple[bytes, ...]) -> None:
        version = self.folder / f"..{len(list(self.folder.glob('..v*')))}v"
        version = version.with_name(f"..v{version.name}")
        version.mkdir()
        for name, part in zip(MOUNTED, content, strict=True):
            (version / name).write_bytes(part)
            (version / name).chmod(0o440)
            if not (self.folder / name).is_symlink():
                (self.folder / name).symlink_to(Path("..data") / name)
        fresh = self.folder / "..fresh"
        fresh.symlink_to(version.name)
        fresh.replace(self.folder / "..data")
