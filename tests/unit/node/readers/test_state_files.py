"""Checkpoints of the CPU and memory manager, in the form before 1.37 and since."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st
from nodetree import NodeTree
from strategies import json_values

from webhook.domain.observation import StateFile
from webhook.node.readers.files import Gaps
from webhook.node.readers.state_files import read_state_files

CPU = {"policyName": "static", "defaultCpuSet": "0-1,8-9", "entries": {"uid": {"server": "2-3"}}, "checksum": 5}
MEMORY = {"policyName": "Static", "machineState": {"0": {"cells": [0]}}, "entries": {}, "checksum": 7}


def newer(content: dict[str, Any]) -> dict[str, Any]:
    """Write a checkpoint as 1.37 does: its content as text, and beside it what older kubelets read."""
    return {**content, "policyName": "for older ones", "data": json.dumps(content), "dataChecksum": 9}


def read(tree: NodeTree, **written: Any) -> tuple[StateFile, ...]:
    """Read the state files with this content, all of which can be read."""
    for name, content in written.items():
        tree.write(f"var/lib/kubelet/{name}", content if isinstance(content, bytes) else json.dumps(content))
    gaps = Gaps()
    found = read_state_files(tree.roots.kubelet, gaps)
    assert gaps.unread == ()
    return found


@pytest.mark.parametrize("form", [dict, newer])
def test_policy_and_default_set_are_read(tmp_path: Path, form: Any) -> None:
    found = read(NodeTree(tmp_path), cpu_manager_state=form(CPU), memory_manager_state=form(MEMORY))

    assert found == (
        StateFile("cpu_manager_state", "static", 0b11_0000_0011, 0b1100),
        StateFile("memory_manager_state", "Static", None),
    )


def test_the_file_of_a_policy_that_pins_nothing_is_read(tmp_path: Path) -> None:
    written = {"policyName": "none", "defaultCpuSet": "", "checksum": 1353318690}

    assert read(NodeTree(tmp_path), cpu_manager_state=written) == (StateFile("cpu_manager_state", "none", 0, 0),)


def test_what_was_given_to_containers_and_to_pods_is_read(tmp_path: Path) -> None:
    entries = {"one": {"a": "4", "b": "5-6"}, "two": {"c": "6"}}
    written = {**CPU, "entries": entries, "podEntries": {"three": {"cpuSet": "7"}}}
    (found,) = read(NodeTree(tmp_path), cpu_manager_state=newer(written))

    assert found.given_cpus == 0b1111_0000


def test_a_manager_that_never_ran_has_left_nothing(tmp_path: Path) -> None:
    assert read(NodeTree(tmp_path)) == ()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "is no JSON: "),
        ("", "is no JSON: "),
        (b"\0\xff", "is no JSON: "),
        ("[]", "is no checkpoint of the kubelet"),
        ('{"data": "["}', "is no JSON: "),
        ('{"data": "5"}', "is no checkpoint of the kubelet"),
        ("[" * 100_000, "is no checkpoint of the kubelet"),
        ('{"defaultCpuSet": "x"}', "cpu_manager_state: defaultCpuSet: 'x' is no CPU"),
        ('{"entries": {"uid": {"server": "y"}}}', "cpu_manager_state: entries: 'y' is no CPU"),
        ('{"podEntries": {"uid": {"cpuSet": "z"}}}', "cpu_manager_state: podEntries: 'z' is no CPU"),
    ],
)
def test_a_file_that_is_no_checkpoint_is_said(tmp_path: Path, content: str | bytes, reason: str) -> None:
    tree = NodeTree(tmp_path)
    tree.write("var/lib/kubelet/cpu_manager_state", content)
    gaps = Gaps()

    assert read_state_files(tree.roots.kubelet, gaps) == ()
    assert reason in gaps.reason("cpu_manager_state")


def test_a_file_that_cannot_be_opened_says_nothing_about_what_is_in_it(tmp_path: Path) -> None:
    tree = NodeTree(tmp_path)
    (tree.roots.kubelet / "cpu_manager_state").mkdir()
    gaps = Gaps()

    assert read_state_files(tree.roots.kubelet, gaps) == ()
    assert [one.field for one in gaps.unread] == ["state_files"]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> NodeTree:
    """Make one tree for all examples."""
    return NodeTree(tmp_path_factory.mktemp("broken"))


@settings(max_examples=50)
@given(
    json_values.map(json.dumps) | st.text(max_size=40),
    json_values,
    st.sampled_from(("data", "defaultCpuSet", "entries", "podEntries")),
)
def test_no_content_raises(tree: NodeTree, text: str, value: Any, key: str) -> None:
    for content in (text, json.dumps({"policyName": value, key: value}), json.dumps({key: text})):
        tree.write("var/lib/kubelet/cpu_manager_state", content.encode("utf-8", "surrogatepass"))
        gaps = Gaps()

        assert bool(read_state_files(tree.roots.kubelet, gaps)) != bool(gaps.unread)
