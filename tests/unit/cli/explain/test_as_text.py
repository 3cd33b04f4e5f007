"""The text of explain: the whole of it once, then what is special."""

from typing import Any

import pytest
from builders import GPU
from builders import container
from builders import equal
from builders import pod
from explanations import HOSTILE
from explanations import explained
from explanations import explained_text
from kubelets import machine

from webhook.cli.drawing.spans import plain
from webhook.cli.drawing.spans import width
from webhook.cli.explain.as_text import lines
from webhook.domain.report import ReadError
from webhook.engine.explanation import Explanation

UNEQUAL = pod(container(**{**equal("8"), "requests": {"cpu": "4", "memory": "32Gi", GPU: "1"}}))
TWO = pod(
    container(**equal("16", "64Gi", 2)),
    container("proxy", image="registry.example/proxy:1", **equal("1990m", "1Gi", None)),
)


def text(explanation: Explanation, columns: int = 100) -> list[str]:
    return plain(lines(explanation, columns)).split("\n")


def shown(*objects: dict[str, Any], columns: int = 100, **options: Any) -> str:
    return "\n".join(text(explained(*objects, **options), columns))


def test_a_pod_its_classes_and_the_placement() -> None:
    assert text(explained(TWO)) == [
        "Pod llm",
        "  -, line 6, spec, namespace team-a",
        "  the webhook: accept; QoS class Guaranteed",
        "  A server: cpu 16, memory 64Gi, nvidia.com/gpu 2",
        "  B proxy: cpu 1990m, memory 1Gi",
        "",
        "two-socket-32c: FITS",
        "  the kubelet: admitted",
        "  replicas: an empty node takes 2 such pods, aligned",
        "  ┌─ NUMA node 0, socket 0 ──────────────────────┐ ┌─ NUMA node 1, socket 1 ──────────────────────┐",
        "  │ CPUs 16 taken, 15 free, 1 reserved           │ │ CPUs 31 free, 1 reserved                     │",
        "  │ AAAAAAAA AAAAAAAA ········ ·······▒          │ │ ········ ········ ········ ·······▒          │",
        "  │ memory 65Gi taken, 175Gi free                │ │ memory 240Gi free                            │",
        "  │ AAAAAAAAAAAB·····························▒▒▒ │ │ ·········································▒▒▒ │",
        "  │ nvidia.com/gpu AA··                          │ │ nvidia.com/gpu ····                          │",
        "  └──────────────────────────────────────────────┘ └──────────────────────────────────────────────┘",
        "  a letter: taken by that container   · free   ▒ reserved   ! unhealthy",
        "  A server: CPUs 0-15 on NUMA node 0; memory 64Gi on NUMA node 0; nvidia.com/gpu gpu-0, gpu-1",
        "  B proxy: memory 1Gi on NUMA node 0",
        "  topologyManagerPolicy single-numa-node, topologyManagerScope container, cpuManagerPolicy static,",
        "    memoryManagerPolicy Static, version 1.37",
        "  hints for container server, * preferred",
        "    nvidia.com/gpu: {0}* {1}* {0-1}",
        "    cpu: {0}* {1}* {0-1}",
        "    memory: {0}* {1}* {0-1}",
        "    merged: {0} preferred: admitted",
        "  hints for container proxy, * preferred",
        "    cpu: no preference",
        "    memory: {0}* {1}*",
        "    merged: {0} preferred: admitted",
        "",
        "1 pod template explained, from 1 file",
    ]


def test_a_refusal_is_told_in_the_kubelets_words_with_what_to_do() -> None:
    told = shown(pod(container(**equal("8", "32Gi", 9))))

    assert "  because: container server: 9 nvidia.com/gpu never fit one NUMA node of two-socket-32c" in told
    assert "two-socket-32c: DOES NOT FIT\n" in told
    assert "  the kubelet: TopologyAffinityError: Resources cannot be allocated with Topology locality\n" in told
    assert "    nvidia.com/gpu: no NUMA nodes can serve it\n" in told
    assert "    merged: no affinity, not preferred: refused\n" in told


