"""`numagate verify` on a node whose kubelet answers, from files and by a real socket."""

import io
import json
import os
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from builders import GPU
from builders import container
from builders import equal
from fakekubelet import Kubelet
from fakekubelet import container as granted
from fakekubelet import devices
from fakekubelet import listing
from fakekubelet import memory
from fakekubelet import pod as listed
from fakekubelet import serving
from nodepods import NODE
from nodepods import running_pod
from nodetree import NodeTree
from nodetree import two_sockets

from webhook.cli.main import main
from webhook.node.readers import pod_resources_api as api

CONFIG = """
kind: KubeletConfiguration
cpuManagerPolicy: static
memoryManagerPolicy: Static
topologyManagerPolicy: single-numa-node
"""
GIB = 1 << 30

Verify = Callable[..., int]


@pytest.fixture
def kubelet(kubelet_folder: Path) -> Iterator[Kubelet]:
    """Serve a kubelet that gave CPUs, memory and a GPU of NUMA node 1 to team-a/llm-0."""
    with serving(kubelet_folder / "pod-resources" / "kubelet.sock") as kubelet:
        kubelet.answers[api.LIST] = listing(grant(1))
        (kubelet_folder / "config.yaml").write_text(CONFIG)
        yield kubelet


@pytest.fixture
def tree(tmp_path: Path) -> NodeTree:
    """Make a node on which that pod runs, with all of its memory on NUMA node 1."""
    tree = two_sockets(tmp_path)
    cpus = "4-5,12-13"
    path = tree.container(cpus=cpus, effective_cpus=cpus, cells="1", effective_cells="1", used=4_000_000)
    own, file = "7f00 default anon=4096 dirty=4096 N1=4096", "7f10 default file=/lib/x N0=9"
    maps = "".join(f"{line} kernelpagesize_kB=4\n" for line in (own, file))
    tree.process(70, path, name="vllm", cpus=cpus, cells="1", maps=maps)
    return tree


