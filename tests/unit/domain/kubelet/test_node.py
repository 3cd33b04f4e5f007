"""One node: what its pods keep, and what refused ones give back."""

import pytest
from kubelets import app
from kubelets import burstable
from kubelets import machine
from kubelets import pod

from webhook.domain import cpuset
from webhook.domain.kubelet.machine import derive
from webhook.domain.kubelet.node import NodeState
from webhook.domain.kubelet.refusal import RefusedError


def test_an_admitted_pod_can_be_read_until_the_next_comes() -> None:
    state = NodeState(derive(machine()))
    state.admit(pod(app("2/1Gi/1")))

    assert state.cpus is not None
    assert {name: cpuset.format(cpus) for name, cpus in state.cpus.assigned.items()} == {"app": "1,9"}
    state.admit(pod(burstable("1/1Gi/1")))
    assert state.cpus.assigned == {}


def test_a_pod_that_the_sums_refuse_gives_everything_back() -> None:
    state = NodeState(derive(machine()))
    with pytest.raises(RefusedError, match="OutOfcpu"):
        state.admit(pod(app("6/8Gi/4", "a"), app("8500m/8Gi/4", "b")))

    affinities = state.admit(pod(app("6/16Gi/4", "a"), app("8/16Gi/4", "b")))
    assert [affinity.mask for affinity in affinities.values()] == [0b01, 0b10]


def test_managers_without_a_pinning_policy_do_not_exist() -> None:
    state = NodeState(derive(machine(cpu_manager_policy="none", memory_manager_policy="None", reserved_cpus="")))

    assert (state.cpus, state.memory) == (None, None)
    assert state.admit(pod(app("2/1Gi/1")))["app"].mask == 0b01


def test_the_sums_can_be_left_out() -> None:
    state = NodeState(derive(machine()), skip_predicates=True)

    assert state.admit(pod(burstable("100/1Gi")))["app"].mask is None
