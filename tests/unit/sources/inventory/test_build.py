"""Which nodes are of one class, what it is called, and whether it is trusted."""

from collections.abc import Mapping
from typing import Any

import pytest
from inventories import class_of
from inventories import survey_of
from nodeobjects import GIB
from nodeobjects import H100
from nodeobjects import RESERVED
from nodeobjects import Object
from nodeobjects import nfd_report
from nodeobjects import node
from nodeobjects import profile
from nodeobjects import rte_report
from nodeobjects import zone

from webhook.domain.kubelet.admit import cell_allocatable
from webhook.domain.raw import get_object
from webhook.sources.inventory.build import MOST_REMEMBERED
from webhook.sources.inventory.survey import Survey

TYPE = "node.kubernetes.io/instance-type"
P5 = {TYPE: "p5.48xlarge"}
SIZES: Mapping[str, Any] = {"cpu": 192, "memory": 2048 * GIB, "gpus": 8}


def pool(
    count: int,
    *,
    labels: Mapping[str, str] = P5,
    zones: Any = None,
    first: int = 0,
    memory: int = SIZES["memory"],
    **settings: str,
) -> list[Object]:
    """Write so many Nodes with a report each."""
    names = [f"node-{number}" for number in range(first, first + count)]
    sizes = {**SIZES, "memory": memory}
    nodes = [node(name, labels={**labels, "zone": f"z{number % 2}"}, **sizes) for number, name in enumerate(names)]
    return nodes + [rte_report(name, zones, **settings) for name in names]


def told(survey: Survey) -> dict[str, tuple[object, object]]:
    """Answer nodes and trust by name of the class."""
    return {str(one["name"]): (one["nodes"], one["trusted"]) for one in survey.documents}


def test_nodes_that_report_the_same_are_one_trusted_class() -> None:
    assert told(survey_of(pool(3))) == {"p5.48xlarge": (3, True)}


def test_fewer_nodes_than_wanted_are_not_trusted() -> None:
    survey = survey_of(pool(2))

    assert told(survey) == {"p5.48xlarge": (2, False)}
    assert survey.classes[0].distrust == "reported by 2 nodes, 3 are wanted"
    assert told(survey_of(pool(2), minimum=2)) == {"p5.48xlarge": (2, True)}


def test_a_node_that_differs_from_its_like_is_an_outlier() -> None:
    other = pool(1, zones=[zone(0, nvidia=6), zone(1, nvidia=2)], first=9)
    survey = survey_of(pool(4) + other)

    assert told(survey) == {"p5.48xlarge": (4, True), "p5.48xlarge-2": (1, False)}
    assert [one.outlier_of for one in survey.classes] == ["", "p5.48xlarge"]


def test_nodes_that_differ_in_taints_and_versions_still_agree_on_the_topology() -> None:
    tainted = [
        {**one, "spec": {"taints": [{"key": "team", "effect": "NoSchedule"}]}} if one["kind"] == "Node" else one
        for one in pool(2, first=5)
    ]

    assert told(survey_of(pool(2) + tainted)) == {"p5.48xlarge": (2, True), "p5.48xlarge-2": (2, True)}


def test_other_labels_make_another_class_zones_do_not() -> None:
    survey = survey_of(pool(3) + pool(3, labels={TYPE: "p5en.48xlarge"}, first=5))

    assert told(survey) == {"p5.48xlarge": (3, True), "p5en.48xlarge": (3, True)}


def test_a_class_declares_the_labels_that_all_its_nodes_share() -> None:
    spec = survey_of(pool(3, labels={**P5, "team": "a"})).documents[0]["spec"]

    assert spec["selector"] == {  # type: ignore[index] # a JSON object
        "matchLabels": {TYPE: "p5.48xlarge", "team": "a", "kubernetes.io/arch": "amd64"}
    }


