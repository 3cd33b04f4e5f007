"""`numagate certs`: its options, output and exit codes."""

import argparse
from pathlib import Path

import pytest
import yaml

from webhook.cli.commands.certs import COMMAND
from webhook.tls.pair import CertificateError
from webhook.tls.pair import read_pair


def run(*arguments: str) -> int:
    """Run the command as the main program does."""
    parser = argparse.ArgumentParser()
    COMMAND.configure(parser)
    return COMMAND.run(parser.parse_args(arguments))


def test_issue_prints_an_applicable_secret_and_says_on_stderr_what_it_did(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("issue", "--dir", str(tmp_path), "--namespace", "ours", "--dns", "localhost", "--ip", "127.0.0.1") == 0

    told = capsys.readouterr()
    assert yaml.safe_load(told.out)["metadata"] == {"name": "numagate-tls", "namespace": "ours"}
    assert "a new CA and a certificate for numagate, numagate.ours, numagate.ours.svc, localhost" in told.err
    names = read_pair(tmp_path / "tls.crt", tmp_path / "tls.key").names
    assert names >= {"numagate.ours.svc", "numagate-controller.ours.svc", "127.0.0.1"}


def test_issue_twice_keeps_the_ca(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("issue", "--dir", str(tmp_path))
    ca = (tmp_path / "ca.crt").read_bytes()

    assert run("issue", "--dir", str(tmp_path), "--days", "10") == 0

    assert (tmp_path / "ca.crt").read_bytes() == ca
    assert "from the CA that was there" in capsys.readouterr().err


def test_inspect_of_a_good_folder_exits_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("issue", "--dir", str(tmp_path))

    assert run("inspect", "--dir", str(tmp_path)) == 0
    assert "problem:" not in capsys.readouterr().out


def test_inspect_names_problems_and_exits_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("inspect", "--dir", str(tmp_path)) == 1
    assert f"problem: {tmp_path}/tls.crt cannot be read" in capsys.readouterr().out


def test_a_bad_name_is_an_error_for_the_main_program_to_print(tmp_path: Path) -> None:
    with pytest.raises(CertificateError, match="'A_B' is no DNS name"):
        run("issue", "--dir", str(tmp_path), "--dns", "A_B")


@pytest.mark.parametrize("days", ["0", "-1", "1.5", "36501", "x", "１"])  # noqa: RUF001
def test_a_life_that_is_no_number_of_days_is_refused(days: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        run("issue", f"--days={days}")

    assert caught.value.code == 2
    assert "is no number of days: use 1 to 36500" in capsys.readouterr().err
