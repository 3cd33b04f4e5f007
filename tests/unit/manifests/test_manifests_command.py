"""`numagate manifests` on the command line."""

import re
from pathlib import Path

import pytest
import trustme
import yaml

from webhook.cli.main import main
from webhook.manifests.overlays import NAMES


def test_the_folder_is_written_and_then_found_unchanged(tmp_path: Path) -> None:
    folder = str(tmp_path / "m")

    assert main(["manifests", "--output", folder]) == 0
    assert main(["manifests", "--output", folder, "--check"]) == 0


def test_check_tells_what_differs_and_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["manifests", "--output", str(tmp_path)])
    (tmp_path / "base/service.yaml").unlink()

    code = main(["manifests", "--output", str(tmp_path), "--check"])

    assert (code, capsys.readouterr().err) == (1, f"{tmp_path}/base/service.yaml: missing\n")
    assert not (tmp_path / "base/service.yaml").exists()


def test_check_finds_another_policy(tmp_path: Path) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nmetadata: {name: own}\n"
        "spec: {accelerators: {count: [example.com/npu]}}\n"
    )
    folder = str(tmp_path / "m")
    main(["manifests", "--output", folder])

    assert main(["manifests", "--output", folder, "--policy", str(policy), "--check"]) == 1


def test_a_bundle_of_ones_own_contradicts_cert_manager(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["manifests", "--overlay", "observe-cert-manager", "--ca-bundle", str(tmp_path / "ca.crt")])

    assert code == 2
    assert "--ca-bundle: cert-manager fills in caBundle: leave it out" in capsys.readouterr().err


def test_help_leads_to_every_overlay(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["manifests", "--help"])
    option = capsys.readouterr().out.partition("--overlay NAME  ")[2].partition("--namespace")[0]
    told = set(re.findall(r"[a-z-]+", re.sub(r"-\s+", "-", option)))
    ends = tuple(end for end in ("-cert-manager", "-file") if end in told)
    assert [name for name in NAMES if name not in told and not name.endswith(ends)] == []
    assert len(ends) == 2


def test_an_overlay_is_printed_as_one_stream(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["manifests", "--overlay", "enforce"])
    kinds = [document["kind"] for document in yaml.safe_load_all(capsys.readouterr().out)]

    assert code == 0
    assert kinds[0] == "Namespace"
    assert kinds[-2:] == ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"]


@pytest.mark.parametrize(("overlay", "told"), [("enforce", True), ("self-signed", False), ("enforce-file", False)])
def test_a_null_that_kubectl_would_lose_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], overlay: str, told: bool
) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nmetadata: {name: own}\n"
        "spec: {recognition: {labels: {ray.io/serve: null}}}\n"
    )

    main(["manifests", "--overlay", overlay, "--policy", str(policy)])

    line = "policy own: a null in recognition.labels is lost without kubectl apply --server-side\n"
    assert capsys.readouterr().err == line * told


@pytest.mark.parametrize(("overlay", "told"), [("enforce-file", True), ("enforce", False)])
def test_labels_of_namespaces_that_a_policy_in_a_file_never_sees_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], overlay: str, told: bool
) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nmetadata: {name: own}\n"
        "spec: {match: {namespaceSelector: {matchLabels: {tier: gold}}}}\n"
    )

    main(["manifests", "--overlay", overlay, "--policy", str(policy)])

    line = "policy own: its namespaceSelector sees no labels, because with a policy in a file none are known\n"
    assert capsys.readouterr().err == line * told


def test_an_overlay_can_go_to_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "all.yaml"
    main(["manifests", "--overlay", "observe", "--output", str(path)])
    main(["manifests", "--overlay", "observe", "--output", "-"])

    assert path.read_text() == capsys.readouterr().out


def test_address_and_bundle_reach_every_entry(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ca = tmp_path / "ca.crt"
    trustme.CA().cert_pem.write_to_path(ca)

    main(["manifests", "--overlay", "trial", "--url", "https://127.0.0.1:9443", "--ca-bundle", str(ca)])

    documents = list(yaml.safe_load_all(capsys.readouterr().out))
    clients = [entry["clientConfig"] for document in documents for entry in document.get("webhooks", [])]
    assert {client["url"] for client in clients} == {"https://127.0.0.1:9443/mutate", "https://127.0.0.1:9443/validate"}
    assert all(client["caBundle"] for client in clients)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--overlay", "prod"], "numagate: --overlay: 'prod' is no overlay: write one of crds, self-signed, "),
        (["--output", "-"], "numagate: --output -: a folder of files cannot be printed: add --overlay NAME"),
        (["--overlay", "observe", "--check"], "numagate: --check: compares the folder, not one overlay"),
        (["--namespace", "A"], "numagate: --namespace: 'A' is no namespace name"),
        (["--policy", "/none"], "numagate: /none: cannot be read: No such file or directory"),
        (["--overlay", "observe", "--output", "/proc/none"], "numagate: /proc/none: cannot be used: "),
        (["--output", "/proc/none"], "numagate: /proc/none: cannot be used: "),
    ],
)
def test_bad_input_is_one_line_with_a_remedy(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["manifests", *arguments])
    error = capsys.readouterr().err

    assert (code, error.count("\n")) == (2, 1)
    assert error.startswith(message)