def test_a_little_less_memory_makes_no_class_of_its_own_and_the_least_counts() -> None:
    less = 1024 * GIB - 300 * (1 << 20)
    zones = [zone(number, memory=(less, less - RESERVED, less), nvidia=4) for number in (0, 1)]
    survey = survey_of(pool(2) + pool(1, zones=zones, first=7))
    room = cell_allocatable(class_of(survey.documents[0]))

    assert told(survey) == {"p5.48xlarge": (3, True)}
    assert [cell.memory for cell in room] == [less - RESERVED] * 2


def test_much_less_memory_makes_a_class_of_its_own() -> None:
    zones = [zone(number, memory=(512 * GIB, 500 * GIB, 500 * GIB), nvidia=4) for number in (0, 1)]

    assert told(survey_of(pool(4) + pool(3, zones=zones, first=7, memory=1024 * GIB))) == {
        "p5.48xlarge": (4, True),
        "p5.48xlarge-2": (3, True),
    }


def test_a_node_that_reports_far_less_memory_than_its_like_is_not_trusted_for_their_number() -> None:
    zones = [zone(number, memory=(2 * GIB, GIB, GIB), nvidia=4) for number in (0, 1)]
    survey = survey_of(pool(9) + pool(1, zones=zones, first=20, memory=4 * GIB))

    assert told(survey) == {"p5.48xlarge": (9, True), "p5.48xlarge-2": (1, False)}
    assert survey.classes[1].distrust == "reported by 1 node, 3 are wanted"


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        (P5, "p5.48xlarge"),
        ({TYPE: "Standard_ND96isr_H100_v5", "agentpool": "gpu"}, "standard-nd96isr-h100-v5-gpu"),
        ({"nvidia.com/gpu.product": "NVIDIA-H200", "nvidia.com/gpu.count": "8"}, "h200-x8"),
        ({"karpenter.sh/nodepool": "gpu"}, "gpu"),
        ({}, "node"),
    ],
)
def test_a_class_is_named_after_what_tells_it_apart(labels: dict[str, str], name: str) -> None:
    assert list(told(survey_of(pool(3, labels=labels)))) == [name]


def test_a_class_keeps_its_name_when_another_becomes_larger() -> None:
    wide = pool(3, zones=[zone(0, nvidia=6), zone(1, nvidia=2)], first=100)
    before = survey_of(pool(4) + wide).documents
    grown = pool(9, zones=[zone(0, nvidia=6), zone(1, nvidia=2)], first=100)

    assert told(survey_of(pool(4) + grown, before=before)) == {"p5.48xlarge": (4, True), "p5.48xlarge-2": (9, True)}
    assert told(survey_of(pool(4) + grown)) == {"p5.48xlarge": (9, True), "p5.48xlarge-2": (4, True)}


def test_a_class_whose_last_node_is_gone_stays_known() -> None:
    others = pool(3, labels={TYPE: "p4d.24xlarge"}, first=50)
    before = survey_of(pool(3) + others).documents

    assert told(survey_of(others, before=before)) == {"p4d.24xlarge": (3, True), "p5.48xlarge": (0, True)}


def test_a_class_of_nodes_that_had_just_started_is_forgotten() -> None:
    bare = pool(1, labels=P5, first=9)
    full = pool(3, labels={**P5, "nvidia.com/gpu.product": H100, "nvidia.com/gpu.count": "8"})
    before = survey_of(full + bare).documents

    assert [one["nodes"] for one in before] == [3, 1]
    assert [one["nodes"] for one in survey_of(full, before=before).documents] == [3]
    assert [one["nodes"] for one in survey_of(pool(1, labels={TYPE: "x"}), before=before).documents] == [0, 1]


def test_a_class_that_was_replaced_by_another_of_the_same_labels_is_forgotten() -> None:
    before = survey_of(pool(3)).documents

    assert told(survey_of(pool(3, policy="restricted"), before=before)) == {"p5.48xlarge": (3, True)}


