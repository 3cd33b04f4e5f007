"""The memory manager: which NUMA nodes hold a container's memory, and who may share them."""

from dataclasses import replace

import pytest
from kubelets import GIB
from kubelets import MIB
from kubelets import Raw
from kubelets import app
from kubelets import burstable
from kubelets import cells
from kubelets import init
from kubelets import pod
from kubelets import sidecar

from webhook.domain.kubelet import memory_table
from webhook.domain.kubelet.hints import Affinity
from webhook.domain.kubelet.hints import Hints
from webhook.domain.kubelet.memory_manager import MemoryManager
from webhook.domain.kubelet.refusal import RefusedError

NOWHERE = Affinity(None, preferred=False)
PREFERRED = Affinity(None, preferred=True)
NODE_0, NODE_1, BOTH = (Affinity(mask, preferred=True) for mask in (0b01, 0b10, 0b11))


def manager(number: int = 2, memory: int = 32 * GIB, **pages: int) -> MemoryManager:
    """Make the memory manager of NUMA nodes of 32Gi, nothing reserved; `pages` are numbers by size."""
    return MemoryManager(memory_table.table(cells(number, memory=memory, hugepages=pages), {}))


def masks(hints: list[Hints | None]) -> tuple[list[int], list[int]]:
    """Answer the masks of all hints, and of the preferred ones; the hints of all resources are the same."""
    first = hints[0]
    assert first is not None
    assert hints == [first] * len(hints)
    return list(first.ascending()), [mask for mask in first.ascending() if first.prefers(mask)]


def give(tested: MemoryManager, text: str, affinity: Affinity = NOWHERE, **more: str) -> None:
    """Admit a pod of one container for good."""
    facts = pod(app(text, **more))
    tested.begin()
    tested.allocate(facts, facts.containers[0], affinity)


