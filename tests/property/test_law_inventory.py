"""Laws of the inventory: it forgets order, it forgets what is removed, and it says what nodes said."""

import random
from datetime import UTC
from datetime import datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from inventories import class_of
from nodeobjects import GIB
from nodeobjects import Object
from nodeobjects import node
from nodeobjects import nvidia_device
from nodeobjects import profile
from nodeobjects import resource_slice
from nodeobjects import rte_report
from nodeobjects import zone
from strategies import json_values

from webhook.domain.kubelet.admit import cell_allocatable
from webhook.domain.kubelet.admit import startup_error
from webhook.sources.evidence import NodeFacts
from webhook.sources.evidence import ReportFacts
from webhook.sources.evidence import SliceFacts
from webhook.sources.inventory.reduce import reduce_any
from webhook.sources.inventory.reduce import reduce_profile
from webhook.sources.inventory.store import Inventory
from webhook.sources.snapshot import Content
from webhook.sources.snapshot import encode
from webhook.sources.snapshot_reader import Reader

TYPES = ("p5.48xlarge", "p4d.24xlarge", "own")


@st.composite
def zones(draw: st.DrawFn) -> list[Object]:
    """Draw the zones of a machine: CPUs in pairs, some kept back, memory, GPUs in some places."""
    count = draw(st.integers(1, 4))
    written = []
    for number in range(count):
        cpus = draw(st.sampled_from((0, 2, 8, 48))) if number else draw(st.sampled_from((4, 48)))
        kept = draw(st.integers(0, min(3, cpus - 1))) if cpus else 0
        memory = draw(st.integers(8, 12)) * GIB + draw(st.integers(0, 3))
        back = draw(st.sampled_from((0, 1, GIB)))
        gpus = {"nvidia": draw(st.integers(0, 4))} if draw(st.booleans()) else {}
        row = (cpus, cpus - kept, max(0, cpus - kept - 1))
        written.append(zone(number, of=count, cpus=row, memory=(memory, memory - back, memory // 2), **gpus))
    return written


AMOUNTS = ("0", "1", "3", "-1", "1.5", "1e30", "96", "20000", "64Gi", "1Ki", "much", 7, None, 10**40, True)
NAMES = (
    "cpu",
    "memory",
    "hugepages-2Mi",
    "hugepages-3Mi",
    "hugepages-x",
    "nvidia.com/gpu",
    "a b/c",
    "/",
    "",
    "x/" + "y" * 99,
)


@st.composite
def wild_zones(draw: st.DrawFn) -> Object:
    """Draw a zone that only a very bad exporter writes."""
    rows = []
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True)):
        amounts = {key: draw(st.sampled_from(AMOUNTS)) for key in ("capacity", "allocatable", "available")}
        rows.append({"name": name, **amounts})
    costs = draw(st.lists(st.fixed_dictionaries({"name": st.just("node-0"), "value": st.sampled_from((10, -1, 999))})))
    number = draw(st.sampled_from((0, 1, 7, 1023, 9999)))
    return {"name": f"node-{number}", "type": "Node", "resources": rows, "costs": costs}


@st.composite
def clusters(draw: st.DrawFn) -> list[Object]:
    """Draw nodes of a few types with or without reports and slices."""
    objects: list[Object] = []
    machines = draw(st.lists(zones(), min_size=1, max_size=3))
    for number in range(draw(st.integers(1, 8))):
        name = f"node-{number}"
        labels = {"node.kubernetes.io/instance-type": draw(st.sampled_from(TYPES)), "uid": name[-1]}
        objects.append(node(name, labels=labels, cpu=192, memory=64 * GIB, gpus=draw(st.integers(0, 8))))
        if draw(st.booleans()):
            policy = draw(st.sampled_from(("none", "restricted", "single-numa-node")))
            objects.append(rte_report(name, draw(st.sampled_from(machines)), policy=policy))
        if draw(st.booleans()):
            objects.append(resource_slice("gpu.nvidia.com", [nvidia_device(0, 0)], node_name=name))
    return objects


def filled(objects: list[Object]) -> Inventory:
    """Put objects in their order."""
    inventory = Inventory()
    for one in facts_of(objects):
        inventory.put(one)
    return inventory


def facts_of(objects: list[Object]) -> list[NodeFacts | ReportFacts | SliceFacts]:
    """Reduce the objects of a cluster."""
    reduced = (reduce_any(one) for one in objects)
    return [one for one in reduced if isinstance(one, NodeFacts | ReportFacts | SliceFacts)]


@given(clusters(), st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_matter(objects: list[Object], rng: random.Random) -> None:
    shuffled = rng.sample(objects, len(objects))

    assert filled(shuffled).survey() == filled(objects).survey()


@given(clusters(), clusters())
def test_what_is_put_and_removed_leaves_nothing(kept: list[Object], gone: list[Object]) -> None:
    inventory = filled(kept)
    renamed = [_renamed(one) for one in gone]
    for one in facts_of(renamed):
        inventory.put(one)
    for one in facts_of(renamed):
        inventory.remove(one.kind, one.name)

    assert inventory.survey() == filled(kept).survey()


@given(clusters())
def test_every_node_is_of_one_class_or_unknown(objects: list[Object]) -> None:
    survey = filled(objects).survey()
    counted = [one["nodes"] for one in survey.documents if isinstance(one["nodes"], int)]

    assert sum(counted) + sum(one.nodes for one in survey.unknown) == survey.nodes
    assert survey.nodes == sum(one["kind"] == "Node" for one in objects)


@given(clusters())
def test_every_class_is_a_profile_of_a_kubelet_that_starts(objects: list[Object]) -> None:
    for document in filled(objects).classes():
        assert startup_error(class_of(document)) is None


@given(clusters())
def test_a_snapshot_holds_what_the_inventory_answers(objects: list[Object]) -> None:
    classes = filled(objects).classes()
    content = Content(policies=(), classes=classes, namespaces={})
    world = Reader().read(encode(content, datetime(2026, 11, 30, 3, tzinfo=UTC)), "world.json")

    assert [(one.name, one.nodes, one.trusted) for one in world.classes] == [
        (one["name"], one["nodes"], one["trusted"]) for one in classes
    ]
    assert [one.free is not None for one in world.classes] == ["free" in one for one in classes]


@given(st.lists(wild_zones(), min_size=1, max_size=3), json_values)
def test_no_report_can_spoil_the_snapshot(written: list[Object], value: object) -> None:
    labels: Any = {"gpu.intel.com/numa-gpu-map": value, "nvidia.com/gpu.product": value, "x": "y" * 600}
    wild = [node("a", labels=labels), {**rte_report("a", written), "topologyPolicies": [value]}]
    part = profile("part", {"kubernetes.io/arch": "amd64"}, kubelet=value, devices=value, taints=value)
    classes = filled(wild).survey([reduce_profile(part)]).documents
    world = Reader().read(encode(Content((), classes, {}), datetime(2026, 11, 30, 3, tzinfo=UTC)), "world.json")

    assert len(world.classes) == len(classes)


@given(clusters())
def test_a_survey_of_the_same_nodes_keeps_the_names_it_gave(objects: list[Object]) -> None:
    inventory = filled(objects)
    before = inventory.classes()

    assert inventory.classes(before=before) == before


@given(zones())
def test_the_simulated_kubelet_has_what_a_node_reports(written: list[Object]) -> None:
    objects = [node("a"), rte_report("a", written)]
    for document in filled(objects).classes():
        room = {cell.id: (cell.cpus, cell.memory) for cell in cell_allocatable(class_of(document))}
        expected = {number: _allocatable(one) for number, one in enumerate(written)}
        if any(cpus != capacity for capacity, cpus in _cpus(written)):
            assert room == expected


def _allocatable(one: Object) -> tuple[int, int]:
    rows = {row["name"]: int(row["allocatable"]) for row in one["resources"]}
    return rows["cpu"], rows["memory"]


def _cpus(written: list[Object]) -> list[tuple[int, int]]:
    rows = (next(row for row in one["resources"] if row["name"] == "cpu") for one in written)
    return [(int(row["capacity"]), int(row["allocatable"])) for row in rows]


def _renamed(one: Object) -> Any:
    metadata = {**one["metadata"], "name": "x-" + one["metadata"]["name"]}
    spec = {**one.get("spec", {})}
    if "nodeName" in spec:
        spec["nodeName"] = "x-" + spec["nodeName"]
    return {**one, "metadata": metadata, "spec": spec}
