"""Which pods of a namespace count, which are alike, and what made them."""

from typing import Any

import pytest
from builders import container
from builders import equal
from builders import pod
from builders import policy

from webhook.domain.policy import Match
from webhook.domain.selector import LabelRequirement
from webhook.domain.selector import LabelSelector
from webhook.engine.running_pods import RunningPods


def collected(*pods: dict[str, Any], **changes: Any) -> RunningPods:
    made = RunningPods([policy(**changes)])
    made.add(pods)
    return made


def owned(kind: str, name: str, made: dict[str, Any] | None = None, **labels: str) -> dict[str, Any]:
    made = made or pod()
    owner = {"kind": kind, "name": name, "controller": True}
    return {**made, "metadata": {**made["metadata"], "ownerReferences": [owner], "labels": labels}}


def named(pods: RunningPods) -> list[tuple[list[str], int]]:
    return [(list(group.owners), group.count) for group in pods.groups()]


def test_replicas_are_one_group_with_the_name_of_their_controller() -> None:
    replicas = [owned("StatefulSet", "llama", **{"apps.kubernetes.io/pod-index": str(index)}) for index in range(3)]

    assert named(collected(*replicas)) == [(["llama"], 3)]


@pytest.mark.parametrize("key", ["pod-template-hash", "rollouts-pod-template-hash"])
def test_a_replica_set_is_named_by_what_made_it(key: str) -> None:
    assert named(collected(owned("ReplicaSet", "llama-7d9f8", **{key: "7d9f8"}))) == [(["llama"], 1)]


def test_a_replica_set_of_nobody_has_its_own_name() -> None:
    assert named(collected(owned("ReplicaSet", "llama-7d9f8"))) == [(["llama-7d9f8"], 1)]


def test_a_pod_of_nobody_has_its_own_name() -> None:
    follower = pod(ownerReferences=[{"kind": "Node", "name": "n1"}])

    assert named(collected(pod(), follower)) == [(["llm"], 2)]


def test_workloads_whose_pods_are_alike_are_one_group() -> None:
    assert named(collected(owned("Job", "a"), owned("Job", "b"))) == [(["a", "b"], 2)]


def test_a_label_that_a_policy_selects_by_tells_pods_apart() -> None:
    selector = LabelSelector((LabelRequirement("tier", "In", ("gold",)),))
    pods = [owned("Job", "a", tier="gold"), owned("Job", "b")]

    assert len(named(collected(*pods, match=Match(pod_selector=selector)))) == 2
    assert len(named(collected(*pods))) == 1


def test_a_label_of_ours_tells_pods_apart() -> None:
    pods = [owned("Job", "a", **{"numagate.io/governed": "true"}), owned("Job", "b")]

    assert len(named(collected(*pods))) == 2


def test_one_of_each_controller_comes_first() -> None:
    big = pod(container(**equal(cpu="16")))
    pods = [owned("Job", "a"), owned("Job", "a", big), owned("Job", "b", pod(container(**equal(cpu="4"))))]

    assert named(collected(*pods)) == [(["a"], 1), (["b"], 1), (["a"], 1)]


def test_a_group_gives_back_what_a_decision_reads_of_its_pods() -> None:
    (group,) = collected(pod()).groups()

    assert group.pod["spec"] == pod()["spec"]


@pytest.mark.parametrize(
    "ended",
    [
        {"status": {"phase": "Succeeded"}},
        {"status": {"phase": "Failed"}},
        {"metadata": {"name": "a", "deletionTimestamp": "2026-11-29T00:00:00Z"}},
        {
            "metadata": {
                "name": "a",
                "annotations": {"kubernetes.io/config.mirror": "x"},
                "ownerReferences": [{"kind": "Node", "name": "n1", "controller": True}],
            }
        },
    ],
)
def test_pods_that_end_and_mirror_pods_do_not_count(ended: dict[str, Any]) -> None:
    pods = collected({**pod(), **ended})

    assert (pods.count, named(pods)) == (0, [])


@pytest.mark.parametrize("phase", ["Pending", "Running", "Unknown", ""])
def test_all_other_pods_count(phase: str) -> None:
    assert collected({**pod(), "status": {"phase": phase}}).count == 1
