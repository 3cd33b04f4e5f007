"""`numagate policy`: which one governs a pod, and all of them in their order."""

import json
from datetime import UTC
from datetime import datetime
from pathlib import Path

import pytest

from webhook.cli.main import main
from webhook.sources.snapshot import Content
from webhook.sources.snapshot import encode

HEAD = "apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\n"
POLICIES = f"""\
{HEAD}metadata: {{name: default}}
spec: {{exemptions: {{rules: [{{reason: "old\\e[31m", until: "2020-01-01T00:00:00Z", namespaces: [team-*]}}]}}}}
---
{HEAD}metadata: {{name: gold}}
spec: {{priority: 3, match: {{namespaces: [gold-*]}}, modes: {{enforce: none}}}}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: llm, namespace: team-a}
spec: {containers: [{name: server, image: vllm, resources: {limits: {nvidia.com/gpu: 1}}}]}
"""


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "policies.yaml").write_text(POLICIES, "utf-8")
    (tmp_path / "pod.yaml").write_text(POD, "utf-8")
    return str(tmp_path / "policies.yaml"), str(tmp_path / "pod.yaml")


def test_which_says_policy_modes_and_what_was_passed_over(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    policies, pod = files
    assert main(["policy", "which", pod, "--policy", policies]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"Pod llm  spec, {pod} line 4",
        "    policy default in namespace team-a: enforce aligned, repair aligned, warn aligned, audit aligned",
        "    the exemption by namespace in policy default ended at 2020-01-01T00:00:00Z: ask for a new one",
        "    not gold: namespace team-a is none of gold-*",
    ]


def test_which_in_another_namespace_as_json(files: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    policies, pod = files
    text = Path(pod).read_text("utf-8").replace(", namespace: team-a", "")
    Path(pod).write_text(text, "utf-8")
    assert main(["policy", "which", pod, "--policy", policies, "--namespace", "gold-1", "--output", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["pods"]
    assert (found["policy"], found["modes"]["enforce"], found["exemption"]) == ("gold", "none", None)
    assert found["passedOver"] == [{"policy": "default", "why": "matches as well, but its priority is 0"}]


def test_list_shows_the_order_and_exemptions_that_are_over(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["policy", "list", "--policy", files[0]]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition("  ")[0] for line in lines if not line.startswith(" ")] == ["gold", "default"]
    assert [line for line in lines if line.startswith("    for ")] == [
        "    for namespaces gold-*",
        "    for everything",
    ]
    assert lines[-1] == "    exempt until 2020-01-01T00:00:00Z (over: it no longer holds): team-*: old\\x1b[31m"
    main(["policy", "list", "--policy", files[0], "--output", "json"])
    (_, default) = json.loads(capsys.readouterr().out)["policies"]
    assert default["exemptions"][0]["expired"] is True


def test_what_cannot_be_read_is_said_and_ends_with_two(
    files: tuple[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "broken.yaml").write_text("a: [", "utf-8")
    assert main(["policy", "which", str(tmp_path / "broken.yaml"), files[1]]) == 2
    told = capsys.readouterr()
    assert told.out.startswith("Pod llm")
    assert "broken.yaml" in told.err


def test_a_world_without_policies_is_told_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "world.json").write_bytes(encode(Content([], [], {}), datetime(2026, 11, 30, tzinfo=UTC)))
    assert main(["policy", "list", "--world", str(tmp_path / "world.json")]) == 0
    assert capsys.readouterr().out == "there is no policy: nothing is judged\n"
