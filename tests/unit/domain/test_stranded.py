"""Accelerators that replicas leave idle."""

from dataclasses import replace
from typing import Any

import pytest
from builders import GPU
from builders import container
from builders import equal
from builders import pod
from builders import policy
from misfits import CONTAINER_SCOPE
from misfits import P0
from misfits import kubelet

from webhook.domain.facts import read
from webhook.domain.stranded import Stranded
from webhook.domain.stranded import find
from webhook.domain.topology import NodeClass
from webhook.engine.subject import accelerators_of
from webhook.sources.machines import load_machine

GIBI = 1 << 30


def stranded(obj: dict[str, Any], node_class: NodeClass = P0) -> Stranded | None:
    facts = read(obj)
    return find(facts, node_class, accelerators_of(facts, policy().accelerators))


@pytest.mark.parametrize(
    ("cpu", "gpus", "idle", "replicas", "left"),
    [("30", 1, 1, 3, 4), ("40", 1, 2, 2, 14), ("94", 1, 3, 1, 0), ("80", 2, 2, 1, 14), ("90", 3, 1, 1, 4)],
)
def test_cpus_beyond_the_share_leave_accelerators_idle(
    cpu: str, gpus: int, idle: int, replicas: int, left: int
) -> None:
    assert stranded(pod(container(**equal(cpu, "64Gi", gpus)))) == Stranded(
        resource=GPU,
        idle=idle,
        devices=4,
        replicas=replicas,
        native="cpu",
        left=left,
        room=94,
        share=94 * gpus // 4 // 2 * 2,
    )


def test_a_request_of_none_beside_a_limit_leaves_nothing_idle() -> None:
    obj = pod(container(**equal("40", "64Gi", 1)))
    obj["spec"]["containers"][0]["resources"]["requests"][GPU] = "0"

    assert stranded(obj) is None


def test_memory_beyond_the_share_does_as_well() -> None:
    assert stranded(pod(container(**equal("8", "500Gi", 1)))) == Stranded(
        resource=GPU,
        idle=2,
        devices=4,
        replicas=2,
        native="memory",
        left=8 * GIBI,
        room=1008 * GIBI,
        share=252 * GIBI,
    )


@pytest.mark.parametrize(
    ("cpu", "memory", "gpus"),
    [
        ("8", "64Gi", 1),
        ("22", "252Gi", 1),
        ("24", "64Gi", 1),
        ("50", "64Gi", 2),
        ("94", "1008Gi", 4),
        ("8", "256Gi", 1),
        ("8", "600Gi", 2),
        ("66", "756Gi", 3),
        ("80", "64Gi", 3),
    ],
    ids=[
        "little",
        "share",
        "a core",
        "a core each",
        "whole",
        "memory",
        "memory of two",
        "three",
        "half for the fourth",
    ],
)
def test_what_leaves_the_others_their_share_strands_nothing(cpu: str, memory: str, gpus: int) -> None:
    assert stranded(pod(container(**equal(cpu, memory, gpus)))) is None


def test_what_a_pod_itself_uses_for_an_accelerator_is_enough_for_another() -> None:
    assert stranded(pod(container(**equal("8", "900Gi", 3)))) == Stranded(
        resource=GPU,
        idle=1,
        devices=4,
        replicas=1,
        native="memory",
        left=108 * GIBI,
        room=1008 * GIBI,
        share=756 * GIBI,
    )
    assert stranded(pod(container(**equal("92", "8Gi", 3)))) == Stranded(GPU, 1, 4, 1, "cpu", 2, 94, 70)
    assert stranded(pod(container(**equal("8", "760Gi", 3)))) is None


def test_helpers_and_the_init_containers_that_keep_cpus_count() -> None:
    helped = pod(container(**equal("20", "64Gi", 1)), container("proxy", **equal("20", "1Gi", None)))
    loading = pod(container(**equal("8", "64Gi", 1)), init=(container("load", **equal("40", "64Gi", None)),))
    shared = pod(container(**equal("20", "64Gi", 1)), container("proxy", **equal("19500m", "1Gi", None)))

    assert [one is None for one in map(stranded, (helped, loading, shared))] == [False, False, True]


def test_each_machine_has_its_own_share() -> None:
    small = load_machine("two-socket-32c")
    uneven = replace(P0, devices={GPU: (*P0.devices[GPU][:1], *P0.devices[GPU][4:])})

    assert stranded(pod(container(**equal("14", "32Gi", 1))), small) is not None
    assert stranded(pod(container(**equal("14", "32Gi", 1))), P0) is None
    assert stranded(pod(container(**equal("94", "64Gi", 1))), uneven) is not None
    assert stranded(pod(container(**equal("40", "64Gi", 1))), CONTAINER_SCOPE) is not None


def test_memory_that_is_not_pinned_is_no_matter_of_a_numa_node() -> None:
    unpinned = kubelet(memory_manager_policy="None", reserved_memory={})

    assert stranded(pod(container(**equal("8", "500Gi", 1))), unpinned) is None


def test_a_machine_that_takes_no_replica_has_nothing_stranded() -> None:
    assert stranded(pod(container(**equal("96", "64Gi", 1)))) is None
    assert stranded(pod(container(**equal("40", "64Gi", 1))), kubelet(topology_manager_policy="strict")) is None
