"""The kubelet's configuration is read from /configz if it answered, else from its file."""

from pathlib import Path

import pytest

from webhook.node.readers.kubelet_file import read_kubelet


def test_the_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text('kind: KubeletConfiguration\ncpuManagerPolicy: static\nevictionHard: {memory.available: "50%"}\n')

    found = read_kubelet(file, None, memory=1 << 20, version=(1, 35))

    assert found.settings.cpu_manager_policy == "static"
    assert str(found.settings.node_allocatable_reservation["memory"]) == "512Ki"
    assert found.settings.version == (1, 35)


def test_json_will_do(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text('{"kind": "KubeletConfiguration", "topologyManagerScope": "pod"}')

    assert read_kubelet(file, None, memory=None, version=None).settings.topology_manager_scope == "pod"


def test_what_configz_answered_comes_first(tmp_path: Path) -> None:
    answer = {"kubeletconfig": {"memoryManagerPolicy": "Static"}}

    assert read_kubelet(tmp_path / "none", answer, memory=None, version=None).settings.memory_manager_policy == "Static"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "holds 0 documents, not one KubeletConfiguration"),
        ("a: 1\n---\nb: 2\n", "holds 2 documents"),
        ("[1]", "a document must be a map"),
        (
            "apiVersion: v1\nkind: Config\nclusters: []\n",
            "config.yaml is a Config, not a KubeletConfiguration: give the kubelet's own file by --kubelet-config",
        ),
        ("a: [", "config.yaml:"),
        ("kubeReserved: {cpu: x}", "config.yaml:1: kubeReserved.cpu: 'x' is not a quantity"),
    ],
)
def test_what_cannot_be_understood_is_told_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(text)

    with pytest.raises(ValueError, match=r"config\.yaml") as caught:
        read_kubelet(file, None, memory=None, version=None)
    assert told in str(caught.value)


def test_a_file_is_read_as_the_kubelet_reads_yaml(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(
        "apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nsystemReserved: {memory: 1e9}\n",
        encoding="utf-8",
    )

    with pytest.raises(ValueError, match="systemReserved"):
        read_kubelet(file, None, memory=1 << 30, version=(1, 37))
