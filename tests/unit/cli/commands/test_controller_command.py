"""`numagate controller`: its options, which are those of the manifests, and how it refuses to start."""

import argparse
from pathlib import Path

import pytest

from webhook.cli.commands.controller import COMMAND
from webhook.domain.errors import NumagateError
from webhook.manifests.choices import read_settings
from webhook.manifests.controller import controller


def parse(*arguments: str) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser()
    COMMAND.configure(parser)
    return parser.parse_args(arguments)


def test_the_defaults_are_these() -> None:
    assert vars(parse()) == {
        "kubeconfig": None,
        "context": None,
        "namespace": "numagate-system",
        "world": "numagate-world",
        "lease": "numagate-controller",
        "identity": "",
        "tls_secret": "",
        "tls_name": [],
        "cert_dir": Path("certs"),
        "bind": "",
        "port": 8443,
        "probe_port": 8081,
        "tls_min_version": "1.2",
        "client_ca": None,
        "client_name": [],
        "drain_seconds": 5.0,
        "log_level": "info",
    }


def test_the_manifests_give_options_that_it_has() -> None:
    (deployment,) = [one for one in controller(read_settings()) if one["kind"] == "Deployment"]
    _, *arguments = deployment["spec"]["template"]["spec"]["containers"][0]["args"]

    assert parse(*arguments).cert_dir == Path("/etc/numagate/tls")


def test_without_an_api_server_it_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(NumagateError, match="give --kubeconfig FILE"):
        COMMAND.run(parse(f"--kubeconfig={tmp_path / 'absent'}"))
