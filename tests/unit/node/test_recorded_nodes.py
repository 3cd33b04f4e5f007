"""Files and answers that were recorded on a real node, with a real kubelet, say what they said there."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import recordednode
from recordednode import Recorded

from webhook.cli.main import main


@pytest.fixture
def recorded() -> Iterator[Recorded]:
    """Replay the guest of two NUMA nodes; the path of a socket has to be short."""
    with (
        tempfile.TemporaryDirectory(prefix="n-") as folder,
        recordednode.replayed(recordednode.TWO_NODES, Path(folder)) as found,
    ):
        yield found


def look(recorded: Recorded, capsys: pytest.CaptureFixture[str], output: str = "json") -> str:
    """Let verify look at what was recorded; answer what it prints."""
    file = recorded.root / "pods.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": recorded.pods}), "utf-8")
    arguments = ["verify", "--node", "node-1", "--pods", str(file), "--root", str(recorded.root), "--output", output]
    assert main([*arguments, "--policy", str(recorded.root / "run/look/policy.yaml"), "--interval", "0"]) == 0
    return capsys.readouterr().out


def test_a_recorded_node_is_reported_as_it_was(recorded: Recorded, capsys: pytest.CaptureFixture[str]) -> None:
    report: dict[str, Any] = json.loads(look(recorded, capsys))

    for one in (report, recorded.report):
        del one["instant"]
    assert report == recorded.report


def test_the_recorded_pods_are_what_the_real_kubelet_made_of_them(recorded: Recorded) -> None:
    found = {pod["name"]: pod for pod in recorded.report["pods"]}
    (pinned,), (shared,) = found["pinned"]["containers"], found["shared"]["containers"]

    assert found["pinned"]["outcome"] == "aligned"
    assert (pinned["exclusiveCpus"], pinned["cgroup"]["cpus"], pinned["cgroup"]["cells"]) == ("1-2", "1-2", "0")
    assert shared["exclusiveCpus"] == ""
    assert [cell["cpus"] for cell in recorded.report["machine"]["cells"]] == ["0-3", "4-7"]


@pytest.mark.parametrize("output", ["text", "html"])
def test_both_pages_show_the_recorded_pods(recorded: Recorded, capsys: pytest.CaptureFixture[str], output: str) -> None:
    said = look(recorded, capsys, output)

    for shown in ("default/pinned", "default/shared", "aligned", "1-2", "nvidia.com/gpu"):
        assert shown in said
