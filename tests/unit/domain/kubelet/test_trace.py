"""The trace: hints by manager and resource, and what they merged to."""

from dataclasses import replace

import pytest
from kubelets import GIB
from kubelets import GPU
from kubelets import app
from kubelets import burstable
from kubelets import cells
from kubelets import gpus
from kubelets import init
from kubelets import machine
from kubelets import pod
from kubelets import sidecar
from kubelets import whole_machine

from webhook.domain.kubelet.admit import admit_on_empty
from webhook.domain.kubelet.trace import MOST_SHOWN
from webhook.domain.kubelet.trace import HintList
from webhook.domain.kubelet.trace import Merge
from webhook.domain.kubelet.trace import Trace
from webhook.domain.kubelet.trace import trace


def shown(hints: HintList) -> str:
    """Write a list as "manager resource: 0* 1* 0+1", preferred ones with a star."""
    if hints.hints is None:
        return f"{hints.manager} {hints.resource}: any"
    told = ["+".join(map(str, hint.cells)) + "*" * hint.preferred for hint in hints.hints]
    return f"{hints.manager} {hints.resource}: {' '.join(told) or 'none'}"


def lists(merge: Merge) -> list[str]:
    return [shown(one) for one in merge.lists]


def merged(told: Trace) -> list[tuple[str | None, tuple[int, ...] | None, bool, bool]]:
    return [(one.container, one.cells, one.preferred, one.admitted) for one in told.merges]


def test_each_manager_tells_its_hints_and_the_lowest_common_one_is_merged() -> None:
    told = trace(pod(app("4/8Gi/2")), machine())

    assert merged(told) == [("app", (0,), True, True)]
    assert lists(told.merges[0]) == [f"devices {GPU}: 0* 1* 0+1", "cpu cpu: 0* 1* 0+1", "memory memory: 0* 1* 0+1"]


def test_later_containers_see_what_earlier_ones_took() -> None:
    told = trace(pod(app("5/8Gi/1", "a"), app("4/8Gi/1", "b")), machine())

    assert merged(told) == [("a", (0,), True, True), ("b", (1,), True, True)]
    assert lists(told.merges[1])[1:] == ["cpu cpu: 1* 0+1", "memory memory: 0* 1*"]


def test_the_merge_that_ended_in_a_refusal_is_the_last() -> None:
    told = trace(pod(app("2/1Gi/-", "small"), app("4/8Gi/8", "wide"), app("2/1Gi/1", "late")), machine())

    assert merged(told) == [("small", (0,), True, True), ("wide", None, False, False)]
    assert lists(told.merges[1])[0] == f"devices {GPU}: 0+1*"
    assert told.admission.reason == "TopologyAffinityError"


def test_what_nothing_can_serve_has_no_hints_at_all() -> None:
    told = trace(pod(app("4/8Gi/9")), machine())

    assert lists(told.merges[0])[0] == f"devices {GPU}: none"


def test_a_container_without_exclusive_cpus_has_no_preference() -> None:
    told = trace(pod(burstable("4/8Gi/1")), machine())

    assert lists(told.merges[0]) == [f"devices {GPU}: 0* 1* 0+1", "cpu cpu: any", "memory memory: any"]


def test_in_pod_scope_there_is_one_merge_for_the_whole_pod() -> None:
    told = trace(pod(init("2/1Gi/-"), sidecar("2/1Gi/-"), app("4/8Gi/2")), whole_machine())

    assert merged(told) == [(None, (0,), True, True)]


def test_managers_that_do_not_pin_hint_nothing() -> None:
    told = trace(pod(app("4/8Gi/2")), machine(cpu_manager_policy="none", memory_manager_policy="None"))

    assert lists(told.merges[0]) == [f"devices {GPU}: 0* 1* 0+1"]


def test_policy_none_merges_nothing() -> None:
    assert trace(pod(app("4/8Gi/2")), machine("none")).merges == ()


