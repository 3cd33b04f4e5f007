"""How many replicas an empty node takes."""

from dataclasses import replace
from typing import Any

import pytest
from builders import GPU
from builders import container
from builders import equal
from builders import pod

from webhook.domain.facts import read
from webhook.domain.fit import Fits
from webhook.domain.fit import fit
from webhook.domain.replicas import replicas_on_empty
from webhook.domain.topology import POD_LEVEL_GATE
from webhook.domain.topology import NodeClass
from webhook.sources.machines import load_machine

P0 = load_machine("generic-2x4")


def count(resources: dict[str, Any], node_class: NodeClass = P0, numa_nodes: int = 1) -> int:
    gpus = int(resources["limits"].get(GPU, 0))
    accelerators = {"server": {GPU: gpus}} if gpus else {}
    return replicas_on_empty(read(pod(container(**resources))), node_class, accelerators, numa_nodes)


def with_kubelet(**settings: Any) -> NodeClass:
    return replace(P0, kubelet=replace(P0.kubelet, **settings))


@pytest.mark.parametrize(
    ("cpu", "memory", "gpus", "replicas"),
    [
        ("8", "64Gi", 1, 8),
        ("22", "252Gi", 1, 8),
        ("24", "252Gi", 1, 6),
        ("22", "300Gi", 1, 6),
        ("94", "1008Gi", 1, 2),
        ("8", "64Gi", 3, 2),
        ("94", "1008Gi", 4, 2),
        ("96", "64Gi", 1, 0),
        ("8", "64Gi", 5, 0),
        ("7", "64Gi", 1, 0),
    ],
)
def test_cpus_memory_and_accelerators_of_each_numa_node_bound_the_number(
    cpu: str, memory: str, gpus: int, replicas: int
) -> None:
    assert count(equal(cpu, memory, gpus)) == replicas


def test_a_pod_without_accelerators_or_resources_ends_the_count() -> None:
    assert count({"requests": {}, "limits": {}}) == 0
    assert count(equal(None, None, 1)) == 0


def test_a_pod_of_two_numa_nodes_fills_them() -> None:
    restricted = with_kubelet(topology_manager_policy="restricted")

    assert count(equal("188", "2016Gi", 8), restricted, numa_nodes=2) == 1
    assert count(equal("188", "2016Gi", 8), restricted) == 0


def test_the_count_ends_where_a_lenient_kubelet_spreads_a_replica() -> None:
    lenient = with_kubelet(topology_manager_policy="best-effort")

    assert count(equal("8", "64Gi", 3), lenient) == 2
    assert count(equal("8", "64Gi", 1), with_kubelet(cpu_manager_policy="none", cpu_manager_policy_options={})) == 0


def test_a_kubelet_that_does_not_start_takes_none() -> None:
    assert count(equal("8", "64Gi", 1), with_kubelet(topology_manager_policy="strict")) == 0


def test_one_replica_is_what_a_fit_promises() -> None:
    facts = read(pod(container(**equal("94", "1008Gi", 4))))
    accelerators = {"server": {GPU: 4}}

    assert fit(facts, P0, accelerators).fits is Fits.YES
    assert replicas_on_empty(facts, P0, accelerators) == 2


def test_a_helper_and_an_init_container_take_part_in_every_replica() -> None:
    helped = pod(container(**equal("8", "64Gi", 1)), container("proxy", **equal("16", "1Gi", None)))
    loading = pod(container(**equal("8", "64Gi", 1)), init=(container("load", **equal("40", "1Gi", None)),))

    assert replicas_on_empty(read(helped), P0, {"server": {GPU: 1}}) == 6
    assert replicas_on_empty(read(loading), P0, {"server": {GPU: 1}}) == 4


def test_replicas_that_are_pinned_as_a_whole_start_one_after_the_other() -> None:
    gated = with_kubelet(feature_gates={POD_LEVEL_GATE: True})
    block = {"cpu": "8", "memory": "64Gi"}
    whole = read(pod(container(limits={GPU: "4"}), resources={"limits": block, "requests": dict(block)}))

    assert replicas_on_empty(whole, gated, {"server": {GPU: 4}}) == 2
    assert replicas_on_empty(whole, P0, {"server": {GPU: 4}}) == 0