@pytest.fixture
def verify(tree: NodeTree, kubelet_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Verify:
    """Run the command on the node, with these pods, where lines are long enough for the sentences of these tests."""
    monkeypatch.setenv("COLUMNS", "100")

    def run(*arguments: str, pods: list[dict[str, Any]] | None = None) -> int:
        file = tmp_path / "pods.json"
        file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": [pod()] if pods is None else pods}))
        places = ["--root", str(tree.root), "--kubelet-dir", str(kubelet_folder)]
        return main(["verify", "--node", NODE, "--pods", str(file), "--interval", "0", *places, *arguments])

    return run


def pod(name: str = "llm-0", **fields: Any) -> dict[str, Any]:
    """Make a pod with four CPUs and a GPU."""
    return running_pod(name, container(**equal("4", "32Gi")), **fields)


def grant(cell: int) -> Any:
    """Make what PodResources says of that pod, with a GPU on NUMA node `cell`."""
    given = devices(GPU, f"GPU-{cell}", cells=(cell,))
    return listed("llm-0", granted(cpu_ids=[4, 5, 12, 13], memory=[memory("memory", 32 * GIB, 1)], devices=[given]))


@pytest.mark.usefixtures("kubelet")
def test_an_aligned_pod_is_shown_with_promise_and_evidence(verify: Verify, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify() == 0

    text = capsys.readouterr().out
    assert "team-a/llm-0: aligned\n" in text
    assert "pid 70's current affinity list: 4-5,12-13 (vllm)\n" in text
    assert "    Private         0.00       16.00       16.00\n" in text
    assert "    (Files)         0.04        0.00        0.04\n" in text


def test_a_misaligned_pod_is_a_finding(verify: Verify, kubelet: Kubelet, capsys: pytest.CaptureFixture[str]) -> None:
    kubelet.answers[api.LIST] = listing(grant(0))

    assert verify("--output", "json") == 1

    told = json.loads(capsys.readouterr().out)
    (found,) = told["pods"]
    assert told["kubelet"]["version"] is None  # no file says it
    assert found["outcome"] == "misaligned"
    assert found["reason"] == "container server: its CPUs are on NUMA node 1, its devices on NUMA node 0"


@pytest.mark.usefixtures("kubelet")
@pytest.mark.parametrize("content", ["", "{", "[]", "\0"], ids=ascii)
def test_a_state_file_that_is_no_checkpoint_is_a_fault(
    verify: Verify, kubelet_folder: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (kubelet_folder / "memory_manager_state").write_text(content)

    assert verify("--output", "json") == 1

    (fault,) = json.loads(capsys.readouterr().out)["faults"]
    assert fault["code"] == "memory-manager-state-stale"
    assert fault["reason"].startswith(f"{kubelet_folder}/memory_manager_state is no ")
    assert fault["reason"].endswith(": the kubelet will not start")
    assert "delete memory_manager_state" in fault["remedy"]


@pytest.mark.usefixtures("kubelet")
def test_the_use_of_cpus_is_measured_over_the_interval(verify: Verify, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify("--interval", "0.01", "--output", "json") == 0

    assert json.loads(capsys.readouterr().out)["pods"][0]["busy"] == 0


@pytest.mark.usefixtures("kubelet")
def test_html_is_a_whole_page(verify: Verify, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify("--output", "html") == 0

    assert capsys.readouterr().out.startswith("<!DOCTYPE html>")


@pytest.mark.usefixtures("kubelet")
def test_an_unknown_verdict_is_a_finding_where_that_is_asked_for(verify: Verify) -> None:
    waiting = [pod(ids={})]

    assert verify(pods=waiting) == 0
    assert verify("--strict", pods=waiting) == 1


@pytest.mark.usefixtures("kubelet")
def test_pods_that_the_kubelet_knows_and_nobody_named_are_told(
    verify: Verify, kubelet: Kubelet, capsys: pytest.CaptureFixture[str]
) -> None:
    told = "not read: pods: the kubelet gave CPUs or devices to team-a/llm-0, not among the pods that were read"

    assert verify(pods=[]) == 0
    assert told in " ".join(capsys.readouterr().out.split())
    assert verify("--strict", pods=[]) == 1
    assert verify("--strict") == 0
    kubelet.answers[api.LIST] = listing(grant(1), listed("web", granted()))
    assert verify("--strict") == 0
    assert "not read: neighbours: the kubelet runs team-a/web, not" in " ".join(capsys.readouterr().out.split())
    kubelet.answers[api.LIST] = listing()
    assert verify("--strict", pods=[]) == 0


@pytest.mark.usefixtures("kubelet")
def test_pods_of_other_nodes_are_no_pods_of_this_one(
    verify: Verify, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify("--node", "vm") == 2
    assert capsys.readouterr().err == (
        f'numagate: no pod of node "vm" in {tmp_path}/pods.json (its pods are on {NODE}): name it with --node\n'
    )
    homes = [{**pod(), "spec": {**pod()["spec"], "nodeName": f"n{number}"}} for number in range(5)]
    assert verify(pods=homes) == 2
    assert "(its pods are on n0, n1, n2 and 2 more)" in capsys.readouterr().err
    assert verify(pods=[*homes, pod()]) == 0


@pytest.mark.usefixtures("kubelet")
def test_pods_that_wait_for_a_node_are_no_pods_of_this_one(verify: Verify, capsys: pytest.CaptureFixture[str]) -> None:
    waiting = {**pod("llm-1", number=2, ids={}), "spec": {"containers": pod()["spec"]["containers"]}}

    assert verify("--strict", "--output", "json", pods=[waiting, pod()]) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)["pods"]] == ["llm-0"]
    assert verify(pods=[waiting]) == 2
    assert "(its pods wait for a node): name it with --node\n" in capsys.readouterr().err


@pytest.mark.usefixtures("kubelet")
def test_a_pod_that_is_given_twice_shares_nothing_with_itself(
    verify: Verify, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify("--output", "json", pods=[pod(), pod()]) == 0

    assert len(json.loads(capsys.readouterr().out)["pods"]) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "it is empty"),
        ("# kubectl said nothing\n---\n", "it is empty"),
        ('{"kind": "Table", "apiVersion": "meta.k8s.io/v1", "rows": []}', "not Table"),
        ('{"kind": "DeploymentList", "apiVersion": "apps/v1", "items": [{}]}', "not Deployment"),
        ('{"kind": "List", "apiVersion": "v1", "items": "x"}', "not List"),
        ('{"a": 1}', "not an object without a kind"),
        ("NAMESPACE   NAME    READY\nteam-a      llm-0   1/1\n", "a Kubernetes object was expected, not text"),
        ("Error from server (Forbidden): pods is forbidden: no\n", "mapping values are not allowed"),
    ],
)
@pytest.mark.parametrize("piped", [False, True])
def test_what_holds_no_pods_is_bad_input(
    tmp_path: Path,
    text: str,
    told: str,
    *,
    piped: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "pods"
    file.write_text(text)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    assert main(["verify", "--pods", "-" if piped else str(file), "--interval", "0"]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.endswith(": give the output of kubectl get pods -o json\n")


@pytest.mark.usefixtures("kubelet")
@pytest.mark.parametrize("items", [[], ["a pod"]])
def test_pods_may_come_through_a_pipe_of_the_shell(
    verify: Verify, items: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as pipe:
        json.dump({"apiVersion": "v1", "kind": "List", "items": [pod() for _ in items]}, pipe)

    try:
        assert verify("--pods", f"/dev/fd/{reader}") == 0
    finally:
        os.close(reader)
    assert f"{len(items)} pod" in capsys.readouterr().out


@pytest.mark.parametrize("option", ["--kubeconfig", "--context"])
def test_pods_come_from_one_place(verify: Verify, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(option, "x") == 2
    assert f"leave {option} out" in capsys.readouterr().err


@pytest.mark.usefixtures("kubelet")
def test_named_pods_are_shown_alone_and_missed_where_they_are_not_there(
    verify: Verify, capsys: pytest.CaptureFixture[str]
) -> None:
    pods = [pod(), pod("llm-1", number=2, ids={})]

    assert verify("team-a/llm-1", pods=pods) == 0
    assert "llm-0: " not in capsys.readouterr().out
    assert verify("team-a/llm-7", pods=pods) == 2
    assert "numagate: team-a/llm-7 is not on this node, or has ended\n" in capsys.readouterr().err


def test_without_the_kubelets_word_it_cannot_look(
    verify: Verify, kubelet_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify() == 2

    assert capsys.readouterr().err == (
        f"numagate: what the kubelet gave to whom cannot be read: {kubelet_folder}/pod-resources/kubelet.sock: "
        "No such file or directory; run it on the node, or give --kubelet-dir\n"
    )


@pytest.mark.usefixtures("kubelet")
def test_a_folder_in_the_place_of_a_file_is_named(
    verify: Verify, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    verify("--kubelet-config", str(tmp_path), "--output", "json")

    (gap,) = json.loads(capsys.readouterr().out)["unread"]
    assert gap == {"field": "kubelet", "reason": f"{tmp_path}: Is a directory"}


@pytest.mark.usefixtures("kubelet")
def test_without_a_readable_machine_it_cannot_look(
    verify: Verify, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify("--sys", str(tmp_path / "none")) == 2

    assert "numagate: the NUMA nodes of this machine cannot be read: " in capsys.readouterr().err


def test_pods_that_cannot_be_read_are_bad_input(
    tree: NodeTree, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["verify", "--root", str(tree.root), "--interval", "0"]
    file = tmp_path / "pods.yaml"
    file.write_text("a: [")

    assert main([*arguments, "--pods", str(file)]) == 2
    assert main([*arguments, "--kubeconfig", str(tmp_path / "none")]) == 2
    errors = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in errors] == ["numagate", "numagate"]
    assert errors[1].endswith("; or give the node's pods by --pods")


@pytest.mark.usefixtures("kubelet")
def test_a_policy_says_what_is_asked(verify: Verify, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        "apiVersion: numagate.io/v1alpha1\nkind: AlignmentPolicy\nmetadata: {name: own}\n"
        "spec: {match: {namespaces: [team-b]}}\n"
    )

    assert verify("--policy", str(policy)) == 0
    why = "no policy matches (own: namespace team-a is none of team-b)"
    text = capsys.readouterr().out
    assert "0 pods with a promise; 1 without one\n" in text
    assert f"  not judged: team-a/llm-0: {why}\n" in text
    assert verify("--policy", str(policy), "--output", "html") == 0
    assert f'<p class="note">not judged: team-a/llm-0: {why}</p>' in capsys.readouterr().out
    assert verify("--policy", str(policy), "--output", "json", "team-a/llm-0") == 2
    told = capsys.readouterr()
    assert json.loads(told.out)["unjudged"] == [{"namespace": "team-a", "name": "llm-0", "reason": why}]
    assert told.err == f"numagate: team-a/llm-0 is promised nothing: {why}\n"


@pytest.mark.parametrize("seconds", ["-1", "61", "soon"])
def test_an_interval_that_makes_no_sense_is_bad_input(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["verify", "--interval", seconds])

    assert ended.value.code == 2
    assert "is no time in seconds: use 0 to 60" in capsys.readouterr().err
