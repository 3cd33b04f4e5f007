"""The report on a certificate folder."""

from collections.abc import Callable
from datetime import UTC
from datetime import datetime
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.hazmat.primitives.serialization import NoEncryption
from cryptography.hazmat.primitives.serialization import PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID
from serving import issue

from webhook.tls.inspect import inspect
from webhook.tls.issue import issue_ca
from webhook.tls.pair import read_pair

NOW = datetime(2030, 1, 1, tzinfo=UTC)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Answer a folder in which all is well."""
    issue(tmp_path, now=NOW)
    return tmp_path


def test_a_good_folder_has_no_problems_and_says_what_it_holds(folder: Path) -> None:
    report = inspect(folder, now=NOW)

    assert report.problems == ()
    text = "\n".join(report.lines)
    assert "subject   CN=numagate CA" in text
    assert "subject   CN=numagate.numagate-system.svc" in text
    assert "365 days left" in text
    assert "names     numagate, numagate.numagate-system, numagate.numagate-system.svc, localhost, 127.0.0.1" in text


def test_the_ca_key_may_be_kept_elsewhere(folder: Path) -> None:
    (folder / "ca.key").unlink()

    assert inspect(folder, now=NOW).problems == ()


def drop_leaf(folder: Path) -> None:
    """Remove the certificate."""
    (folder / "tls.crt").unlink()


def drop_key(folder: Path) -> None:
    """Remove the key."""
    (folder / "tls.key").unlink()


def tear(folder: Path) -> None:
    """Leave half a certificate."""
    (folder / "tls.crt").write_text("-----BEGIN CERTIFICATE-----\nMII")


def tear_key(folder: Path) -> None:
    """Leave half a key."""
    (folder / "tls.key").write_bytes((folder / "tls.key").read_bytes()[:60])


def swap_key(folder: Path) -> None:
    """Leave the CA's key as the certificate's."""
    (folder / "tls.key").write_bytes((folder / "ca.key").read_bytes())


def swap_ca(folder: Path) -> None:
    """Leave another CA."""
    other = issue_ca(now=NOW)
    (folder / "ca.crt").write_bytes(other.certificate_pem)
    (folder / "ca.key").write_bytes(other.key_pem)


def open_key(folder: Path) -> None:
    """Let everyone read the key."""
    (folder / "tls.key").chmod(0o644)


def serve_ca(folder: Path) -> None:
    """Leave the CA as the serving certificate."""
    for kind in ("crt", "key"):
        (folder / f"tls.{kind}").write_bytes((folder / f"ca.{kind}").read_bytes())


def for_clients(folder: Path) -> None:
    """Leave a certificate that is for clients only."""
    ca = read_pair(folder / "ca.crt", folder / "ca.key")
    key = ec.generate_private_key(ec.SECP256R1())
    builder = x509.CertificateBuilder(
        issuer_name=ca.certificate.subject,
        subject_name=ca.certificate.subject,
        public_key=key.public_key(),
        serial_number=1,
        not_valid_before=NOW,
        not_valid_after=NOW + timedelta(days=100),
    )
    names = x509.SubjectAlternativeName([x509.DNSName("localhost")])
    uses = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH])
    builder = builder.add_extension(names, critical=False).add_extension(uses, critical=False)
    certificate = builder.sign(ca.key, hashes.SHA256())
    (folder / "tls.crt").write_bytes(certificate.public_bytes(Encoding.PEM))
    (folder / "tls.key").write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (for_clients, "tls.crt is not for servers"),
        (drop_leaf, "tls.crt cannot be read: run numagate certs issue"),
        (drop_key, "tls.key cannot be read: run numagate certs issue"),
        (tear, "tls.crt holds no PEM certificate"),
        (tear_key, "tls.key holds no PEM private key"),
        (swap_key, "tls.key is not the key of its certificate"),
        (swap_ca, "tls.crt was not issued by ca.crt"),
        (open_key, "tls.key can be read by everyone: chmod 600"),
        (serve_ca, "tls.crt has no subject alternative name"),
    ],
)
def test_what_is_wrong_is_named(folder: Path, spoil: Callable[[Path], None], problem: str) -> None:
    spoil(folder)

    problems = inspect(folder, now=NOW).problems

    assert any(problem in found for found in problems), problems


@pytest.mark.parametrize(
    ("instant", "problem"),
    [
        (NOW + timedelta(days=352), "tls.crt ends in 13 days: run numagate certs issue"),
        (NOW + timedelta(days=366), "tls.crt has ended at 2031-01-01 00:00Z: run numagate certs issue"),
        (NOW - timedelta(days=1), "tls.crt begins at 2029-12-31 23:55Z only: is the clock right?"),
    ],
)
def test_a_certificate_near_or_beyond_its_ends_is_a_problem(folder: Path, instant: datetime, problem: str) -> None:
    assert any(found.endswith(problem) for found in inspect(folder, now=instant).problems)


@pytest.mark.parametrize(("days", "problem"), [(1820, "ca.crt ends in 5 days"), (1830, "ca.crt has ended at")])
def test_a_ca_near_its_end_is_replaced_and_not_renewed(folder: Path, days: int, problem: str) -> None:
    (told,) = (one for one in inspect(folder, now=NOW + timedelta(days=days)).problems if problem in one)

    assert "make a new CA in another folder" in told


def test_a_folder_that_does_not_exist_is_a_problem(tmp_path: Path) -> None:
    report = inspect(tmp_path / "none", now=NOW)

    assert report.lines == ()
    assert len(report.problems) == 2
