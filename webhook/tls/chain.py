"""Would a client that has a bundle of CAs trust what a server shows? Decided without the server's key."""

from collections.abc import Sequence
from datetime import datetime

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from webhook.tls.certificate import has_signed
from webhook.tls.certificate import holds_at
from webhook.tls.pair import subject_names


def read_all(pem: bytes) -> tuple[x509.Certificate, ...]:
    """Read every certificate of a PEM text, none where it is no such text."""
    try:
        return tuple(x509.load_pem_x509_certificates(pem))
    except ValueError:
        return ()


def as_pem(certificates: Sequence[x509.Certificate]) -> bytes:
    """Write certificates, and nothing else that the text they came from may hold."""
    return b"".join(one.public_bytes(Encoding.PEM) for one in certificates)


def why_untrusted(
    shown: Sequence[x509.Certificate], bundle: Sequence[x509.Certificate], *, name: str, now: datetime
) -> str:
    """Say why a client refuses the certificates that a server shows for `name`, "" where it trusts them.

    The first is the server's own, others lead from it to a CA of the bundle.
    """
    if not shown:
        return "it shows no certificate"
    leaf = shown[0]
    if name not in subject_names(leaf):
        return f"it is for {', '.join(subject_names(leaf)) or 'no name'}, not for {name}"
    if not holds_at(leaf, now):
        return f"it is valid from {leaf.not_valid_before_utc:%Y-%m-%d} to {leaf.not_valid_after_utc:%Y-%m-%d} only"
    if not _leads_to(leaf, shown[1:], bundle, now):
        return f"no CA of the bundle that is valid today has issued it ({leaf.issuer.rfc4514_string()} has)"
    return ""


def _leads_to(
    one: x509.Certificate, between: Sequence[x509.Certificate], bundle: Sequence[x509.Certificate], now: datetime
) -> bool:
    if any(holds_at(ca, now) and has_signed(ca, one) for ca in bundle):
        return True
    for position, other in enumerate(between):
        rest = (*between[:position], *between[position + 1 :])
        if holds_at(other, now) and has_signed(other, one) and _leads_to(other, rest, bundle, now):
            return True
    return False