def test_a_full_profile_makes_one_class_of_its_nodes_whatever_they_report() -> None:
    whole = profile("our-p5", P5, machine="aws-p5-48xlarge")
    survey = survey_of([*pool(1), whole, *pool(1, zones=[zone(0, nvidia=8)], first=4)])

    assert told(survey) == {"our-p5": (2, True)}
    assert {found.field for found in survey.classes[0].conflicts} == set()


def test_a_full_profile_that_no_node_matches_is_a_class_with_no_nodes() -> None:
    survey = survey_of([profile("spare", {TYPE: "p9"}, machine="dgx-h100"), profile("bare", None, machine="dgx-b200")])

    assert told(survey) == {"bare": (0, True), "spare": (0, True)}


def test_a_profile_without_a_selector_is_about_no_node() -> None:
    assert told(survey_of([*pool(3), profile("bare", None, machine="dgx-b200")])) == {
        "bare": (0, True),
        "p5.48xlarge": (3, True),
    }


def test_a_partial_profile_completes_what_the_nodes_report() -> None:
    part = profile("part", P5, kubelet={"cpuManagerPolicyOptions": {"full-pcpus-only": "true"}})
    found = survey_of([*pool(3), part]).documents[0]

    assert class_of(found).kubelet.full_pcpus_only
    assert (found["name"], found["trusted"]) == ("p5.48xlarge", True)


def test_the_nodes_of_every_profile_are_counted() -> None:
    part = profile("part", {"zone": "z0"}, kubelet={"version": "1.36"})
    whole = profile("whole", P5, machine="aws-p5-48xlarge")
    survey = survey_of([*pool(3), part, whole, profile("none", {"a": "b"}), profile("bare", None)])

    assert survey.profiles == {"bare": 0, "none": 0, "part": 2, "whole": 3}


def test_labels_alone_are_not_trusted_because_nobody_tells_the_kubelet() -> None:
    survey = survey_of([node(f"n{number}", labels=P5, **SIZES) for number in range(5)])

    assert told(survey) == {"p5.48xlarge": (5, False)}
    assert survey.classes[0].distrust == "kubelet.topologyManagerPolicy is assumed"


def test_a_node_of_unknown_topology_is_of_no_class() -> None:
    survey = survey_of([node("x"), node("y"), *pool(3)])

    assert told(survey) == {"p5.48xlarge": (3, True)}
    assert [(one.nodes, one.examples) for one in survey.unknown] == [(2, ("x", "y"))]
    assert survey.nodes == 5


def test_a_hand_written_report_of_gpus_makes_no_class_and_says_what_is_missing() -> None:
    zones = [zone(number, cpus=None, memory=None, nvidia=4) for number in (0, 1)]
    survey = survey_of([nfd_report("node01", zones, "SingleNUMANodePodLevel", version="v1alpha1")])

    assert survey.documents == ()
    assert survey.unknown[0].reason == "NodeResourceTopology: no cpu and no memory row in node-0, node-1"


def test_a_kubelet_that_would_not_start_makes_no_class() -> None:
    part = profile("part", P5, kubelet={"memoryManagerPolicy": "Static", "reservedMemory": []})
    survey = survey_of([*pool(3), part])

    assert survey.documents == ()
    assert survey.unknown[0].reason.startswith("a kubelet would not start as the sources describe it")


def test_reports_without_any_node_object_are_nodes_all_the_same() -> None:
    assert told(survey_of([rte_report(f"node-{number}") for number in range(3)])) == {"node": (3, True)}


def test_a_report_whose_node_is_gone_does_not_count() -> None:
    assert told(survey_of([*pool(3), rte_report("gone")])) == {"p5.48xlarge": (3, True)}


def test_what_is_free_is_the_best_of_all_nodes_that_take_pods() -> None:
    objects = pool(3)
    objects[3]["zones"][0]["resources"][0]["available"] = "94"
    objects[0]["spec"] = {"unschedulable": True}
    objects[4]["zones"][1]["resources"][2]["available"] = "1"

    assert survey_of(objects).documents[0]["free"] == {
        "seen": "2026-11-30T02:00:00Z",
        "cells": [{"cpu": "90", "memory": "940Gi", "nvidia.com/gpu": "4"}],
    }


