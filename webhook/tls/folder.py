"""Issues into a folder: a CA once, a certificate each time."""

from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from webhook.tls import files
from webhook.tls.issue import CA_DAYS
from webhook.tls.issue import LEAF_DAYS
from webhook.tls.issue import Names
from webhook.tls.issue import issue_ca
from webhook.tls.issue import issue_client
from webhook.tls.issue import issue_leaf
from webhook.tls.pair import CertificateError
from webhook.tls.pair import Pair
from webhook.tls.pair import check_valid
from webhook.tls.pair import read_pair


@dataclass(frozen=True, slots=True)
class Issued:
    """What was issued; `new_ca` says that every caBundle must change."""

    ca: Pair
    leaf: Pair
    new_ca: bool


def issue_into(
    folder: Path,
    names: Names,
    *,
    now: datetime,
    ca_days: float = CA_DAYS,
    leaf_days: float = LEAF_DAYS,
    force: bool = False,
) -> Issued:
    """Issue a serving certificate from the folder's CA; make the CA where there is none, or with `force`.

    Raises:
        CertificateError: the CA there cannot be used, or the folder cannot be written.
    """
    with _writing(folder):
        ca, new_ca = _authority(folder, "numagate CA", now=now, days=ca_days, force=force)
        leaf = issue_leaf(ca, names, now=now, days=leaf_days)
        files.write_private(folder / files.KEY, leaf.key_pem)
        files.write_public(folder / files.CERTIFICATE, leaf.certificate_pem)
    return Issued(ca, leaf, new_ca)


def issue_client_into(
    folder: Path,
    name: str,
    *,
    now: datetime,
    texts: Mapping[str, str],
    ca_days: float = CA_DAYS,
    days: float = LEAF_DAYS,
    force: bool = False,
) -> Issued:
    """Issue a client certificate for `name` from the folder's CA, and write `texts` by file name beside it.

    Raises:
        CertificateError: the CA there cannot be used, or the folder cannot be written.
    """
    with _writing(folder):
        ca, new_ca = _authority(folder, "numagate client CA", now=now, days=ca_days, force=force)
        leaf = issue_client(ca, name, now=now, days=days)
        files.write_private(folder / files.CLIENT_KEY, leaf.key_pem)
        files.write_public(folder / files.CLIENT_CERTIFICATE, leaf.certificate_pem)
        for file, text in texts.items():
            files.write_public(folder / file, text.encode())
    return Issued(ca, leaf, new_ca)


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        msg = f"cannot write into {folder}: {error.strerror or error}: choose another with --dir"
        raise CertificateError(msg) from error


def _authority(folder: Path, common_name: str, *, now: datetime, days: float, force: bool) -> tuple[Pair, bool]:
    """Answer the folder's CA, and whether it was made just now."""
    ca = None if force else _existing_ca(folder, now)
    if ca is not None:
        return ca, False
    ca = issue_ca(now=now, days=days, common_name=common_name)
    files.write_private(folder / files.CA_KEY, ca.key_pem)
    files.write_public(folder / files.CA_CERTIFICATE, ca.certificate_pem)
    return ca, True


def _existing_ca(folder: Path, now: datetime) -> Pair | None:
    certificate, key = folder / files.CA_CERTIFICATE, folder / files.CA_KEY
    if not certificate.exists() and not key.exists():
        return None
    for here, missing in ((certificate, key), (key, certificate)):
        if not missing.exists():
            msg = f"{here} is there but {missing} is not: put it back, or make a new CA with --force"
            raise CertificateError(msg)
    ca = read_pair(certificate, key)
    if now >= ca.certificate.not_valid_after_utc:
        msg = f"{certificate} has ended: make a new CA with --force and put it into every caBundle"
        raise CertificateError(msg)
    check_valid(ca.certificate, certificate, now)
    return ca
