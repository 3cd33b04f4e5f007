"""Pairs of certificate and key: what is refused, and in which words."""

import ssl
from datetime import UTC
from datetime import datetime
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric import x25519
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.hazmat.primitives.serialization import NoEncryption
from cryptography.hazmat.primitives.serialization import PrivateFormat

from webhook.tls.issue import issue_ca
from webhook.tls.pair import CertificateError
from webhook.tls.pair import check_valid
from webhook.tls.pair import read_pair
from webhook.tls.pair import subject_names

NOW = datetime(2030, 1, 1, tzinfo=UTC)
PAIR = issue_ca(now=NOW, days=10)
OTHER = issue_ca(now=NOW, days=10)
ENCRYPTED = PAIR.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))
NO_SIGNER = x25519.X25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


VERSION = bytes.fromhex("a003020102")
"""Version 3 of a certificate; the last byte is changed into a version that there is not."""
POINT = bytes.fromhex("03420004")
"""Where the point of a P-256 key begins; the byte after it is changed, so that the point is not on the curve."""
BASIC = bytes.fromhex("0603551d13")
"""The name of the basic constraints, changed into that of the key usage, which then is there twice."""


def damaged(certificate: x509.Certificate, place: bytes) -> bytes:
    """Write a certificate of which one byte is another."""
    der = bytearray(certificate.public_bytes(Encoding.DER))
    at = der.index(place) + len(place) - (place != POINT)
    der[at] = 0x0F if place != POINT else der[at] ^ 0xFF
    return ssl.DER_cert_to_PEM_cert(bytes(der)).encode()


def put(folder: Path, certificate: bytes, key: bytes) -> tuple[Path, Path]:
    """Write both files and answer their paths."""
    paths = folder / "a.crt", folder / "a.key"
    for path, content in zip(paths, (certificate, key), strict=True):
        path.write_bytes(content)
    return paths


def test_a_pair_is_read_whole(tmp_path: Path) -> None:
    pair = read_pair(*put(tmp_path, PAIR.certificate_pem, PAIR.key_pem))

    assert pair == PAIR
    assert isinstance(pair.key, ec.EllipticCurvePrivateKey)


@pytest.mark.parametrize(
    ("certificate", "key", "message"),
    [
        (b"", PAIR.key_pem, "a.crt holds no PEM certificate"),
        (PAIR.certificate_pem[:200], PAIR.key_pem, "a.crt holds no PEM certificate"),
        (PAIR.key_pem, PAIR.key_pem, "a.crt holds no PEM certificate"),
        (damaged(PAIR.certificate, POINT), PAIR.key_pem, "a.crt holds no PEM certificate"),
        (damaged(PAIR.certificate, VERSION), PAIR.key_pem, "a.crt holds no PEM certificate"),
        (damaged(PAIR.certificate, BASIC), PAIR.key_pem, "a.crt holds no PEM certificate"),
        (PAIR.certificate_pem, b"", "a.key holds no PEM private key"),
        (PAIR.certificate_pem, PAIR.key_pem[:-40], "a.key holds no PEM private key"),
        (PAIR.certificate_pem, PAIR.certificate_pem, "a.key holds no PEM private key"),
        (PAIR.certificate_pem, ENCRYPTED, "a.key is encrypted"),
        (PAIR.certificate_pem, NO_SIGNER, "a.key holds a key that cannot sign"),
        (PAIR.certificate_pem, OTHER.key_pem, "is not the key of"),
    ],
)
def test_a_bad_pair_is_refused_in_one_line(tmp_path: Path, certificate: bytes, key: bytes, message: str) -> None:
    with pytest.raises(CertificateError, match=message) as caught:
        read_pair(*put(tmp_path, certificate, key))

    assert "\n" not in str(caught.value)


def test_a_missing_file_is_named_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(CertificateError, match=r"tls.crt: No such file or directory: run numagate certs issue"):
        read_pair(tmp_path / "tls.crt", tmp_path / "tls.key")


@pytest.mark.parametrize(
    ("instant", "message"), [(NOW + timedelta(days=10), "ended at"), (NOW - timedelta(days=1), "begins at")]
)
def test_a_certificate_is_refused_outside_its_life(instant: datetime, message: str) -> None:
    with pytest.raises(CertificateError, match=message):
        check_valid(PAIR.certificate, Path("a.crt"), instant)


def test_a_certificate_is_valid_within_its_life() -> None:
    check_valid(PAIR.certificate, Path("a.crt"), NOW)


def test_a_certificate_without_alternative_names_has_none() -> None:
    assert subject_names(PAIR.certificate) == []


def test_a_pair_does_not_show_its_key() -> None:
    assert "PRIVATE" not in repr(PAIR)
