"""The clients' CAs: what is taken for one, and what is not."""

from datetime import UTC
from datetime import datetime
from datetime import timedelta
from pathlib import Path

import pytest

from webhook.tls.client_authorities import read_client_authorities
from webhook.tls.issue import issue_ca
from webhook.tls.issue import issue_client
from webhook.tls.pair import CertificateError

NOW = datetime(2030, 1, 1, tzinfo=UTC)
OLD = issue_ca(now=NOW - timedelta(days=20), days=10)
ONE = issue_ca(now=NOW, days=100)
OTHER = issue_ca(now=NOW, days=200)
CLIENT = issue_client(ONE, "kube-apiserver", now=NOW)


def written(folder: Path, content: bytes) -> Path:
    path = folder / "ca.crt"
    path.write_bytes(content)
    return path


def test_a_bundle_is_read_whole_and_without_the_text_around_it(tmp_path: Path) -> None:
    content = "# old, é\n".encode() + ONE.certificate_pem + b"# new\n" + OTHER.certificate_pem

    found = read_client_authorities(written(tmp_path, content), NOW)

    assert found.pem.encode() == ONE.certificate_pem + OTHER.certificate_pem
    assert (found.count, found.not_after) == (2, NOW + timedelta(days=200))


def test_an_ended_ca_may_stand_beside_a_valid_one(tmp_path: Path) -> None:
    found = read_client_authorities(written(tmp_path, OLD.certificate_pem + ONE.certificate_pem), NOW)

    assert found.count == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no PEM certificate, or a part of one"),
        (ONE.certificate_pem[:200], "holds no PEM certificate, or a part of one"),
        (ONE.certificate_pem + b"-----BEGIN CERTIFICATE-----\nAAAA\n", "holds no PEM certificate, or a part of one"),
        (ONE.certificate_pem + CLIENT.certificate_pem, "holds a certificate that is no CA"),
        (ONE.certificate_pem + ONE.key_pem, "holds a private key"),
        (OLD.certificate_pem, "holds no CA that is valid now: run numagate certs client --force"),
    ],
    ids=["empty", "torn", "torn bundle", "client", "key", "ended"],
)
def test_anything_else_is_refused_whole(tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(CertificateError, match=message):
        read_client_authorities(written(tmp_path, content), NOW)


def test_a_missing_file_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(CertificateError, match="run numagate certs client, or mount the Secret there"):
        read_client_authorities(tmp_path / "ca.crt", NOW)
