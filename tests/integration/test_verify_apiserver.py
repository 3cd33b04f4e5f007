"""`numagate verify` with the pods of a real API server, on a node of files whose kubelet answers by a real socket."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from builders import GPU
from builders import container
from builders import equal
from controlplane.cluster import ControlPlane
from controlplane.identity import ADMIN
from controlplane.identity import SERVING
from fakekubelet import container as granted
from fakekubelet import devices
from fakekubelet import listing
from fakekubelet import memory
from fakekubelet import pod as listed
from fakekubelet import serving
from nodepods import NODE
from nodepods import running_pod
from nodetree import two_sockets

from webhook.cli.main import main
from webhook.node.readers import pod_resources_api as api

CPUS = "4-5,12-13"
CONFIG = """
kind: KubeletConfiguration
cpuManagerPolicy: static
memoryManagerPolicy: Static
topologyManagerPolicy: single-numa-node
"""


@pytest.fixture
def places(tmp_path: Path, namespace: str) -> Iterator[list[str]]:
    """Make a node on which the pod llm-0 of the test's namespace runs; answer the options that name its places."""
    tree = two_sockets(tmp_path)
    path = tree.container(cpus=CPUS, effective_cpus=CPUS, cells="1", effective_cells="1")
    tree.process(70, path, cpus=CPUS, cells="1", maps="7f00 default anon=9 N1=9 kernelpagesize_kB=4")
    with (
        tempfile.TemporaryDirectory(prefix="kubelet") as folder,
        serving(Path(folder) / "pod-resources" / "kubelet.sock") as kubelet,
    ):
        given = granted(
            cpu_ids=[4, 5, 12, 13], memory=[memory("memory", 1 << 35, 1)], devices=[devices(GPU, "GPU-4", cells=(1,))]
        )
        kubelet.answers[api.LIST] = listing(listed("llm-0", given, namespace=namespace))
        (Path(folder) / "config.yaml").write_text(CONFIG)
        yield ["--root", str(tmp_path), "--kubelet-dir", folder, "--interval", "0", "--output", "json"]


def run(control_plane: ControlPlane, *arguments: str, user: str = ADMIN) -> int:
    return main(["verify", "--node", NODE, "--kubeconfig", str(control_plane.kubeconfig(user)), *arguments])


def test_the_pods_of_the_node_come_from_the_api_server(
    control_plane: ControlPlane, namespace: str, places: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    made = running_pod("llm-0", container(**equal("4", "32Gi")))
    elsewhere = running_pod("llm-1", container(**equal("4", "32Gi")))
    elsewhere["spec"]["nodeName"] = "another-node"
    for one in (made, elsewhere):
        one["metadata"] = {"name": one["metadata"]["name"], "namespace": namespace}
        control_plane.kubectl("create", "-f", "-", input=one)
    patch = json.dumps({"status": made["status"]})
    control_plane.kubectl("patch", "pod", "llm-0", "-n", namespace, "--subresource=status", "--type=merge", "-p", patch)

    assert run(control_plane, *places) == 0
    (found,) = json.loads(capsys.readouterr().out)["pods"]
    assert (found["namespace"], found["name"], found["outcome"]) == (namespace, "llm-0", "aligned")


def test_a_node_that_is_not_in_the_cluster_is_no_node_without_pods(
    control_plane: ControlPlane, places: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(control_plane, "--node", "gpu-typo", *places) == 2
    assert capsys.readouterr().err == 'numagate: no node "gpu-typo" in the cluster: name it with --node\n'


def test_who_may_not_list_pods_cannot_look(
    control_plane: ControlPlane, places: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(control_plane, *places, user=SERVING) == 2
    assert "cannot list resource" in capsys.readouterr().err
