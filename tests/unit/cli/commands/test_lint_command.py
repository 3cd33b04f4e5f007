"""`numagate lint`: its options, output and exit codes."""

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

from webhook.cli.main import main

UNEQUAL = pod(container(**{**equal("8"), "requests": {"cpu": "4", "memory": "32Gi", GPU: "1"}}))
HOSTILE = "\x1b[2J\n::error::x\r##vso[a]y\u202e[red]<b>\U0001f600"
LEVELS = {"numagate.io/enforce": HOSTILE}
TRAINING = pod(container(image="registry.example/train:1", limits={GPU: "1"}))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "a.yaml"


def lint(file: Path, *objects: dict[str, Any], options: tuple[str, ...] = ()) -> int:
    file.write_text(yaml.safe_dump_all(objects), "utf-8")
    return main(["lint", *options, str(file)])


def report(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_a_good_pod_ends_with_0_and_the_assumption_is_told(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(file, pod()) == 0
    assert "assumed node class generic-2x4; name your own with --profile" in capsys.readouterr().out


def test_a_pod_to_repair_ends_with_1(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(file, UNEQUAL) == 1
    assert "requests[cpu]: 8  (was 4)" in capsys.readouterr().out


def test_an_unreadable_document_ends_with_2_and_the_others_are_judged(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = file.with_name("b.yaml")
    broken.write_text("a: 1\na: 2\n", "utf-8")
    assert lint(file, UNEQUAL, options=("--output", "json", str(broken))) == 2
    told = report(capsys)
    message = "key 'a' is given twice: first on line 1"
    assert told["errors"] == [{"file": str(broken), "document": 0, "line": 2, "message": message}]
    assert [result["decision"] for result in told["results"]] == ["repair"]


def test_a_warning_ends_with_1_only_if_strict(file: Path) -> None:
    assert (lint(file, TRAINING), lint(file, TRAINING, options=("--strict",))) == (0, 1)


def test_all_accelerator_pods_can_be_governed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(file, TRAINING, options=("--governs", "accelerators", "--output", "json")) == 1
    assert report(capsys)["results"][0]["decision"] == "repair"


def test_a_profile_from_the_library_is_no_assumption(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(file, pod(), options=("--profile", "h100-2x4", "--output", "json")) == 0
    told = report(capsys)
    assert (told["summary"]["assumedClasses"], len(told["results"][0]["classes"])) == ([], 1)


def test_two_profiles_of_one_name_are_refused(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(file, pod(), options=("--profile", "generic-2x4", "--profile", "generic-2x4")) == 2
    assert capsys.readouterr().err.startswith("numagate: generic-2x4: a second node class is named generic-2x4")


def test_an_unknown_profile_is_refused_in_one_line(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lint(file, pod(), options=("--profile", "nonsense")) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_policy_without_profiles_assumes_no_class(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = file.with_name("policy.yaml")
    policy.write_text("apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nmetadata: {name: mine}\nspec: {}\n")
    assert lint(file, pod(), options=("--policy", str(policy), "--output", "json")) == 0
    told = report(capsys)
    assert (told["summary"]["policy"], told["summary"]["assumedClasses"]) == ("mine", [])
    assert told["results"][0]["classes"] == []


def test_the_namespace_of_objects_without_one_can_be_chosen(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare = {**pod(), "metadata": {"name": "llm"}}
    lint(file, bare, options=("--namespace", "kube-system", "--output", "json"))
    assert report(capsys)["results"][0]["namespace"] == "kube-system"


def test_standard_input_is_read(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(yaml.safe_dump(pod()).encode())))
    assert main(["lint", "-", "--output", "json"]) == 0
    assert report(capsys)["results"][0]["file"] == "-"


def test_the_output_formats_of_the_option_are_those_of_the_registry(capsys: pytest.CaptureFixture[str]) -> None:
    from webhook.cli.wiring import load_formats  # noqa: PLC0415 - what lint itself does only when it runs

    with pytest.raises(SystemExit):
        main(["lint", "--help"])
    assert f"{{{','.join(sorted(load_formats()))}}}" in capsys.readouterr().out


@pytest.mark.parametrize("output", ["text", "json"])
def test_one_hostile_manifest_runs_through_every_format(
    tmp_path: Path, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a\n::error::b.yaml"
    labels = {HOSTILE: HOSTILE, "numagate.io/numa-nodes": HOSTILE}
    named = container(HOSTILE, image=HOSTILE, limits={GPU: "1", "cpu": HOSTILE, HOSTILE: "1"})
    metadata = {"name": HOSTILE, "namespace": HOSTILE, "labels": labels, "annotations": labels}
    hostile = {**pod(named, nodeSelector={HOSTILE: HOSTILE}), "metadata": metadata}
    unknown = {"apiVersion": HOSTILE, "kind": HOSTILE, "metadata": metadata, HOSTILE: {"spec": hostile["spec"]}}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": HOSTILE, "labels": LEVELS}}
    assert lint(file, hostile, unknown, namespace, {"a": [HOSTILE]}, options=("--output", output)) == 1
    told = capsys.readouterr()
    assert (told.err, all(character.isprintable() for character in told.out.replace("\n", ""))) == ("", True)
    assert not any(line.lstrip().startswith("::") for line in told.out.split("\n"))


@pytest.mark.parametrize(
    "content",
    [
        *(b"\x00", b"\xff\xfe", b"{" * 10_000, b"[" * 10_000, b"a: &a [*a]", b"- " * 5000, b"'", b"\t", b"{}"),
        b"a: " * 99,
        b'{"spec": {"containers": [[]]}, "kind": "Pod", "apiVersion": "v1"}',
        b"kind: Pod\napiVersion: v1\nspec: 5\n",
        b"kind: Pod\napiVersion: v1\nmetadata: 5\nspec: {containers: {}, initContainers: [1], volumes: x}\n",
    ],
)
def test_no_input_gives_a_traceback(file: Path, content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(content)
    assert main(["lint", str(file)]) in {0, 1, 2}
    assert capsys.readouterr().err == ""
