"""What is made of the objects that `numagate topology` reads."""

import json
from datetime import timedelta
from typing import Any

import pytest
from builders import INSTANT
from nodeobjects import agent_report
from nodeobjects import node
from nodeobjects import rte_report

from webhook.cli.topology.gather import survey_of
from webhook.cli.topology.gather import survey_of_world
from webhook.domain.errors import InputError
from webhook.domain.manifest import Manifest
from webhook.domain.manifest import Positions

WORLD: dict[str, Any] = {
    "apiVersion": "numagate.io/v1alpha1",
    "kind": "World",
    "classes": [{"name": "b", "nodes": 3, "trusted": True, "spec": {}}, {"name": "a", "nodes": 2, "spec": {}}],
}


def manifests(*objects: dict[str, Any]) -> list[Manifest]:
    """Read objects as the documents of one file."""
    return [Manifest("in.yaml", number, (), one, Positions(1)) for number, one in enumerate(objects)]


def test_objects_of_other_kinds_are_passed_over() -> None:
    survey = survey_of(manifests(node(), {"apiVersion": "v1", "kind": "Pod"}, rte_report()), 1, INSTANT)

    assert [one.document["name"] for one in survey.classes] == ["node"]


def test_agents_alone_make_a_class_whose_age_counts() -> None:
    written = manifests(node(), agent_report(seen=f"{INSTANT:%Y-%m-%dT%H:%M:%SZ}"))
    (fresh,) = survey_of(written, 1, INSTANT).classes
    (old,) = survey_of(written, 1, INSTANT + timedelta(days=1)).classes

    assert (fresh.document["trusted"], fresh.document["verified"]) == (True, True)
    assert (old.document["trusted"], "verified" in old.document) == (False, False)
    assert old.distrust == "reported by 0 nodes, 1 are wanted; 1 more had no word from numagate's agent for an hour"


def test_an_input_without_nodes_is_no_input() -> None:
    with pytest.raises(InputError, match=r"in\.yaml: no Node, report about one, or NodeProfile in it: give the"):
        survey_of(manifests({"apiVersion": "v1", "kind": "Pod"}), 3, INSTANT)


@pytest.mark.parametrize(
    "written", [WORLD, {"apiVersion": "v1", "kind": "ConfigMap", "data": {"world.json": json.dumps(WORLD)}}]
)
def test_a_snapshot_is_read_by_itself_or_in_its_config_map(written: dict[str, Any]) -> None:
    survey = survey_of_world(manifests(written), "in.yaml")

    assert [(one.document["name"], bool(one.distrust)) for one in survey.classes] == [("a", True), ("b", False)]
    assert survey.nodes == 5


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ({"apiVersion": "v1", "kind": "ConfigMap", "data": {}}, "no world snapshot in it"),
        ({"apiVersion": "v1", "kind": "ConfigMap", "data": {"world.json": "{"}}, r"data\[world.json\] is no JSON"),
        ({"apiVersion": "v1", "kind": "Node"}, "no world snapshot in it"),
    ],
)
def test_what_is_no_snapshot_is_refused(written: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        survey_of_world(manifests(written), "in.yaml")
