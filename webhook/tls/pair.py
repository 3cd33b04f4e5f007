"""A certificate and its key, read and checked before anything serves or signs with them."""

from dataclasses import dataclass
from dataclasses import field
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.hazmat.primitives.serialization import PublicFormat
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from webhook.domain.errors import NumagateError
from webhook.tls.certificate import UNREADABLE

SigningKey: TypeAlias = EllipticCurvePrivateKey | RSAPrivateKey | Ed25519PrivateKey


class CertificateError(NumagateError):
    """A certificate or key cannot be used; the message names the file and the remedy."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A certificate with the key that belongs to it, and both files' content."""

    certificate: x509.Certificate
    key: SigningKey = field(compare=False, repr=False)
    certificate_pem: bytes
    key_pem: bytes = field(repr=False)

    @property
    def names(self) -> frozenset[str]:
        """The DNS names and addresses that the certificate is good for."""
        return frozenset(subject_names(self.certificate))


def read_pair(certificate_path: Path, key_path: Path) -> Pair:
    """Read and compare both files.

    Raises:
        CertificateError: a file is missing, is no PEM, or the two do not belong together.
    """
    return parse_pair(_read(certificate_path), _read(key_path), names=(certificate_path, key_path))


def parse_pair(certificate_pem: bytes, key_pem: bytes, *, names: tuple[Path | str, Path | str]) -> Pair:
    """Read and compare a certificate and its key; `names` of both are for the message.

    Raises:
        CertificateError: one is no PEM, or the two do not belong together.
    """
    certificate = read_certificate(certificate_pem, names[0])
    key = read_key(key_pem, names[1])
    if not belongs(key, certificate):
        msg = f"{names[1]} is not the key of {names[0]}: put the pair that was issued together"
        raise CertificateError(msg)
    return Pair(certificate, key, certificate_pem, key_pem)


def read_certificate(pem: bytes, path: Path | str) -> x509.Certificate:
    """Read the first certificate of a PEM text; `path` is for the message.

    Raises:
        CertificateError: there is none.
    """
    try:
        return _complete(x509.load_pem_x509_certificate(pem))
    except UNREADABLE as error:
        msg = f"{path} holds no PEM certificate: is the file whole?"
        raise CertificateError(msg) from error


def _complete(certificate: x509.Certificate) -> x509.Certificate:
    """Read what is otherwise only read when it is asked for, so that a damaged certificate is found at once."""
    _ = certificate.public_key(), certificate.subject, certificate.issuer, certificate.extensions
    _ = certificate.serial_number, certificate.not_valid_before_utc, certificate.not_valid_after_utc
    return certificate


def read_key(pem: bytes, path: Path | str) -> SigningKey:
    """Read an unencrypted private key that can sign.

    Raises:
        CertificateError: there is none.
    """
    try:
        key = load_pem_private_key(pem, password=None)
    except TypeError as error:
        msg = f"{path} is encrypted: numagate needs the key without a passphrase"
        raise CertificateError(msg) from error
    except (ValueError, UnsupportedAlgorithm) as error:
        msg = f"{path} holds no PEM private key: is the file whole?"
        raise CertificateError(msg) from error
    if not isinstance(key, SigningKey):
        msg = f"{path} holds a key that cannot sign: use ECDSA P-256"
        raise CertificateError(msg)
    return key


def belongs(key: SigningKey, certificate: x509.Certificate) -> bool:
    """Tell whether `key` is the private half of the certificate's key."""
    der = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return key.public_key().public_bytes(*der) == certificate.public_key().public_bytes(*der)


def check_valid(certificate: x509.Certificate, path: Path | str, now: datetime) -> None:
    """Refuse a certificate that is not valid at `now`.

    Raises:
        CertificateError: it has ended or has not begun.
    """
    if now >= certificate.not_valid_after_utc:
        msg = f"{path} ended at {certificate.not_valid_after_utc:%Y-%m-%d %H:%M}Z: run numagate certs issue"
        raise CertificateError(msg)
    if now < certificate.not_valid_before_utc:
        msg = f"{path} begins at {certificate.not_valid_before_utc:%Y-%m-%d %H:%M}Z: is the clock right?"
        raise CertificateError(msg)


def subject_names(certificate: x509.Certificate) -> list[str]:
    """Answer the subject alternative names: DNS names and addresses."""
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return []
    found = names.get_values_for_type(x509.DNSName)
    return found + [str(address) for address in names.get_values_for_type(x509.IPAddress)]


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        msg = f"{path}: {error.strerror or error}: run numagate certs issue, or mount the Secret there"
        raise CertificateError(msg) from error
