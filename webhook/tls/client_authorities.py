"""The CAs that clients must have their certificate from, read whole or not at all."""

import ssl
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from webhook.tls.certificate import holds_at
from webhook.tls.certificate import is_authority
from webhook.tls.pair import CertificateError


@dataclass(frozen=True, slots=True)
class ClientAuthorities:
    """One CA, or old and new while clients change over; `not_after` is when the last of them ends."""

    pem: str
    count: int
    not_after: datetime

    def demand(self, context: ssl.SSLContext) -> None:
        """Let `context` refuse every client without a certificate of these CAs for use by clients.

        Every context that is ever served needs this. OpenSSL takes the mode of the context that a handshake begins in
        and the CAs of the one that it was moved to, and Python shows the client's certificate only if both verify.
        """
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=self.pem)


def read_client_authorities(path: Path, now: datetime) -> ClientAuthorities:
    """Read a PEM file of one or more CA certificates, of which one at least is valid at `now`.

    Raises:
        CertificateError: it holds anything else, or nothing.
    """
    try:
        text = path.read_bytes()
    except OSError as error:
        msg = f"{path}: {error.strerror or error}: run numagate certs client, or mount the Secret there"
        raise CertificateError(msg) from error
    if b"PRIVATE KEY" in text:
        msg = f"{path} holds a private key: only the certificate of the clients' CA belongs there"
        raise CertificateError(msg)
    try:
        found = x509.load_pem_x509_certificates(text)
    except ValueError:
        found = []
    # A block without an end is skipped, and the bundle would be taken for one of fewer CAs.
    if not found or text.count(b"-----BEGIN ") != len(found):
        msg = f"{path} holds no PEM certificate, or a part of one: is the file whole?"
        raise CertificateError(msg)
    if not all(map(is_authority, found)):
        msg = f"{path} holds a certificate that is no CA: name the file of the CA, not of a client"
        raise CertificateError(msg)
    if not any(holds_at(one, now) for one in found):
        msg = f"{path} holds no CA that is valid now: run numagate certs client --force"
        raise CertificateError(msg)
    pem = b"".join(one.public_bytes(Encoding.PEM) for one in found)
    return ClientAuthorities(pem.decode("ascii"), len(found), max(one.not_valid_after_utc for one in found))
