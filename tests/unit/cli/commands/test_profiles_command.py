"""`numagate profiles`: the machine library, and the node classes of files."""

import json
from pathlib import Path
from typing import Any

import pytest

from webhook.cli.main import main
from webhook.sources.machines import FOLDER
from webhook.sources.machines import list_machines
from webhook.sources.machines import load_machine
from webhook.sources.policy_file import load_policy
from webhook.sources.policy_file import load_profiles

PAGE = Path(__file__).parents[4] / "docs" / "machines.md"
TWO = """\
apiVersion: numagate.io/v1alpha1
kind: AlignmentPolicy
metadata: {name: p}
---
# our pool
apiVersion: numagate.io/v1alpha1
kind: NodeProfile
metadata: {name: pool, annotations: {title: Ours}}
spec: {machine: dgx-h100, kubelet: {topologyManagerPolicy: restricted, version: "1.35"}}
---
apiVersion: numagate.io/v1alpha1
kind: NodeProfile
metadata: {name: small}
spec:
  numa: [{id: 0, memory: 8Gi, coreCount: 4, threadsPerCore: 1}]
  devices: {a/b: [{id: x}, {id: y, numa: [0]}]}
"""


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    file = tmp_path / "policy.yaml"
    file.write_text(TWO, "utf-8")
    return file


def listed(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, dict[str, Any]]:
    """Answer what `list` tells as JSON, by name."""
    assert main(["profiles", "list", "--output", "json", *options]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "numagate.io/profiles/v1"
    return {one["name"]: one for one in found["profiles"]}


def test_the_library_is_listed_with_its_shapes_policies_and_other_names(capsys: pytest.CaptureFixture[str]) -> None:
    found = listed(capsys)

    assert tuple(found) == list_machines()
    assert found["generic-2x4"] == {
        "name": "generic-2x4",
        "title": "Two sockets, 8 GPUs, no machine in particular",
        "aliases": ["h100-2x4"],
        "numaNodes": 2,
        "numaNodesWithCPUs": 2,
        "cpus": 192,
        "memory": 2048 << 30,
        "devices": {"nvidia.com/gpu": {"0": 4, "1": 4}},
        "cpuManagerPolicy": "static",
        "memoryManagerPolicy": "Static",
        "topologyManagerPolicy": "single-numa-node",
        "topologyManagerScope": "pod",
        "version": "1.37",
    }


def test_the_page_names_every_field_of_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    page = PAGE.read_text("utf-8")

    assert [field for field in listed(capsys)["generic-2x4"] if f"`{field}`" not in page] == []


def test_the_list_for_people_is_an_aligned_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profiles", "list"]) == 0

    lines = capsys.readouterr().out.splitlines()
    columns = {line.split()[0]: line for line in lines}
    assert len(lines) == 1 + len(list_machines())
    assert lines[0].split() == ["NAME", "NUMA", "CPUS", "MEMORY", "DEVICES", "MANAGERS", "TOPOLOGY", "MACHINE"]
    assert columns["dgx-a100"][lines[0].index("DEVICES") :].startswith("0+2+0+2+0+2+0+2 nvidia.com/gpu  ")
    assert columns["gb200-tray-numa"][lines[0].index("NUMA") :].startswith("34 (2 with CPUs)  144 ")
    assert columns["generic-2x4"].endswith("no machine in particular (also h100-2x4)")


@pytest.mark.parametrize("name", list_machines())
def test_a_shown_machine_can_be_pasted_into_a_policy_file(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["profiles", "show", name]) == 0

    text = capsys.readouterr().out
    file = tmp_path / "pasted.yaml"
    file.write_text(text, "utf-8")
    assert text == (FOLDER / f"{name}.yaml").read_text("utf-8")
    assert repr(load_policy(file).classes) == repr((load_machine(name),))


def test_several_names_and_aliases_are_shown_as_one_stream(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["profiles", "show", "h100-2x4", "dgx-h100"]) == 0

    file = tmp_path / "two.yaml"
    file.write_text(capsys.readouterr().out, "utf-8")
    assert [one.name for one in load_profiles(str(file))] == ["generic-2x4", "dgx-h100"]


def test_the_node_classes_of_a_policy_are_listed_and_shown(policy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = listed(capsys, "--policy", str(policy))

    assert [(one["name"], one["title"], one["topologyManagerPolicy"], one["version"]) for one in found.values()] == [
        ("pool", "Ours", "restricted", "1.35"),
        ("small", "", "none", "1.37"),
    ]
    assert main(["profiles", "list", "--policy", str(policy)]) == 0
    assert "0+0 a/b (+1" not in (table := capsys.readouterr().out)
    assert "1 a/b (+1 of no single NUMA node)" in table
    assert main(["profiles", "show", "pool", "--policy", str(policy)]) == 0
    assert capsys.readouterr().out == TWO.split("---\n")[1]


def test_profiles_replace_the_node_classes_of_the_policy_as_for_lint(
    policy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.yaml"
    other.write_text(TWO.split("---\n")[2], "utf-8")

    found = listed(capsys, "--policy", str(policy), "--profile", "h100-2x4", "--profile", str(other))

    assert [(one["name"], one["aliases"]) for one in found.values()] == [("generic-2x4", ["h100-2x4"]), ("small", [])]
    assert main(["profiles", "show", "h100-2x4", "--profile", "generic-2x4"]) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("show", "dgx-h10"), 'numagate: "dgx-h10" is no machine of the library: did you mean dgx-h100?\n'),
        (("show", "pol", "--policy", "{policy}"), '{policy}: "pol" is no node class there: did you mean pool?\n'),
        (("show", "dgx-h100", "--profile", "generic-2x4"), 'generic-2x4: "dgx-h100" is no node class there: write one'),
        (("list", "--policy", "{folder}/none.yaml"), "{folder}/none.yaml: cannot be read: No such file or directory\n"),
        (("list", "--profile", "dgx-h10"), '"dgx-h10" is no machine of the library: did you mean dgx-h100?\n'),
        (("list", "--profile", "{policy}"), "AlignmentPolicy is no profile: give a policy with --policy\n"),
        (("list", "--policy", "{folder}/bare.yaml"), "bare.yaml: no NodeProfile in it: write at least one, or name"),
    ],
)
def test_what_is_not_there_is_bad_input_in_one_line(
    arguments: tuple[str, ...], message: str, policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = {"policy": policy, "folder": policy.parent}
    policy.with_name("bare.yaml").write_text(TWO.split("---\n", maxsplit=1)[0], "utf-8")

    assert main(["profiles", *(argument.format(**names) for argument in arguments)]) == 2

    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert message.format(**names) in told.err


def test_what_a_terminal_would_obey_is_made_visible_and_tabs_are_kept(
    policy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy.write_text(TWO.replace("# our pool", "# our\t\u202epool"), "utf-8")

    assert main(["profiles", "show", "pool", "--policy", str(policy)]) == 0
    assert capsys.readouterr().out.startswith("# our\t\\u202epool\n")
