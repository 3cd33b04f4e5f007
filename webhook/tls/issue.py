"""Issues a CA and the certificates of servers and clients that it signs."""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from datetime import timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.hazmat.primitives.serialization import NoEncryption
from cryptography.hazmat.primitives.serialization import PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID
from cryptography.x509.oid import NameOID

from webhook.tls.pair import CertificateError
from webhook.tls.pair import Pair
from webhook.tls.pair import SigningKey

CA_DAYS = 5 * 365
LEAF_DAYS = 365

_SKEW = timedelta(minutes=5)
"""Certificates begin a little early: the API server's clock may be behind."""

_MAX_COMMON_NAME = 64
_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_DNS_NAME = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(\.{_LABEL})*\Z")


@dataclass(frozen=True, slots=True)
class Names:
    """What a serving certificate is good for."""

    dns: tuple[str, ...]
    addresses: tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, ...]


def service_names(service: str, namespace: str, dns: Iterable[str] = (), addresses: Iterable[str] = ()) -> Names:
    """Answer the names of a Service in its three spellings, and the extra ones; each once.

    Raises:
        CertificateError: a name or address is none.
    """
    names = dict.fromkeys([service, f"{service}.{namespace}", f"{service}.{namespace}.svc", *dns])
    for name in names:
        if not _DNS_NAME.match(name):
            msg = f"{name!r} is no DNS name: use lower-case letters, digits, '-' and '.'"
            raise CertificateError(msg)
    return Names(tuple(names), tuple(dict.fromkeys(_address(text) for text in addresses)))


def issue_ca(*, now: datetime, days: float = CA_DAYS, common_name: str = "numagate CA") -> Pair:
    """Issue a self-signed CA that may sign end certificates only (no further CA)."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = _name(common_name)
    builder = (
        _builder(subject, subject, key, now=now, until=now + timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_key_usage(signs_certificates=True), critical=True)
    )
    return _sign(builder, key, key)


def issue_leaf(ca: Pair, names: Names, *, now: datetime, days: float = LEAF_DAYS) -> Pair:
    """Issue a serving certificate; it never outlives its CA."""
    # Clients read the alternative names; the common name is for people, and has a limit of its own.
    common_name = next((name for name in names.dns if name.endswith(".svc")), names.dns[0])[:_MAX_COMMON_NAME]
    alternatives: list[x509.GeneralName] = [x509.DNSName(name) for name in names.dns]
    alternatives += [x509.IPAddress(address) for address in names.addresses]
    named = x509.SubjectAlternativeName(alternatives)
    return _issue_end(ca, common_name, ExtendedKeyUsageOID.SERVER_AUTH, [named], now=now, days=days)


def issue_client(ca: Pair, common_name: str, *, now: datetime, days: float = LEAF_DAYS) -> Pair:
    """Issue a certificate for a client called `common_name`; it never outlives its CA.

    Raises:
        CertificateError: the name is empty or too long for a certificate.
    """
    if not 0 < len(common_name) <= _MAX_COMMON_NAME:
        msg = f"{common_name!r} is no name for a client: use 1 to {_MAX_COMMON_NAME} characters"
        raise CertificateError(msg)
    return _issue_end(ca, common_name, ExtendedKeyUsageOID.CLIENT_AUTH, [], now=now, days=days)


def _issue_end(
    ca: Pair,
    common_name: str,
    usage: x509.ObjectIdentifier,
    more: Iterable[x509.ExtensionType],
    *,
    now: datetime,
    days: float,
) -> Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    until = min(now + timedelta(days=days), ca.certificate.not_valid_after_utc)
    issuer_key = x509.AuthorityKeyIdentifier.from_issuer_public_key(ca.key.public_key())
    builder = (
        _builder(_name(common_name), ca.certificate.subject, key, now=now, until=until)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_key_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        .add_extension(issuer_key, critical=False)
    )
    for extension in more:
        builder = builder.add_extension(extension, critical=False)
    return _sign(builder, key, ca.key)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    try:
        return ipaddress.ip_address(text)
    except ValueError as error:
        msg = f"{text!r} is no IP address"
        raise CertificateError(msg) from error


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, *, now: datetime, until: datetime
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SKEW)
        .not_valid_after(until)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _key_usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _sign(builder: x509.CertificateBuilder, key: ec.EllipticCurvePrivateKey, signer: SigningKey) -> Pair:
    algorithm = None if isinstance(signer, Ed25519PrivateKey) else hashes.SHA256()
    certificate = builder.sign(signer, algorithm)
    key_pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    return Pair(certificate, key, certificate.public_bytes(Encoding.PEM), key_pem)
