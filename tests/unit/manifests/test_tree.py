"""The folder: its files, and what --check finds in it."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from webhook.manifests.settings import Settings
from webhook.manifests.tree import differences
from webhook.manifests.tree import files
from webhook.manifests.tree import kustomization
from webhook.manifests.tree import write

REPOSITORY = Path(__file__).parents[3]


def test_the_folder_in_the_repository_is_what_the_code_renders(settings: Settings) -> None:
    assert differences(REPOSITORY / "manifests", files(settings)) == []


def test_every_file_says_where_it_comes_from(settings: Settings) -> None:
    made = files(settings)
    says = "Rendered by `numagate manifests`"
    documents = [text for name, text in made.items() if name.endswith(".yaml") and "policies" not in name]

    assert {text.splitlines()[0] for text in documents} == {
        f"# {says}: change the code or the policy, not this file.",
    }
    assert [name for name, text in made.items() if says not in text] == []


def test_every_file_that_an_index_names_is_there(settings: Settings) -> None:
    made = kustomization(settings)
    missing = [
        (name, entry)
        for name, text in made.items()
        if name.endswith("/kustomization.yaml")
        for entry in yaml.safe_load(text).get("resources", [])
        if not entry.startswith("../") and f"{name.rpartition('/')[0]}/{entry}" not in made
    ]

    assert missing == []


def test_a_written_folder_has_no_differences(settings: Settings, tmp_path: Path) -> None:
    write(tmp_path, kustomization(settings))

    assert differences(tmp_path, kustomization(settings)) == []


def test_missing_changed_and_foreign_files_are_told_apart(settings: Settings, tmp_path: Path) -> None:
    made = kustomization(settings)
    write(tmp_path, made)
    (tmp_path / "base/service.yaml").unlink()
    (tmp_path / "base/optout.yaml").write_bytes(made["base/optout.yaml"].replace("\n", "\r\n").encode())
    (tmp_path / "overlays/own.yaml").write_text("")

    assert differences(tmp_path, made) == [
        "base/optout.yaml: differs",
        "base/service.yaml: missing",
        "overlays/own.yaml: not part of the rendering",
    ]


def test_what_lies_beside_the_rendering_is_no_difference(settings: Settings, tmp_path: Path) -> None:
    write(tmp_path, kustomization(settings))
    (tmp_path / "dashboards").mkdir()
    (tmp_path / "dashboards/numagate.json").write_text("{}")

    assert differences(tmp_path, kustomization(settings)) == []


def test_an_empty_folder_misses_everything(settings: Settings, tmp_path: Path) -> None:
    assert len(differences(tmp_path, kustomization(settings))) == len(kustomization(settings))


def test_the_bundle_is_a_file_of_the_component_only_where_it_is_known(settings: Settings) -> None:
    name = "components/self-signed/ca-bundle.yaml"

    assert (name in kustomization(settings), name in kustomization(replace(settings, ca_bundle=b"PEM"))) == (
        False,
        True,
    )


@pytest.mark.parametrize("mode", ["observe", "trial", "enforce"])
def test_certificates_come_behind_the_webhooks_that_they_change(settings: Settings, mode: str) -> None:
    index = yaml.safe_load(kustomization(settings)[f"overlays/{mode}/kustomization.yaml"])

    assert index["components"][-2:] == [f"../../components/{mode}", "../../components/managed"]


@pytest.mark.parametrize("name", ["trial-file", "enforce-file", "observe-file"])
def test_the_policy_of_a_file_is_patched_behind_the_server_that_mounts_it(settings: Settings, name: str) -> None:
    index = yaml.safe_load(kustomization(settings)[f"overlays/{name}/kustomization.yaml"])

    assert index["components"][0] == "../../components/policy-file"
    assert index["components"][1].startswith("../../components/policy-file-")


def test_rendering_twice_gives_the_same_bytes(settings: Settings) -> None:
    assert kustomization(settings) == kustomization(settings)
