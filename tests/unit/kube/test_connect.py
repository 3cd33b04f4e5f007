"""Finding the API server: a kubeconfig, or the pod's own; and what is said where there is none."""

import json
from pathlib import Path

import pytest

from webhook.domain.errors import NumagateError
from webhook.kube.connect import connect


def kubeconfig(path: Path) -> Path:
    """Write a kubeconfig with two contexts."""
    clusters = [{"name": name, "cluster": {"server": f"http://{name}:1"}} for name in ("one", "two")]
    contexts = [{"name": name, "context": {"cluster": name, "user": "me"}} for name in ("one", "two")]
    config = {"clusters": clusters, "contexts": contexts, "users": [{"name": "me", "user": {}}]}
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "Config", "current-context": "one", **config}), "utf-8")
    return path


@pytest.mark.parametrize(("context", "server"), [(None, "http://one:1"), ("two", "http://two:1")])
def test_a_kubeconfig_names_the_server_of_its_context(tmp_path: Path, context: str | None, server: str) -> None:
    assert connect(kubeconfig=kubeconfig(tmp_path / "config"), context=context).server == server


def test_a_kubeconfig_wins_over_the_pods_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")

    assert connect(kubeconfig=kubeconfig(tmp_path / "config")).server == "http://one:1"


def test_an_unknown_context_is_one_line_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(NumagateError) as raised:
        connect(kubeconfig=kubeconfig(tmp_path / "config"), context="three")

    assert "three" in str(raised.value)
    assert "give --kubeconfig FILE" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NumagateError, match="absent"):
        connect(kubeconfig=tmp_path / "absent")


@pytest.mark.parametrize(
    "text",
    [
        "a: [",
        "[]",
        "1",
        "kind: Config\ncurrent-context: a\ncontexts: [{name: a, context: b}]\nclusters: []\nusers: []\n",
        "kind: Config\ncurrent-context: a\ncontexts: a\n",
    ],
)
def test_a_file_that_is_no_kubeconfig_is_named_in_one_line(text: str, tmp_path: Path) -> None:
    torn = tmp_path / "torn"
    torn.write_text(text, encoding="utf-8")

    with pytest.raises(NumagateError, match="torn") as raised:
        connect(kubeconfig=torn)

    assert "\n" not in str(raised.value)


def test_a_pod_without_a_token_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "10.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", "443")

    with pytest.raises(NumagateError, match="the pod's service account cannot be used"):
        connect()
