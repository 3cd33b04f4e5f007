"""`numagate explain`: its options, outputs and exit codes."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from builders import GPU
from builders import container
from builders import equal
from builders import pod
from explanations import HOSTILE

from webhook.cli.main import main

UNEQUAL = pod(container(**{**equal("8"), "requests": {"cpu": "4", "memory": "32Gi", GPU: "1"}}))
EIGHT = pod(container(**equal("8", "32Gi", 8)))
TRAINING = pod(container(image="registry.example/train:1", **{**equal("8"), "requests": {"cpu": "4"}}))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "a.yaml"


def explain(file: Path, *objects: dict[str, Any], options: tuple[str, ...] = ()) -> int:
    file.write_text(yaml.safe_dump_all(objects), "utf-8")
    return main(["explain", *options, str(file)])


def document(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_text_is_the_default_and_ends_with_0(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(file, pod()) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "generic-2x4: FITS (assumed) the kubelet: admitted" in told
    assert told.endswith("assumed node class generic-2x4; name your own with --profile")


def test_a_misfit_is_explained_all_the_same(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(file, EIGHT) == 0
    assert "DOES NOT FIT" in capsys.readouterr().out


def test_every_named_class_is_explained(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--profile", "dgx-h100", "--profile", "gb200-tray-numa", "--output", "json")
    assert explain(file, pod(), options=options) == 0
    classes = document(capsys)["templates"][0]["classes"]
    assert [one["name"] for one in classes] == ["dgx-h100", "gb200-tray-numa"]


def test_a_pod_is_repaired_unless_it_is_wanted_as_written(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    explain(file, UNEQUAL, options=("--output", "json"))
    repaired = document(capsys)["templates"][0]
    explain(file, UNEQUAL, options=("--output", "json", "--as-written"))
    written = document(capsys)["templates"][0]
    assert ((repaired["repaired"], repaired["qos"]), (written["repaired"], written["qos"])) == (
        (True, "Guaranteed"),
        (False, "Burstable"),
    )


def test_all_accelerator_pods_can_be_governed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    explain(file, TRAINING, options=("--governs", "accelerators", "--output", "json"))
    assert document(capsys)["templates"][0]["repaired"] is True


def test_html_is_one_page(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(file, pod(), options=("--output", "html")) == 0
    told = capsys.readouterr().out
    assert told.startswith("<!DOCTYPE html>\n")
    assert told.endswith("</html>\n")


def test_standard_input_is_read(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(yaml.safe_dump(pod()).encode())))
    assert main(["explain", "-", "--output", "json"]) == 0
    assert document(capsys)["templates"][0]["file"] == "-"


def test_a_policy_file_is_used(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = file.with_name("policy.yaml")
    policy.write_text("apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nmetadata: {name: mine}\nspec: {}\n")
    explain(file, pod(), options=("--policy", str(policy), "--output", "json"))
    assert document(capsys)["summary"]["policy"] == "mine"


def test_the_namespace_of_objects_without_one_can_be_chosen(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    explain(file, {**pod(), "metadata": {"name": "llm"}}, options=("--namespace", "prod", "--output", "json"))
    assert document(capsys)["templates"][0]["namespace"] == "prod"


@pytest.mark.parametrize("columns", ["40", "80"])
def test_the_width_of_the_terminal_is_kept(
    file: Path, columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    explain(file, EIGHT)
    assert max(map(len, capsys.readouterr().out.split("\n"))) <= int(columns)


def test_an_unknown_profile_is_refused_in_one_line(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explain(file, pod(), options=("--profile", "nonsense")) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("output", ["text", "json", "html"])
def test_an_unreadable_document_ends_with_2_and_the_others_are_explained(
    file: Path, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = file.with_name("b.yaml")
    broken.write_text("a: 1\na: 2\n", "utf-8")
    assert explain(file, pod(), options=("--output", output, str(broken))) == 2
    told = capsys.readouterr()
    assert told.err == ""
    assert "generic-2x4" in told.out
    assert "is given twice" in " ".join(told.out.split())


@pytest.mark.parametrize("output", ["text", "json", "html"])
def test_one_hostile_manifest_runs_through_every_output(
    tmp_path: Path, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a\n::error::b.yaml"
    labels = {HOSTILE: HOSTILE, "numagate.io/numa-nodes": HOSTILE}
    named = container(HOSTILE, image=HOSTILE, limits={GPU: "1", "cpu": HOSTILE, HOSTILE: "1"})
    metadata = {"name": HOSTILE, "namespace": HOSTILE, "labels": labels, "annotations": labels}
    hostile = {**pod(named, nodeSelector={HOSTILE: HOSTILE}), "metadata": metadata}
    unknown = {"apiVersion": HOSTILE, "kind": HOSTILE, "metadata": metadata, HOSTILE: {"spec": hostile["spec"]}}
    assert explain(file, hostile, unknown, {"a": [HOSTILE]}, options=("--output", output)) == 0
    told = capsys.readouterr()
    assert (told.err, all(character.isprintable() for character in told.out.replace("\n", ""))) == ("", True)
    assert not any(line.lstrip().startswith("::") for line in told.out.split("\n"))


@pytest.mark.parametrize("output", ["text", "json", "html"])
@pytest.mark.parametrize(
    "content",
    [
        *(b"\x00", b"\xff\xfe", b"{" * 10_000, b"a: &a [*a]", b"'", b"\t", b"{}", b"", b"a: " * 99),
        b'{"spec": {"containers": [[]]}, "kind": "Pod", "apiVersion": "v1"}',
        b"kind: Pod\napiVersion: v1\nspec: 5\n",
        b"kind: Pod\napiVersion: v1\nmetadata: 5\nspec: {containers: {}, initContainers: [1], volumes: x}\n",
        b"kind: Pod\napiVersion: v1\nspec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1e99}}}]}\n",
        b"kind: Pod\napiVersion: v1\nspec: {containers: [{resources: {limits: {nvidia.com/gpu: 1, cpu: 1n}}}, {}]}\n",
    ],
)
def test_no_input_gives_a_traceback(
    file: Path, content: bytes, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_bytes(content)
    assert main(["explain", "--governs", "accelerators", "--output", output, str(file)]) in {0, 2}
    assert capsys.readouterr().err == ""
