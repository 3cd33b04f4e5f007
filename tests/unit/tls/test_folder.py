"""Issuing into a folder: the CA stays, the serving certificate is new each time."""

from datetime import UTC
from datetime import datetime
from datetime import timedelta
from pathlib import Path

import pytest

from webhook.tls.folder import Issued
from webhook.tls.folder import issue_into
from webhook.tls.inspect import inspect
from webhook.tls.issue import service_names
from webhook.tls.pair import CertificateError
from webhook.tls.pair import read_pair

NOW = datetime(2030, 1, 1, tzinfo=UTC)
NAMES = service_names("numagate", "numagate-system")


def issue(folder: Path, *, now: datetime = NOW, force: bool = False, ca_days: int = 1000) -> Issued:
    """Issue into `folder`."""
    return issue_into(folder, NAMES, now=now, force=force, ca_days=ca_days)


def test_an_empty_folder_gets_a_ca_and_a_certificate_that_fit_together(tmp_path: Path) -> None:
    issued = issue(tmp_path / "new" / "certs")

    assert issued.new_ca
    assert read_pair(tmp_path / "new/certs/ca.crt", tmp_path / "new/certs/ca.key") == issued.ca
    assert read_pair(tmp_path / "new/certs/tls.crt", tmp_path / "new/certs/tls.key") == issued.leaf
    assert inspect(tmp_path / "new" / "certs", now=NOW).problems == ()


def test_the_ca_that_is_there_signs_again(tmp_path: Path) -> None:
    first, second = issue(tmp_path), issue(tmp_path)

    assert (second.new_ca, second.ca) == (False, first.ca)
    assert second.leaf != first.leaf


def test_force_makes_a_new_ca(tmp_path: Path) -> None:
    first, second = issue(tmp_path), issue(tmp_path, force=True)

    assert second.new_ca
    assert second.ca != first.ca


@pytest.mark.parametrize(("missing", "there"), [("ca.crt", "ca.key"), ("ca.key", "ca.crt")])
def test_half_a_ca_is_never_overwritten(tmp_path: Path, missing: str, there: str) -> None:
    issue(tmp_path)
    (tmp_path / missing).unlink()
    content = (tmp_path / there).read_bytes()

    with pytest.raises(CertificateError, match=f"{there} is there but .*{missing} is not: .*--force"):
        issue(tmp_path)

    assert (tmp_path / there).read_bytes() == content


def test_a_ca_whose_key_is_another_ones_is_refused(tmp_path: Path) -> None:
    issue(tmp_path)
    (tmp_path / "ca.key").write_bytes((tmp_path / "tls.key").read_bytes())

    with pytest.raises(CertificateError, match="is not the key of"):
        issue(tmp_path)


def test_a_ca_that_has_ended_is_refused_with_the_remedy(tmp_path: Path) -> None:
    issue(tmp_path, ca_days=10)

    with pytest.raises(CertificateError, match="has ended: make a new CA with --force"):
        issue(tmp_path, now=NOW + timedelta(days=11))


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(CertificateError, match=r"cannot write into .*file: .*choose another with --dir"):
        issue(tmp_path / "file")
