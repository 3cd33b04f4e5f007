"""Where a serving certificate comes from: a folder of files, or memory that is filled from elsewhere.

OpenSSL loads from files only. A folder has them; what is in memory is lent to it as files that have no name in any
folder, so that a key that was never on a disk does not get there.
"""

import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextlib import ExitStack
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from webhook.tls import files
from webhook.tls.pair import CertificateError
from webhook.tls.pair import Pair
from webhook.tls.pair import parse_pair
from webhook.tls.pair import read_pair


@dataclass(frozen=True, slots=True)
class Opened:
    """A pair that belongs together, in files that OpenSSL can read; `name` is what messages call it."""

    pair: Pair
    certificate_path: Path
    key_path: Path
    name: str


class Source(Protocol):
    """Where the certificate comes from."""

    def look(self) -> tuple[str, ...]:
        """Answer what is there now, as hashes; never raises."""

    def opened(self) -> AbstractContextManager[Opened]:
        """Read the pair; its files are there for the time of a `with` block, at whose end they must not have changed.

        Raises:
            CertificateError: there is none that may be served.
        """


class Folder:
    """A folder with tls.crt and tls.key, as `numagate certs` writes it or a Secret is mounted."""

    def __init__(self, folder: Path) -> None:
        self._files = folder / files.CERTIFICATE, folder / files.KEY

    def look(self) -> tuple[str, ...]:
        """Answer the hashes of both files, "" for one that cannot be read (`opened` says why)."""
        return tuple(files.digest(path) for path in self._files)

    @contextmanager
    def opened(self) -> Iterator[Opened]:
        """Read both files.

        Raises:
            CertificateError: one is missing or torn, both do not belong together, others may read the key, or the
                files changed meanwhile.
        """
        # A mounted Secret is swapped by a symlink: resolve it once, so that both files are of one version.
        certificate, key = (path.resolve() for path in self._files)
        pair = read_pair(certificate, key)
        _check_private(key)
        yield Opened(pair, certificate, key, str(certificate))
        if read_pair(certificate, key) != pair:
            msg = f"{certificate} changed while it was read: trying again"
            raise CertificateError(msg)


class Memory:
    """A pair in memory; any thread may put another one there. `name` is what messages call it."""

    def __init__(self, pair: Pair, *, name: str) -> None:
        self._name = name
        self._held = (pair.certificate_pem, pair.key_pem)

    def put(self, certificate_pem: bytes, key_pem: bytes) -> None:
        """Replace what is there by what may be a pair: whether it is one is seen when it is loaded."""
        self._held = (certificate_pem, key_pem)

    def look(self) -> tuple[str, ...]:
        """Answer the hashes of both parts."""
        return tuple(hashlib.sha256(part).hexdigest() for part in self._held)

    @contextmanager
    def opened(self) -> Iterator[Opened]:
        """Lend both parts to OpenSSL as files without a name.

        Raises:
            CertificateError: one is no PEM, or both do not belong together.
        """
        held = self._held
        names = (f"{files.CERTIFICATE} of {self._name}", f"{files.KEY} of {self._name}")
        pair = parse_pair(*held, names=names)
        with ExitStack() as stack:
            certificate, key = (stack.enter_context(_lent(part)) for part in held)
            yield Opened(pair, certificate, key, names[0])


def _check_private(key: Path) -> None:
    try:
        mode = key.stat().st_mode
    except OSError as error:
        # A mounted Secret that is replaced takes the files of the one before away.
        msg = f"{key}: {error.strerror or error}: trying again"
        raise CertificateError(msg) from error
    if mode & stat.S_IROTH:
        msg = f"{key} can be read by everyone, so it may be known to others: chmod 600 {key}, or issue another"
        raise CertificateError(msg)


@contextmanager
def _lent(content: bytes) -> Iterator[Path]:
    descriptor = os.memfd_create("numagate")
    try:
        with open(descriptor, "wb", closefd=False) as file:
            file.write(content)
        yield Path(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)
