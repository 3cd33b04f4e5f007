"""What is said of node classes that would refuse a pod which another one takes."""

from dataclasses import replace

from builders import container
from builders import equal
from builders import pod
from builders import ruling

from webhook.domain.topology import NodeClass
from webhook.engine.judge import judge_pod
from webhook.sources.policy_file import load_profile

FOUR_GPUS = pod(container(**equal("32", "64Gi", 4)))


def small(number: int) -> NodeClass:
    return replace(load_profile("two-socket-32c"), name=f"small-{number}", labels={"pool": f"s{number}"}, nodes=10)


def told(*classes: NodeClass) -> list[str]:
    large = replace(load_profile("dgx-h100"), name="large", labels={"pool": "large"}, nodes=12)
    findings = judge_pod(FOUR_GPUS, ruling(large, *classes)).findings
    return [one.message.partition(" (")[0] for one in findings if one.code == "refusing-class"]


def test_a_few_are_told_one_by_one() -> None:
    assert told(small(0), small(1)) == [
        "add nodeSelector pool=large: nodes of small-0 would refuse the pod",
        "add nodeSelector pool=large: nodes of small-1 would refuse the pod",
    ]


def test_of_many_is_told_how_many_they_are_and_what_is_left() -> None:
    found = told(*map(small, range(9)))
    assert (len(found), found[3]) == (
        4,
        "6 more node classes would refuse the pod: it fits 1 of 10 node classes, 12 of 102 nodes",
    )
    assert told(*map(small, range(4)))[3].startswith("1 more node class would refuse the pod")


def test_nobody_is_sent_to_a_class_without_nodes_while_another_has_some() -> None:
    empty = replace(load_profile("dgx-h100"), name="empty", labels={"pool": "empty"}, nodes=0)
    large = replace(empty, name="large", labels={"pool": "large"}, nodes=12)
    findings = judge_pod(FOUR_GPUS, ruling(empty, large, small(0))).findings

    (one,) = [finding for finding in findings if finding.code == "refusing-class"]
    assert one.wanted == "pool=large"


def test_a_class_that_aligns_the_pod_is_named_before_one_that_lets_it_run() -> None:
    lax = replace(
        load_profile("dgx-h100"),
        name="batch",
        labels={"pool": "batch"},
        kubelet=replace(load_profile("dgx-h100").kubelet, topology_manager_policy="best-effort"),
    )
    large = replace(load_profile("dgx-h100"), name="large", labels={"pool": "large"})
    findings = judge_pod(FOUR_GPUS, ruling(lax, large, small(0))).findings

    assert [one.wanted for one in findings if one.code == "refusing-class"] == ["pool=large"]
