"""`numagate certs`: its options, output and exit codes."""

import argparse
import base64
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


def test_client_prints_the_secret_of_the_ca_and_no_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("client", "--dir", str(tmp_path), "--namespace", "ours") == 0

    told = capsys.readouterr()
    secret = yaml.safe_load(told.out)
    assert secret["metadata"] == {"name": "numagate-client-ca", "namespace": "ours"}
    assert {key: base64.b64decode(value) for key, value in secret["data"].items()} == {
        "ca.crt": (tmp_path / "ca.crt").read_bytes()
    }
    assert "a new CA and a certificate for kube-apiserver until" in told.err


def test_client_writes_what_an_api_server_reads(tmp_path: Path) -> None:
    run("client", "--dir", str(tmp_path), "--host-dir", "/etc/a folder", "--target", "10.0.0.1:8443")

    plugins = yaml.safe_load((tmp_path / "admission.yaml").read_text())["plugins"]
    users = yaml.safe_load((tmp_path / "webhooks.kubeconfig").read_text())["users"]
    assert [plugin["name"] for plugin in plugins] == ["MutatingAdmissionWebhook", "ValidatingAdmissionWebhook"]
    assert {plugin["configuration"]["kubeConfigFile"] for plugin in plugins} == {"/etc/a folder/webhooks.kubeconfig"}
    names = ["numagate.numagate-system.svc", "numagate-controller.numagate-system.svc", "10.0.0.1:8443"]
    assert [user["name"] for user in users] == names
    assert [user["user"] for user in users] == [{"client-certificate": "client.crt", "client-key": "client.key"}] * 3
    assert read_pair(tmp_path / "client.crt", tmp_path / "client.key").certificate.subject.rfc4514_string() == (
        "CN=kube-apiserver"
    )
    assert {path.name for path in tmp_path.iterdir() if path.stat().st_mode & 0o077 == 0} == {"ca.key", "client.key"}


def test_client_twice_keeps_the_ca_unless_it_is_forced(tmp_path: Path) -> None:
    made = []
    for option in ([], [], ["--force"]):
        run("client", "--dir", str(tmp_path), *option)
        made.append((tmp_path / "ca.crt").read_bytes())

    assert made[0] == made[1] != made[2]


def test_a_relative_folder_of_the_api_server_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        run("client", "--host-dir", "pki/numagate")

    assert "'pki/numagate' is no absolute path: the API server takes no other" in capsys.readouterr().err
