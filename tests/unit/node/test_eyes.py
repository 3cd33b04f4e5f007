"""One look after the other: the use of CPUs is told from the second on."""

from pathlib import Path

from inventories import survey_of
from nodeobjects import GIB
from nodeobjects import node
from nodepods import NODE
from nodepods import running_pod
from nodetree import two_sockets

from webhook.domain.node_alignment import document
from webhook.node.eyes import Eyes


def test_the_second_look_tells_the_use_of_cpus_since_the_first(tmp_path: Path) -> None:
    tree = two_sockets(tmp_path)
    tree.container(cpus="4-5", effective_cpus="4-5", cells="1", effective_cells="1", used=4_000_000)
    eyes = Eyes(tree.roots, node=NODE)

    looks = [eyes([running_pod()], lambda _pod: True) for _ in range(2)]

    usages = [seen.pods[0].containers[0].cgroup for seen in looks]
    assert [usage.usage if usage else "no cgroup" for usage in usages] == [None, 0.0]


def test_what_agents_write_contradicts_no_node_whichever_kubelet_it_has(tmp_path: Path) -> None:
    tree = two_sockets(tmp_path)
    tree.write("var/lib/kubelet/config.yaml", "kind: KubeletConfiguration\ncpuManagerPolicy: none")
    nodes = [node(f"node-{number}", labels={"pool": "a"}, cpu=16, memory=128 * GIB) for number in range(3)]
    for one in nodes:
        one["status"]["nodeInfo"]["kubeletVersion"] = "v1.36.2"
    written = [
        document(Eyes(tree.roots, node=one["metadata"]["name"])([], lambda _pod: True), [], version="1.0.0")
        for one in nodes
    ]

    (found,) = survey_of([*nodes, *written]).classes

    assert (found.distrust, found.document["trusted"]) == ("", True)


def test_the_memory_of_others_is_let_alone(tmp_path: Path) -> None:
    tree = two_sockets(tmp_path)
    path = tree.container(cpus="4-5", effective_cpus="4-5", cells="1", effective_cells="1")
    tree.process(70, path, name="vllm", cpus="4-5", cells="1")

    def processes(*, is_judged: bool) -> list[bool]:
        seen = Eyes(tree.roots, node=NODE)([running_pod()], lambda _pod: is_judged)
        return [one.memory is not None for one in seen.pods[0].containers[0].processes]

    assert (processes(is_judged=True), processes(is_judged=False)) == ([True], [False])


def test_nobody_tells_an_agent_the_version_of_the_kubelet(tmp_path: Path) -> None:
    tree = two_sockets(tmp_path)
    tree.write("var/lib/kubelet/config.yaml", "kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1")
    seen = Eyes(tree.roots, node=NODE)([], lambda _pod: True)

    assert (seen.kubelet is not None, seen.version) == (True, None)