def test_shapes_that_fit_and_idle_accelerators_are_told() -> None:
    assert "  instead: run 2 replicas of 4 GPUs, 4 CPUs and 16Gi each\n" in shown(
        pod(container(**equal("8", "32Gi", 8)))
    )
    told = " ".join(shown(pod(container(**equal("28", "16Gi", 1)))).split())

    assert "takes 2 such pods, aligned; 3 of 4 nvidia.com/gpu stay idle on a NUMA node with 3 of 31 CPUs left" in told


def test_our_own_reason_stands_beside_the_kubelets() -> None:
    told = shown(UNEQUAL, as_written=True)

    assert "  numagate: container server gets no exclusive CPUs\n  the kubelet: admitted\n" in told
    assert "  note: explained as written; the webhook would change 1 value first\n" in told


def test_a_repair_lists_its_edits() -> None:
    told = shown(UNEQUAL)

    assert "  the webhook: repair; QoS class Guaranteed after the repair\n" in told
    assert "spec.containers[0].resources.requests[cpu]: 8 (was 4)\n" in told


def test_where_no_handler_of_a_kubelet_answers_it_is_named() -> None:
    told = shown(pod(container(**equal("4", "8Gi", 1))), classes=(machine(cpu_manager_policy_options={"a": "true"}),))

    assert "(startup)" in told


def test_policy_none_has_no_hints() -> None:
    told = shown(pod(container(**equal("4", "8Gi", 1))), classes=(machine("none"),))

    assert "NOT ENFORCED" in told
    assert "  topology manager policy is none: no hints are asked for, nothing is merged\n" in told


def test_a_class_that_the_pod_does_not_go_to_is_one_line() -> None:
    assert "aurora-pvc: the pod does not go there: has no nvidia.com/gpu\n" in shown(pod(), machine="aurora-pvc")


def test_what_was_skipped_is_told_by_reason() -> None:
    objects = [{"apiVersion": "v1", "kind": "Service", "metadata": {"name": f"s{n}"}} for n in range(10)]
    told = text(explained(*objects))

    assert told == [
        "skipped, holds no pods: Service s0, Service s1, Service s2, Service s3, Service s4, Service s5,",
        "  Service s6, Service s7, +2 more",
        "0 pod templates explained, from 1 file",
    ]


def test_what_cannot_be_read_is_told_with_its_line() -> None:
    assert text(explained_text("a: 1\na: 2\n"))[0] == "-:2: cannot be read: key 'a' is given twice: first on line 1"


def test_long_lists_are_cut_and_counted() -> None:
    helpers = [container(f"h{n}", image="registry.example/proxy:1", **equal("100m", "1Gi", None)) for n in range(60)]
    told = shown(pod(container(**equal("4", "8Gi", 1)), *helpers))

    assert told.count("(+37 containers)") == 2
    assert "(+37 merges)" in told
    assert "hints for container h59" in told


@pytest.mark.parametrize("columns", [1, *range(40, 64), 100, 120, 1000])
def test_one_hostile_manifest_is_harmless_and_no_line_is_too_wide(columns: int) -> None:
    named = container(HOSTILE, image=HOSTILE, limits={GPU: "1", "cpu": "4", "memory": "8Gi", HOSTILE: "1"})
    long = container("x" * 300, **equal("4", "8Gi", None))
    metadata = {"name": HOSTILE, "namespace": HOSTILE, "annotations": {HOSTILE: HOSTILE}}
    hostile = {**pod(named, long, nodeSelector={HOSTILE: HOSTILE}), "metadata": metadata}
    unknown = {"apiVersion": HOSTILE, "kind": HOSTILE, "metadata": metadata, HOSTILE: {"spec": hostile["spec"]}}
    made = list(lines(explained(hostile, unknown, {"kind": HOSTILE}), columns))
    told = plain(made)

    assert max(map(width, made)) <= max(40, min(columns, 120))
    assert all(character.isprintable() for character in told.replace("\n", ""))
    assert not any(line.lstrip().startswith("::") for line in told.split("\n"))


def test_a_file_named_like_a_command_is_no_command_at_the_start_of_a_line() -> None:
    explanation = Explanation("p", (), 1, (), (), (ReadError("::error::x", None, None, "bad"),))

    assert text(explanation)[0] == ".:error::x: cannot be read: bad"
