"""Issues into a folder: a CA once, a serving certificate each time."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from webhook.tls import files
from webhook.tls.issue import CA_DAYS
from webhook.tls.issue import LEAF_DAYS
from webhook.tls.issue import Names
from webhook.tls.issue import issue_ca
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
    ca_days: int = CA_DAYS,
    leaf_days: int = LEAF_DAYS,
    force: bool = False,
) -> Issued:
    """Issue a serving certificate from the folder's CA; make the CA where there is none, or with `force`.

    Raises:
        CertificateError: the CA there cannot be used, or the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        ca = None if force else _existing_ca(folder, now)
        new_ca = ca is None
        if ca is None:
            ca = issue_ca(now=now, days=ca_days)
            files.write_private(folder / files.CA_KEY, ca.key_pem)
            files.write_public(folder / files.CA_CERTIFICATE, ca.certificate_pem)
        leaf = issue_leaf(ca, names, now=now, days=leaf_days)
        files.write_private(folder / files.KEY, leaf.key_pem)
        files.write_public(folder / files.CERTIFICATE, leaf.certificate_pem)
    except OSError as error:
        msg = f"cannot write into {folder}: {error.strerror or error}: choose another with --dir"
        raise CertificateError(msg) from error
    return Issued(ca, leaf, new_ca)


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
