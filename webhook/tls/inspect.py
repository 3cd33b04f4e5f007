"""Looks into a certificate folder and says what is there and what is wrong with it."""

import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from datetime import timedelta
from pathlib import Path

from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from webhook.tls import files
from webhook.tls.certificate import has_signed
from webhook.tls.pair import CertificateError
from webhook.tls.pair import belongs
from webhook.tls.pair import read_certificate
from webhook.tls.pair import read_key
from webhook.tls.pair import subject_names

SOON = timedelta(days=14)
"""A certificate that ends within this time is a problem already."""
REPLACE_CA = "make a new CA in another folder with numagate certs issue --dir, and let both be trusted for a while"


@dataclass(frozen=True, slots=True)
class Report:
    """What the folder holds, as lines for a person, and the problems found in it."""

    lines: tuple[str, ...]
    problems: tuple[str, ...]


def inspect(folder: Path, *, now: datetime) -> Report:
    """Read the folder as it is at `now`; what cannot be read is a problem, never an exception."""
    lines: list[str] = []
    problems: list[str] = []
    ca = _inspect_one(folder / files.CA_CERTIFICATE, folder / files.CA_KEY, lines, problems, now=now)
    leaf = _inspect_one(folder / files.CERTIFICATE, folder / files.KEY, lines, problems, now=now)
    if leaf is not None:
        problems += _serving_problems(leaf)
    if ca is not None and leaf is not None:
        problems += _chain_problems(ca, leaf)
    return Report(tuple(lines), tuple(problems))


def _inspect_one(
    path: Path, key_path: Path, lines: list[str], problems: list[str], *, now: datetime
) -> x509.Certificate | None:
    pem = _content(path)
    if pem is None:
        problems.append(f"{path} cannot be read: run numagate certs issue")
        return None
    try:
        certificate = read_certificate(pem, path)
    except CertificateError as error:
        problems.append(str(error))
        return None
    lines += _describe(path, certificate, now)
    problems += _validity_problems(path, certificate, now)
    problems += _key_problems(key_path, certificate, required=path.name == files.CERTIFICATE)
    return certificate


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except OSError:
        return None


def _describe(path: Path, certificate: x509.Certificate, now: datetime) -> Iterator[str]:
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    yield f"{path}"
    yield f"  subject   {certificate.subject.rfc4514_string()}"
    yield f"  issuer    {certificate.issuer.rfc4514_string()}"
    yield f"  serial    {certificate.serial_number:x}"
    yield f"  valid     {begin:%Y-%m-%d %H:%M}Z to {end:%Y-%m-%d %H:%M}Z, {(end - now).days} days left"
    if names := subject_names(certificate):
        yield f"  names     {', '.join(names)}"


def _validity_problems(path: Path, certificate: x509.Certificate, now: datetime) -> Iterator[str]:
    begin, end = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    # Issuing again keeps the CA that is there.
    remedy = REPLACE_CA if path.name == files.CA_CERTIFICATE else "run numagate certs issue"
    if now >= end:
        yield f"{path} has ended at {end:%Y-%m-%d %H:%M}Z: {remedy}"
    elif end - now < SOON:
        yield f"{path} ends in {(end - now).days} days: {remedy}"
    if now < begin:
        yield f"{path} begins at {begin:%Y-%m-%d %H:%M}Z only: is the clock right?"


def _key_problems(path: Path, certificate: x509.Certificate, *, required: bool) -> Iterator[str]:
    pem = _content(path)
    if pem is None:
        # The CA's key may be kept elsewhere: only issuing needs it.
        if required:
            yield f"{path} cannot be read: run numagate certs issue"
        return
    if path.stat().st_mode & stat.S_IROTH:
        yield f"{path} can be read by everyone: chmod 600 {path}"
    try:
        key = read_key(pem, path)
    except CertificateError as error:
        yield str(error)
        return
    if not belongs(key, certificate):
        yield f"{path} is not the key of its certificate: put the pair that was issued together"


def _serving_problems(leaf: x509.Certificate) -> Iterator[str]:
    if not subject_names(leaf):
        yield f"{files.CERTIFICATE} has no subject alternative name: the API server refuses it"
    try:
        usage = leaf.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    except x509.ExtensionNotFound:
        return
    if ExtendedKeyUsageOID.SERVER_AUTH not in usage:
        yield f"{files.CERTIFICATE} is not for servers (extended key usage serverAuth is missing)"


def _chain_problems(ca: x509.Certificate, leaf: x509.Certificate) -> Iterator[str]:
    if not has_signed(ca, leaf):
        yield (
            f"{files.CERTIFICATE} was not issued by {files.CA_CERTIFICATE}: "
            "the API server would refuse it with this caBundle; run numagate certs issue"
        )
