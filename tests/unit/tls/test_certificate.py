"""What a certificate says, and what a damaged one does not."""

import ssl
from datetime import UTC
from datetime import datetime
from datetime import timedelta

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from webhook.tls.certificate import has_signed
from webhook.tls.certificate import holds_at
from webhook.tls.certificate import is_authority
from webhook.tls.issue import issue_ca
from webhook.tls.issue import issue_leaf
from webhook.tls.issue import service_names

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CA, OTHER = issue_ca(now=NOW, days=2), issue_ca(now=NOW, days=2)
LEAF = issue_leaf(CA, service_names("numagate", "ours"), now=NOW, days=1).certificate

SUBJECT_KEY, CONSTRAINTS = bytes.fromhex("0603551d0e"), bytes.fromhex("0603551d13")


def damaged(certificate: x509.Certificate) -> x509.Certificate:
    """Answer it with an extension that stands there twice."""
    der = certificate.public_bytes(Encoding.DER).replace(SUBJECT_KEY, CONSTRAINTS)
    return x509.load_pem_x509_certificate(ssl.DER_cert_to_PEM_cert(der).encode())


def test_only_a_ca_is_one() -> None:
    assert is_authority(CA.certificate)
    assert not is_authority(LEAF)
    assert not is_authority(damaged(CA.certificate))


def test_only_the_ca_that_signed_it_has() -> None:
    assert has_signed(CA.certificate, LEAF)
    assert not has_signed(OTHER.certificate, LEAF)
    assert not has_signed(CA.certificate, damaged(LEAF))


def test_it_holds_from_its_first_instant_to_before_its_last() -> None:
    begin, end = LEAF.not_valid_before_utc, LEAF.not_valid_after_utc

    assert [holds_at(LEAF, at) for at in (begin, end - timedelta(seconds=1))] == [True, True]
    assert [holds_at(LEAF, at) for at in (begin - timedelta(seconds=1), end)] == [False, False]
