"""The store of reduced objects: what counts as a change, and what is kept once."""

import tracemalloc
from itertools import pairwise

from nodeobjects import agent_report
from nodeobjects import node
from nodeobjects import nvidia_device
from nodeobjects import resource_slice
from nodeobjects import rte_report
from nodeobjects import zone

from webhook.sources.inventory.reduce import reduce_alignment
from webhook.sources.inventory.reduce import reduce_node
from webhook.sources.inventory.reduce import reduce_nrt
from webhook.sources.inventory.reduce import reduce_slice
from webhook.sources.inventory.store import Inventory


def test_the_same_object_again_is_no_change() -> None:
    inventory = Inventory()
    heartbeat = {**node(), "status": {**node()["status"], "conditions": [{"type": "Ready"}]}}

    assert inventory.put(reduce_node(node()))
    assert not inventory.put(reduce_node(heartbeat))
    assert inventory.put(reduce_node(node(labels={"a": "b"})))


def test_a_report_that_says_the_same_later_is_no_change_but_is_newer() -> None:
    inventory = Inventory()
    inventory.put(reduce_nrt(rte_report(), seen="2026-11-30T02:00:00Z"))

    assert not inventory.put(reduce_nrt(rte_report(), seen="2026-11-30T02:10:00Z"))
    assert inventory.classes()[0]["free"]["seen"] == "2026-11-30T02:10:00Z"  # type: ignore[index] # a JSON object


def test_an_agent_that_says_the_same_is_no_change_unless_it_was_silent_for_long() -> None:
    inventory = Inventory()
    inventory.put(reduce_alignment(agent_report(seen="2026-11-30T02:00:00Z")))

    assert not inventory.put(reduce_alignment(agent_report(seen="2026-11-30T02:15:00Z")))
    assert inventory.put(reduce_alignment(agent_report(seen="2026-11-30T02:30:01Z")))
    assert inventory.put(reduce_alignment(agent_report(seen="2026-11-30T02:30:01Z", memory=1 << 30)))


def test_agents_without_any_node_object_are_nodes_all_the_same() -> None:
    inventory = Inventory()
    inventory.put(reduce_alignment(agent_report("node-a")))
    inventory.put(reduce_nrt(rte_report("node-a")))
    inventory.put(reduce_nrt(rte_report("node-b")))

    assert (len(inventory), sum(one["nodes"] for one in inventory.classes())) == (2, 2)  # type: ignore[misc] # numbers


def test_a_report_with_other_free_capacity_is_a_change() -> None:
    inventory = Inventory()
    inventory.put(reduce_nrt(rte_report()))

    assert inventory.put(reduce_nrt(rte_report(zones=[zone(0, cpus=(96, 94, 2), nvidia=4), zone(1, nvidia=4)])))


def test_what_was_put_can_be_removed_once() -> None:
    inventory = Inventory()
    slice_facts = reduce_slice(resource_slice("gpu.nvidia.com", [nvidia_device(0, 0)]))
    assert slice_facts is not None
    for facts in (reduce_node(node()), reduce_alignment(agent_report()), reduce_nrt(rte_report()), slice_facts):
        inventory.put(facts)

        assert inventory.remove(facts.kind, facts.name)
        assert not inventory.remove(facts.kind, facts.name)
    assert not inventory.remove("Pod", "a")
    assert len(inventory) == 0


def test_a_slice_that_moves_to_another_node_leaves_the_first() -> None:
    inventory = Inventory()
    for name in ("node-a", "node-b"):
        inventory.put(reduce_node(node(name, gpus=1)))
        inventory.put(reduce_nrt(rte_report(name, [zone(0, of=1)])))
    for name in ("node-a", "node-b"):
        moved = reduce_slice(resource_slice("gpu.nvidia.com", [nvidia_device(0, 0)], node_name=name, name="one"))
        assert moved is not None
        inventory.put(moved)
    drivers = {one.examples: bool(one.drivers) for one in inventory.survey().classes}

    assert drivers == {("node-a",): False, ("node-b",): True}


def test_an_empty_inventory_has_no_classes() -> None:
    assert Inventory().classes() == ()


def test_every_change_after_a_look_is_seen_at_the_next() -> None:
    inventory = Inventory()
    inventory.put(reduce_node(node(gpus=8)))
    inventory.put(reduce_nrt(rte_report()))
    slice_facts = reduce_slice(resource_slice("gpu.nvidia.com", [nvidia_device(0, 0)]))
    assert slice_facts is not None
    looks = [inventory.survey()]

    for change in (
        lambda: inventory.put(reduce_nrt(rte_report(scope="container"))),
        lambda: inventory.put(reduce_node(node(gpus=8, labels={"pool": "a"}))),
        lambda: inventory.put(slice_facts),
        lambda: inventory.remove("ResourceSlice", slice_facts.name),
        lambda: inventory.remove("NodeResourceTopology", "node-a"),
        lambda: inventory.remove("Node", "node-a"),
    ):
        assert change()
        looks.append(inventory.survey())

    assert all(one != other for one, other in pairwise(looks))


def test_a_large_report_that_changes_all_the_time_is_not_held_each_time() -> None:
    inventory = Inventory(most_pooled=5_000)
    tracemalloc.start()
    try:
        _put_large(inventory, 1)
        once, _ = tracemalloc.get_traced_memory()
        for number in range(2, 60):
            _put_large(inventory, number)
        often, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert often < 8 * once


def _put_large(inventory: Inventory, number: int) -> None:
    inventory.put(reduce_nrt(rte_report(zones=[zone(0, **{f"a{at}": number for at in range(300)})])))
