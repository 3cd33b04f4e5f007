"""The files of the certificate folder, and how they are written and compared."""

import hashlib
import os
from pathlib import Path

CA_CERTIFICATE = "ca.crt"
CA_KEY = "ca.key"
CERTIFICATE = "tls.crt"
KEY = "tls.key"
"""The last two are the keys of a kubernetes.io/tls Secret."""
CLIENT_CERTIFICATE = "client.crt"
CLIENT_KEY = "client.key"
ADMISSION = "admission.yaml"
KUBECONFIG = "webhooks.kubeconfig"
"""What an API server needs in order to call us by its name; the first refers to the second, and that to the pair."""

_PUBLIC = 0o644
_PRIVATE = 0o600


def write_public(path: Path, content: bytes) -> None:
    """Write a certificate; a reader sees the old file or the new one, never half of it."""
    _write(path, content, _PUBLIC)


def write_private(path: Path, content: bytes) -> None:
    """Write a key that only its owner may read, from its first byte on."""
    _write(path, content, _PRIVATE)


def digest(path: Path) -> str:
    """Answer a hash of the content, "" for a file that cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _write(path: Path, content: bytes, mode: int) -> None:
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)
    with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:  # noqa: PTH123  # the mode
        file.write(content)
    fresh.replace(path)