def test_a_kubelet_that_does_not_start_merges_nothing() -> None:
    told = trace(pod(app("4/8Gi/2")), machine(cpu_manager_policy_options={"no-such": "true"}))

    assert (told.merges, told.admission.handler) == ((), "startup")


def test_best_effort_admits_what_is_not_preferred() -> None:
    told = trace(pod(app("4/8Gi/5")), machine("best-effort"))

    assert merged(told) == [("app", (0, 1), False, True)]


def test_huge_pages_and_memory_share_their_hints() -> None:
    shape = cells(hugepages={"2Mi": 1024})
    told = trace(pod(app("4/8Gi/2", hugepages_2Mi="1Gi")), machine(cells=shape))

    assert lists(told.merges[0])[-1] == "memory memory, hugepages-2Mi: 0* 1* 0+1"


def test_every_device_resource_has_a_list_of_its_own() -> None:
    nics = {"example.com/nic": gpus((1, 1))[GPU]}
    told = trace(pod({**app("4/8Gi/2", **{"example.com/nic": "2"})}), machine(devices={**gpus(), **nics}))

    assert lists(told.merges[0])[:2] == [f"devices {GPU}: 0* 1* 0+1", "devices example.com/nic: 0+1*"]


def test_in_pod_scope_every_resource_of_every_container_has_its_list() -> None:
    nics = {"example.com/nic": gpus((2, 0))[GPU], "example.com/disk": gpus((0, 2))[GPU]}
    first, second = init("2/1Gi/-", **{"example.com/disk": "1"}), app("4/8Gi/2", **{"example.com/nic": "1"})
    told = trace(pod(first, second), machine("restricted", "pod", devices={**gpus(), **nics}))

    assert sorted(lists(told.merges[0])) == [
        "cpu cpu: 0* 1* 0+1",
        "devices example.com/disk: 1*",
        "devices example.com/nic: 0*",
        f"devices {GPU}: 0* 1* 0+1",
        "memory memory: 0* 1* 0+1",
    ]


def test_long_lists_are_cut_and_counted() -> None:
    shape = cells(8, 2, 8 * GIB)
    told = trace(pod(app("2/1Gi/-")), machine(cells=shape, devices={}, reserved_cpus="0"))
    cpu = told.merges[0].lists[0]

    assert cpu.hints is not None
    assert (len(cpu.hints), cpu.count, cpu.preferred, cpu.complete) == (MOST_SHOWN, 255, 8, True)


def test_a_search_that_is_too_long_is_given_up_and_says_so() -> None:
    shape = cells(16, 2, 8 * GIB)
    options = {"max-allowable-numa-nodes": "16"}
    many = machine(cells=shape, devices={}, reserved_cpus="0", topology_manager_policy_options=options)

    assert [one.complete for one in trace(pod(app("2/1Gi/-")), many).merges[0].lists] == [False, False]


def test_a_question_that_is_too_large_to_merge_is_noted() -> None:
    shape = tuple(cell if cell.id < 2 else replace(cell, cores=()) for cell in cells(34, 4, 64 * GIB))
    options = {"max-allowable-numa-nodes": "34"}
    tray = machine("best-effort", cells=shape, reserved_cpus="0", topology_manager_policy_options=options)
    told = trace(pod(app("6/300Gi/1")), tray)

    assert (told.admission.reason, merged(told)) == ("TooManyNUMANodes", [("app", None, False, False)])


@pytest.mark.parametrize("policy", ["none", "best-effort", "restricted", "single-numa-node"])
@pytest.mark.parametrize("scope", ["container", "pod"])
def test_the_answer_is_the_one_without_a_trace(policy: str, scope: str) -> None:
    facts, node_class = pod(init("2/1Gi/-"), app("4/8Gi/2", "a"), app("6/8Gi/3", "b")), machine(policy, scope)

    assert trace(facts, node_class).admission == admit_on_empty(facts, node_class)
