"""`numagate serve`: its options, and how it refuses to start."""

import argparse
from pathlib import Path

import pytest
from serving import issue

from webhook.cli.commands.serve import COMMAND
from webhook.domain.errors import NumagateError
from webhook.tls.pair import CertificateError


def parse(*arguments: str) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser()
    COMMAND.configure(parser)
    return parser.parse_args(arguments)


def test_the_defaults_are_those_of_the_manifests() -> None:
    assert vars(parse()) == {
        "policy": None,
        "profile": [],
        "world": None,
        "world_object": None,
        "kubeconfig": None,
        "context": None,
        "cert_dir": Path("certs"),
        "bind": "",
        "port": 8443,
        "probe_port": 8081,
        "tls_min_version": "1.2",
        "client_ca": None,
        "client_name": [],
        "namespace": "numagate-system",
        "drain_seconds": 15.0,
        "log_level": "info",
    }


def test_profiles_add_up() -> None:
    assert parse("--profile", "generic-2x4", "--profile", "mine.yaml").profile == ["generic-2x4", "mine.yaml"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--port=-1"], "'-1' is no port: use 0 to 65535"),
        (["--port=65536"], "'65536' is no port: use 0 to 65535"),
        (["--probe-port=http"], "'http' is no port: use 0 to 65535"),
        (["--drain-seconds=nan"], "'nan' is no time in seconds: use 0 to 3600"),
        (["--drain-seconds=long"], "'long' is no time in seconds: use 0 to 3600"),
        (["--tls-min-version=1.1"], "invalid choice: '1.1'"),
        (["--world=w.json", "--policy=p.yaml"], "argument --policy: not allowed with argument --world"),
        (["--world=w.json", "--world-object=a/b"], "argument --world-object: not allowed with argument --world"),
        (["--world-object=world"], "'world' names no object: write NAMESPACE/NAME"),
        (["--world-object=a/b/c"], "'a/b/c' names no object: write NAMESPACE/NAME"),
    ],
)
def test_a_bad_option_is_told_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        parse(*arguments)

    assert caught.value.code == 2
    assert message in capsys.readouterr().err


def test_without_certificates_it_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(CertificateError, match="numagate certs issue"):
        COMMAND.run(parse("--cert-dir", str(tmp_path)))


def test_names_of_clients_without_a_ca_would_let_in_everybody() -> None:
    with pytest.raises(NumagateError, match="without --client-ca anybody may: add --client-ca FILE"):
        COMMAND.run(parse("--client-name=kube-apiserver"))


def test_without_the_clients_ca_it_does_not_start(tmp_path: Path) -> None:
    issue(tmp_path)

    with pytest.raises(CertificateError, match="numagate certs client, or mount the Secret there"):
        COMMAND.run(parse("--cert-dir", str(tmp_path), "--client-ca", str(tmp_path / "absent.crt")))


def test_profiles_do_not_go_with_a_snapshot() -> None:
    with pytest.raises(NumagateError, match="leave --profile out"):
        COMMAND.run(parse("--world=world.json", "--profile=generic-2x4"))


def test_a_snapshot_that_is_watched_needs_an_api_server(tmp_path: Path) -> None:
    with pytest.raises(NumagateError, match="give --kubeconfig FILE"):
        COMMAND.run(parse("--world-object=ours/world", f"--kubeconfig={tmp_path / 'absent'}"))