def blocks(tested: MemoryManager) -> dict[str, list[tuple[str, int, int]]]:
    """Answer the current pod's blocks: resource, mask and MiB by container."""
    return {name: [(b.resource, b.mask, b.size // MIB) for b in held] for name, held in tested.blocks.items()}


def test_hints_are_preferred_by_allocatable_memory() -> None:
    facts = pod(app("1/20Gi"))
    tested = manager()

    assert masks(tested.container_hints(facts, facts.containers[0])) == ([0b01, 0b10, 0b11], [0b01, 0b10])
    give(tested, "1/20Gi", NODE_0)
    assert masks(tested.pod_hints(facts)) == ([0b10], [0b10])
    assert masks(manager().pod_hints(pod(app("1/40Gi")))) == ([0b11], [0b11])


@pytest.mark.parametrize(
    ("container", "spec"),
    [
        (burstable("1/1Gi"), {}),
        (app("1/1Gi"), {"resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}),
        (app("1/1.0000000001Gi"), {}),
    ],
    ids=["Burstable", "spec.resources", "fractional bytes"],
)
def test_what_is_not_pinned_has_no_preference(container: Raw, spec: Raw) -> None:
    facts = pod(container, **spec)

    assert manager().pod_hints(facts) == [None]
    assert manager().container_hints(facts, facts.containers[0]) == [None]


def test_a_request_that_no_nodes_can_serve_has_no_preference_either() -> None:
    assert manager().pod_hints(pod(app("1/70Gi"))) == [None]


@pytest.mark.parametrize(
    ("containers", "spec"),
    [((burstable("1/1Gi"),), {}), ((app("1/1Gi"),), {"resources": {"limits": {"cpu": "1", "memory": "1Gi"}}})],
)
def test_pods_that_are_not_pinned_take_nothing(containers: tuple[Raw, ...], spec: Raw) -> None:
    tested, facts = manager(), pod(*containers, **spec)
    tested.allocate(facts, facts.containers[0], NODE_0)

    assert tested.blocks == {}


def test_a_container_without_memory_takes_nothing() -> None:
    tested, facts = manager(), pod(app("1/1Gi"))
    bare = replace(facts.containers[0], requests={})
    tested.allocate(facts, bare, NODE_0)

    assert tested.container_hints(facts, bare) == [None]
    assert tested.blocks == {}


def test_fractional_bytes_fail_only_when_they_are_allocated() -> None:
    tested, facts = manager(), pod(app("1/4294967296500m"))

    with pytest.raises(RefusedError, match="failed to represent quantity as int64"):
        tested.allocate(facts, facts.containers[0], NODE_0)


def test_memory_and_huge_pages_share_one_mask() -> None:
    tested = manager(**{"2Mi": 10})
    facts = pod(app("1/1Gi", hugepages_2Mi="24Mi"))

    assert masks(tested.pod_hints(facts)) == ([0b11], [0b11])
    assert len(tested.pod_hints(facts)) == 2
    tested.allocate(facts, facts.containers[0], BOTH)
    assert blocks(tested) == {"app": [("memory", 0b11, 1024), ("hugepages-2Mi", 0b11, 24)]}


def test_the_least_size_is_found_for_all_resources_together() -> None:
    shape = cells(3, memory=10 * GIB)
    paged = tuple(replace(cell, hugepages={"1Gi": pages}) for cell, pages in zip(shape, (0, 2, 9), strict=True))
    tested = MemoryManager(memory_table.table(paged, {}))

    assert masks(tested.pod_hints(pod(app("1/9Gi", hugepages_1Gi="3Gi")))) == (
        [0b101, 0b110, 0b111],
        [0b101, 0b110],
    )
    assert tested.pod_hints(pod(app("1/9Gi", hugepages_1Gi="12Gi"))) == [None, None]


def test_nodes_used_alone_are_not_combined_and_groups_not_split() -> None:
    alone, together = manager(), manager()
    give(alone, "1/1Gi", NODE_0)
    give(together, "1/1Gi", BOTH)

    assert masks(alone.pod_hints(pod(app("1/1Gi")))) == ([0b01, 0b10], [0b01, 0b10])
    assert masks(together.pod_hints(pod(app("1/1Gi")))) == ([0b11], [])
    assert alone.pod_hints(pod(app("1/40Gi"))) == [None]


def test_another_grouping_is_a_violation() -> None:
    tested, facts = manager(3), pod(app("1/40Gi"))
    give(tested, "1/40Gi", Affinity(0b011, preferred=True))

    with pytest.raises(RefusedError, match="preferred hint violates NUMA node allocation"):
        tested.allocate(facts, facts.containers[0], Affinity(0b110, preferred=True))


def test_without_affinity_the_best_hint_is_taken() -> None:
    tested = manager()
    give(tested, "1/20Gi")
    assert blocks(tested) == {"app": [("memory", 0b01, 20 * 1024)]}
    give(tested, "1/20Gi")
    assert blocks(tested) == {"app": [("memory", 0b10, 20 * 1024)]}


def test_an_affinity_that_is_too_small_is_extended() -> None:
    tested = manager()
    give(tested, "1/40Gi", NODE_1)

    assert blocks(tested) == {"app": [("memory", 0b11, 40 * 1024)]}


def test_a_hint_that_is_not_preferred_does_not_replace_one_that_is() -> None:
    default, extended = manager(), manager(3)
    give(default, "1/1Gi", BOTH)
    give(extended, "1/20Gi", NODE_0)
    facts = pod(app("1/20Gi"))

    with pytest.raises(RefusedError, match="failed to find the default preferred hint"):
        default.allocate(facts, facts.containers[0], PREFERRED)
    give(extended, "1/1Gi", Affinity(0b110, preferred=True))
    larger = pod(app("1/32Gi"))
    with pytest.raises(RefusedError, match="failed to find the extended preferred hint"):
        extended.allocate(larger, larger.containers[0], Affinity(0b010, preferred=True))


def test_where_nothing_serves_the_error_says_which_search_failed() -> None:
    facts = pod(app("1/70Gi"))

    with pytest.raises(RefusedError, match="no NUMA nodes with enough memory is available"):
        manager().allocate(facts, facts.containers[0], NOWHERE)
    with pytest.raises(RefusedError, match="failed to find NUMA nodes to extend"):
        manager().allocate(facts, facts.containers[0], NODE_0)


def test_an_init_containers_memory_is_used_again() -> None:
    tested = manager(memory=10 * GIB, **{"2Mi": 1})
    facts = pod(init("1/8Gi"), app("1/9Gi", hugepages_2Mi="2Mi"))
    for container in facts.containers:
        tested.allocate(facts, container, NODE_0)

    assert blocks(tested) == {
        "init": [("memory", 0b01, 0)],
        "app": [("memory", 0b01, 9 * 1024), ("hugepages-2Mi", 0b01, 2)],
    }
    assert masks(tested.pod_hints(pod(app("1/2Gi")))) == ([0b10], [0b10])
    assert masks(tested.pod_hints(pod(app("1/1000Mi")))) == ([0b01, 0b10], [0b01, 0b10])


def test_what_is_used_again_is_used_once() -> None:
    tested = manager(memory=10 * GIB)
    facts = pod(init("1/6Gi", "i"), sidecar("1/1Gi", "s"), init("1/2Gi", "j"), app("1/5Gi", "a"), app("1/3Gi", "b"))
    for container in facts.containers:
        tested.allocate(facts, container, NODE_0)

    assert {name: held[0][2] for name, held in blocks(tested).items()} == {
        "i": 0,
        "s": 1024,
        "j": 0,
        "a": 5 * 1024,
        "b": 3 * 1024,
    }


def test_memory_elsewhere_is_not_used_again() -> None:
    tested, facts = manager(memory=10 * GIB), pod(init("1/8Gi"), app("1/9Gi"))
    tested.allocate(facts, facts.containers[0], NODE_0)
    tested.allocate(facts, facts.containers[1], NODE_1)

    assert blocks(tested) == {"init": [("memory", 0b01, 8 * 1024)], "app": [("memory", 0b10, 9 * 1024)]}


def test_reuse_counts_only_for_the_same_mask() -> None:
    tested, facts = manager(memory=10 * GIB), pod(init("1/8Gi"), app("1/9Gi"))
    tested.allocate(facts, facts.containers[0], NODE_0)

    assert masks(tested.container_hints(facts, facts.containers[1])) == ([0b01, 0b10], [0b01, 0b10])


def test_released_memory_is_free_again_and_groups_dissolve() -> None:
    tested = manager()
    give(tested, "1/40Gi", BOTH)
    tested.release()

    assert tested.blocks == {}
    assert masks(tested.pod_hints(pod(app("1/32Gi")))) == ([0b01, 0b10, 0b11], [0b01, 0b10])


def test_a_release_leaves_the_group_of_others() -> None:
    tested = manager()
    give(tested, "1/40Gi", BOTH)
    give(tested, "1/10Gi", BOTH)
    tested.release()

    assert masks(tested.pod_hints(pod(app("1/24Gi")))) == ([0b11], [])


def test_pages_that_only_an_init_container_wants_are_no_pod_hint() -> None:
    assert len(manager(**{"2Mi": 10}).pod_hints(pod(init("1/1Gi", hugepages_2Mi="2Mi"), app("1/1Gi")))) == 1


def test_a_page_size_that_a_node_lacks_is_the_kubelets_panic() -> None:
    tested, facts = manager(), pod(app("1/1Gi", hugepages_1Gi="1Gi"))

    with pytest.raises(RefusedError, match="NUMA node 0 has no hugepages-1Gi"):
        tested.pod_hints(facts)
    with pytest.raises(RefusedError, match="NUMA node 1 has no hugepages-1Gi"):
        tested.allocate(facts, facts.containers[0], NODE_1)


def test_more_reserved_than_there_is_is_refused_before_it_wraps_around() -> None:
    tested = MemoryManager(memory_table.table(cells(), {1: {"memory": 33 * GIB}}))

    with pytest.raises(RefusedError, match="NUMA node 1 than it has"):
        tested.pod_hints(pod(app("1/1Gi")))
