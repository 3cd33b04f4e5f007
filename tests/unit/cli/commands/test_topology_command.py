"""`numagate topology`: the classes of a cluster, as a table, in full and as JSON."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from nodeobjects import GIB
from nodeobjects import Object
from nodeobjects import node
from nodeobjects import nvidia_device
from nodeobjects import profile
from nodeobjects import resource_slice
from nodeobjects import rte_report
from nodeobjects import zone

from webhook.cli.main import main

P5 = {"node.kubernetes.io/instance-type": "p5.48xlarge"}


def cluster() -> list[Object]:
    """Write four nodes that agree, one that does not, one of unknown topology, and a profile."""
    names = [f"node-{number}" for number in range(5)]
    nodes = [node(name, labels=P5, cpu=192, memory=2048 * GIB, gpus=8) for name in names]
    odd = rte_report(names[4], [zone(0, nvidia=6), zone(1, nvidia=2)])
    part = profile("our-kubelet", P5, kubelet={"topologyManagerScope": "container"})
    return [*nodes, *map(rte_report, names[:4]), odd, node("other"), part]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    written = tmp_path / "cluster.json"
    written.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": cluster()}), "utf-8")
    return written


def shown(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    """Run the command and answer what it prints."""
    assert main(["topology", *arguments]) == code
    return capsys.readouterr().out


def test_the_table_has_a_line_for_each_class_and_says_what_is_not_known(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = shown(capsys, str(file)).splitlines()

    assert [line.split()[:2] for line in lines[:3]] == [
        ["CLASS", "NODES"],
        ["p5.48xlarge", "4"],
        ["p5.48xlarge-2", "1"],
    ]
    assert lines[1].split("  ")[-1] == "yes"
    assert "2 x (96 CPUs, 1024Gi)" in lines[1]
    assert lines[4].startswith("unknown: 1 node (other): no report, no slices, no profile")
    assert lines[5] == "outlier: p5.48xlarge-2 has the labels of p5.48xlarge, but another topology"


def test_verbose_tells_source_conflict_doubt_and_age(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, str(file), "--verbose")

    for expected in (
        "p5.48xlarge: 4 nodes (node-0, node-1, node-2, …)",
        "  trusted: no, reported by 1 node, 3 are wanted; it warns and relaxes only",
        "  outlier: most nodes of these labels are p5.48xlarge",
        "  conflict: kubelet.topologyManagerScope: container by NodeProfile, not pod by NodeResourceTopology",
        "  conflict: devices.nvidia.com/gpu: 6+2 by NodeResourceTopology, not 4+4 by node labels",
        "  assumed: numa.threadsPerCore: threads per core as in aws-p5-48xlarge of the library",
        "    90 cpu, 940Gi memory, 4 nvidia.com/gpu",
        "  labels: kubernetes.io/arch=amd64, node.kubernetes.io/instance-type=p5.48xlarge",
    ):
        assert f"\n{expected}\n" in text
    assert "ago:\n" in text


def test_json_has_the_classes_of_the_snapshot_and_what_is_known_about_them(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found: dict[str, Any] = json.loads(shown(capsys, str(file), "--output", "json"))

    assert (found["schema"], found["nodes"]) == ("numagate.io/topology/v1", 6)
    assert [(one["name"], one["nodes"], one["trusted"]) for one in found["classes"]] == [
        ("p5.48xlarge", 4, True),
        ("p5.48xlarge-2", 1, False),
    ]
    assert found["classes"][1]["outlierOf"] == "p5.48xlarge"
    assert found["classes"][0]["conflicts"] == [
        {
            "field": "kubelet.topologyManagerScope",
            "kept": "container",
            "keptSource": "NodeProfile",
            "other": "pod",
            "otherSource": "NodeResourceTopology",
        }
    ]
    assert [(one["nodes"], one["examples"]) for one in found["unknown"]] == [(1, ["other"])]


def test_a_snapshot_is_shown_too(tmp_path: Path, file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    classes = json.loads(shown(capsys, str(file), "--output", "json"))["classes"]
    kept = [{key: one[key] for key in ("name", "spec", "nodes", "trusted", "sources")} for one in classes]
    world = tmp_path / "world.json"
    world.write_text(json.dumps({"apiVersion": "numagate.io/v1alpha1", "kind": "World", "classes": kept}), "utf-8")

    assert shown(capsys, "--world", str(world)).splitlines()[1].split()[:2] == ["p5.48xlarge", "4"]


def test_claims_are_told_by_driver(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "one.json"
    slices = resource_slice("gpu.nvidia.com", [nvidia_device(index, index // 4) for index in range(8)])
    file.write_text(json.dumps({"kind": "List", "items": [node(), rte_report(), slices]}), "utf-8")

    assert "  claims: gpu.nvidia.com hands out 4+4\n" in shown(capsys, str(file), "--verbose")


def test_an_input_that_cannot_be_read_is_told_and_the_rest_is_shown(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["topology", str(file), str(file.parent / "missing.yaml")]) == 2
    told = capsys.readouterr()

    assert "missing.yaml: No such file or directory" in told.err
    assert "p5.48xlarge" in told.out


def test_nothing_but_unreadable_input_shows_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, str(tmp_path / "missing.yaml"), code=2) == ""


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text = json.dumps({"kind": "NodeResourceTopologyList", "apiVersion": "topology.node.k8s.io/v1alpha2", "items": []})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    assert main(["topology", "-"]) == 2
    assert "no Node, report about one, or NodeProfile in it" in capsys.readouterr().err


def test_no_class_is_said_plainly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "nodes.json"
    file.write_text(json.dumps(node("a\x1b[31m")), "utf-8")

    out = shown(capsys, str(file))

    assert out.startswith("no node class is known\n")
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "one of the arguments FILE --world is required"),
        (("--minimum", "0", "-"), "0 is no number of nodes: write 1 to 1000"),
    ],
)
def test_wrong_options_are_told(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["topology", *arguments])
    assert message in capsys.readouterr().err