def test_the_simulated_kubelet_has_what_the_report_says() -> None:
    zones = [
        zone(0, of=3, cpus=(48, 45, 45), memory=(200 * GIB, 190 * GIB, 0), nvidia=1),
        zone(1, of=3, cpus=(48, 48, 48), memory=(208 * GIB, 207 * GIB, 0), nvidia=3),
        zone(2, of=3, cpus=(0, 0, 0), memory=(96 * GIB, 96 * GIB, 0)),
    ]
    room = cell_allocatable(class_of(survey_of(pool(3, zones=zones)).documents[0]))

    assert [(cell.id, cell.cpus, cell.memory >> 30, cell.devices.get("nvidia.com/gpu")) for cell in room] == [
        (0, 45, 190, 1),
        (1, 48, 207, 3),
        (2, 0, 96, 0),
    ]


def test_free_gpus_on_two_numa_nodes_are_not_free_together() -> None:
    """Case b06: four GPUs fit one empty NUMA node, and at the moment there are three and two."""
    objects = [rte_report("gpu-node-1", [zone(0, nvidia=4), zone(1, nvidia=4)])]
    for written, left in zip(objects[0]["zones"], ("3", "2"), strict=True):
        written["resources"][2]["available"] = left
    document = survey_of(objects).documents[0]
    room = cell_allocatable(class_of(document))

    assert [(cell.cpus, cell.memory, cell.devices) for cell in room] == [(94, 1008 * GIB, {"nvidia.com/gpu": 4})] * 2
    assert document["free"]["cells"] == [{"cpu": "90", "memory": "940Gi", "nvidia.com/gpu": "3"}]  # type: ignore[index] # a JSON object


def test_what_is_free_is_left_out_of_the_snapshot_where_nobody_knows_how_old_it_is() -> None:
    report = rte_report()
    del report["metadata"]["managedFields"]
    found = survey_of([report]).classes[0]

    assert "free" not in found.document
    assert found.free == {"seen": "", "cells": [{"cpu": "90", "memory": "940Gi", "nvidia.com/gpu": "4"}]}


def test_a_node_that_changes_its_labels_again_and_again_fills_no_snapshot() -> None:
    honest = survey_of(pool(3)).documents
    trail = [{**honest[0], "name": f"a-{number}", "trusted": False} for number in range(2 * MOST_REMEMBERED)]
    for number, one in enumerate(trail):
        one["spec"] = {**get_object(honest[0], "spec"), "selector": {"matchLabels": {"agentpool": f"a-{number}"}}}
    found = survey_of([], before=(*trail, *honest)).documents

    assert len(found) == MOST_REMEMBERED
    assert "p5.48xlarge" in {one["name"] for one in found}


def test_another_class_of_the_same_stem_takes_no_name_of_a_remembered_one() -> None:
    first = pool(3, labels={TYPE: "weird.8x", "nvidia.com/gpu.product": "A"})
    other = pool(3, labels={TYPE: "weird.8x", "nvidia.com/gpu.product": "B"}, first=10)
    seen = survey_of(first).documents
    away = survey_of(other, before=seen).documents
    back = survey_of(first + other, before=away)

    assert {one["name"]: one["nodes"] for one in away} == {"weird.8x": 0, "weird.8x-2": 3}
    assert told(back) == {"weird.8x": (3, True), "weird.8x-2": (3, True)}
    assert [
        dict(get_object(one, "spec", "selector", "matchLabels"))["nvidia.com/gpu.product"] for one in back.documents
    ] == ["A", "B"]


def test_a_profile_gives_its_class_its_name_whatever_is_remembered() -> None:
    seen = survey_of(pool(3)).documents
    named = profile("p5.48xlarge", {TYPE: "other"}, machine="dgx-h100")

    assert told(survey_of([named], before=seen)) == {"p5.48xlarge": (0, True)}
