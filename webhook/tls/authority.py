"""CAs that are trusted together, some with their keys: what a bundle in PEM and a list of keys hold."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from dataclasses import field
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from webhook.tls.certificate import has_signed
from webhook.tls.certificate import is_authority
from webhook.tls.pair import CertificateError
from webhook.tls.pair import Pair
from webhook.tls.pair import SigningKey
from webhook.tls.pair import belongs
from webhook.tls.pair import read_certificate
from webhook.tls.pair import read_key

_CERTIFICATE: Final = re.compile(rb"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)
_KEY: Final = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?-----END [A-Z ]*PRIVATE KEY-----", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Authority:
    """A CA; without its key it can only be trusted."""

    certificate: x509.Certificate
    pem: bytes
    key: SigningKey | None = field(default=None, compare=False, repr=False)
    key_pem: bytes = field(default=b"", repr=False)

    @property
    def pair(self) -> Pair | None:
        """What to sign with, None without the key."""
        return None if self.key is None else Pair(self.certificate, self.key, self.pem, self.key_pem)

    def signed(self, leaf: x509.Certificate) -> bool:
        """Tell whether `leaf` is of this CA."""
        return has_signed(self.certificate, leaf)


def authority(ca: Pair) -> Authority:
    """Answer a CA that was just issued."""
    return Authority(ca.certificate, ca.certificate_pem, ca.key, ca.key_pem)


def read_authorities(pem: bytes) -> tuple[Authority, ...]:
    """Read the CAs of a bundle, each once, in its order; what is none is left out."""
    found: dict[bytes, Authority] = {}
    for block in _CERTIFICATE.findall(pem):
        try:
            certificate = read_certificate(block, "")
        except CertificateError:
            continue
        if is_authority(certificate):
            text = certificate.public_bytes(Encoding.PEM)
            found.setdefault(text, Authority(certificate, text))
    return tuple(found.values())


def read_keys(pem: bytes) -> tuple[tuple[SigningKey, bytes], ...]:
    """Read the private keys of a PEM text; what is none is left out."""
    found = []
    for block in _KEY.findall(pem):
        try:
            found.append((read_key(block, ""), block + b"\n"))
        except CertificateError:
            continue
    return tuple(found)


def with_keys(authorities: Iterable[Authority], keys: Iterable[tuple[SigningKey, bytes]]) -> tuple[Authority, ...]:
    """Give each CA its key, where it is among these."""
    known = tuple(keys)
    return tuple(_with_key(one, known) for one in authorities)


def bundle_of(authorities: Iterable[Authority]) -> bytes:
    """Answer the certificates as one PEM text."""
    return b"".join(one.pem for one in authorities)


def _with_key(one: Authority, keys: tuple[tuple[SigningKey, bytes], ...]) -> Authority:
    if one.key is not None:
        return one
    for key, pem in keys:
        if belongs(key, one.certificate):
            return Authority(one.certificate, one.pem, key, pem)
    return one
