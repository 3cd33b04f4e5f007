"""What empty nodes answered before is answered again, and only to pods that ask for the same."""

from random import Random
from typing import Any

import pytest
from builders import container
from builders import equal
from builders import pod
from differential import arrivals
from differential import nodes

from webhook.domain.facts import read
from webhook.domain.kubelet import asked_before
from webhook.domain.kubelet.admit import admit_on_empty
from webhook.domain.kubelet.asked_before import answer_of_empty
from webhook.domain.kubelet.asked_before import packed
from webhook.domain.kubelet.asked_before import unpacked
from webhook.sources.policy_file import load_profile

MACHINE = load_profile("generic-2x4")


def test_the_answer_is_that_of_the_simulation_whether_asked_first_or_again() -> None:
    random = Random(1)  # noqa: S311 - test data
    for _ in range(150):
        node_class = nodes.node_class(random)
        for raw in arrivals.pods(random, node_class)[:2]:
            facts = read(raw)
            told = admit_on_empty(facts, node_class)
            assert [answer_of_empty(facts, node_class) for _ in range(2)] == [told, told]


def test_what_is_packed_comes_back() -> None:
    facts = read(pod(container(**equal("1500m", "64Gi", 2)), init=(container("a", restartPolicy="Always"),)))
    found = unpacked(packed(facts))

    assert packed(found) == packed(facts)
    assert [(one.name, one.kind, one.requests, one.limits) for one in found.containers] == [
        (one.name, one.kind, one.requests, one.limits) for one in facts.containers
    ]


def test_pods_that_differ_in_nothing_that_a_kubelet_reads_are_simulated_once() -> None:
    first, second = (
        pod(container(image=f"vllm:{number}", **equal("13", "7Gi", 1)), labels={"app": str(number)})
        for number in range(2)
    )
    answer_of_empty(read(first), MACHINE)
    before = asked_before._answer.cache_info()  # noqa: SLF001  # whether it was simulated shows nowhere else
    answer_of_empty(read(second), MACHINE)
    after = asked_before._answer.cache_info()  # noqa: SLF001

    assert (after.hits - before.hits, after.misses - before.misses) == (1, 0)


@pytest.mark.parametrize(
    "other",
    [
        pod(container(**equal("16", "64Gi", 2))),
        pod(container(**equal("8", "68719476736", 2))),  # as much memory, but a node reads the text
        pod(container(**equal("8", "64Gi", 1))),
        pod(container("other", **equal("8", "64Gi", 2))),
        pod(container(limits=equal("8", "64Gi", 2)["limits"], requests={"cpu": "4", "memory": "64Gi"})),
        pod(container(**equal("8", "64Gi", 2)), container("b", **equal("1", "1Gi", None))),
        pod(container(**equal("8", "64Gi", 2)), init=(container("b"),)),
        pod(container(**equal("8", "64Gi", 2)), init=(container("b", restartPolicy="Always"),)),
        pod(container(**equal("8", "64Gi", 2)), resources={"limits": {"cpu": "8"}}),
    ],
)
def test_pods_that_a_kubelet_tells_apart_are_told_apart(other: dict[str, Any]) -> None:
    assert packed(read(other)) != packed(read(pod(container(**equal("8", "64Gi", 2)))))


def test_a_pod_that_asks_for_very_much_is_not_remembered() -> None:
    facts = read(pod(container(limits={f"example.com/{number:0>40}": "1" for number in range(100)})))
    before = asked_before._answer.cache_info()  # noqa: SLF001

    assert answer_of_empty(facts, MACHINE) == admit_on_empty(facts, MACHINE)
    assert asked_before._answer.cache_info() == before  # noqa: SLF001
