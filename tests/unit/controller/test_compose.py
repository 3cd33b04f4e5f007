"""The content of a snapshot: gathered from the sinks, and readable by every replica."""

import json
from datetime import UTC
from datetime import datetime
from datetime import timedelta
from typing import Any

import pytest
from nodeobjects import H100
from nodeobjects import agent_report
from nodeobjects import node
from nodeobjects import rte_report

from webhook.controller.changes import Changes
from webhook.controller.compose import MOST_UNTRUSTED_BYTES
from webhook.controller.watches import Picture
from webhook.domain import api
from webhook.domain.raw import JsonObject
from webhook.sources.inventory.freshness import COUNTS
from webhook.sources.inventory.freshness import LATELY
from webhook.sources.snapshot_reader import Reader

NOW = datetime(2026, 11, 30, 3, 0, 0, tzinfo=UTC)
SOON = timedelta(seconds=1)
SELECTING = {"governs": "accelerators", "match": {"namespaceSelector": {"matchLabels": {"team": "a"}}}}
CLAIMED: JsonObject = {
    "metadata": {"name": "gpu"},
    "spec": {
        "extendedResourceName": "nvidia.com/gpu",
        "selectors": [{"cel": {"expression": "device.driver == 'gpu.nvidia.com'"}}],
    },
}


@pytest.fixture
def picture() -> Picture:
    """Answer a picture of four nodes, a policy, a namespace and a device class."""
    made = Picture(Changes(), own_namespace="ours", clock=lambda: NOW)
    for name in ("node-a", "node-b", "node-c", "node-d"):
        made.sinks["Node"].put(name, node(name, labels={"nvidia.com/gpu.product": H100}, cpu=192, gpus=8))
        made.sinks["NodeResourceTopology"].put(name, rte_report(name))
    made.sinks[api.POLICY].put("default", {"metadata": {"name": "default"}, "spec": SELECTING})
    made.sinks["Namespace"].put("team-a", {"metadata": {"labels": {"team": "a", "other": "x"}}})
    made.sinks["DeviceClass"].put("gpu", CLAIMED)
    return made


def written(picture: Picture, *, survey: bool = True) -> dict[str, Any]:
    """Compose a snapshot and read it as JSON."""
    document: dict[str, Any] = json.loads(picture.composer.compose(survey=survey)(NOW))
    return document


def test_a_snapshot_holds_what_a_replica_decides_with(picture: Picture) -> None:
    document = written(picture)

    assert document["written"] == "2026-11-30T03:00:00Z"
    assert document["policies"] == [{"metadata": {"name": "default"}, "spec": SELECTING}]
    assert [(one["nodes"], one["trusted"]) for one in document["classes"]] == [(4, True)]
    assert document["namespaces"] == [{"labels": {"team": "a"}, "names": ["team-a"]}]
    assert document["deviceClasses"] == [
        {"name": "gpu", "extendedResourceName": "nvidia.com/gpu", "drivers": ["gpu.nvidia.com"]}
    ]


def test_a_replica_can_read_it(picture: Picture) -> None:
    world = Reader().read(picture.composer.compose(survey=True)(NOW).encode(), "here")

    assert (len(world.classes), world.namespaces["team-a"]) == (1, {"team": "a"})


def test_without_a_look_at_the_nodes_the_classes_stay(picture: Picture) -> None:
    before = written(picture)["classes"]
    picture.sinks["Node"].keep(set())
    picture.sinks["NodeResourceTopology"].keep(set())

    assert written(picture, survey=False)["classes"] == before
    assert [one["nodes"] for one in written(picture)["classes"]] == [0]


def test_a_policy_may_want_more_nodes_to_agree(picture: Picture) -> None:
    spec = {**SELECTING, "minReportingNodes": 5}
    picture.sinks[api.POLICY].put("default", {"metadata": {"name": "default"}, "spec": spec})

    assert [one["trusted"] for one in written(picture)["classes"]] == [False]


def test_classes_keep_their_names_from_the_last_snapshot(picture: Picture) -> None:
    text = picture.composer.compose(survey=True)(NOW)
    name = json.loads(text)["classes"][0]["name"]
    picture.composer.adopt(text.replace(name, f"{name}-7"))

    assert [one["name"] for one in written(picture)["classes"]] == [f"{name}-7"]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"classes": 1, "policies": [null]}'])
def test_a_last_snapshot_that_is_none_is_ignored(picture: Picture, text: str) -> None:
    before = written(picture)
    picture.composer.adopt(text)

    assert written(picture) == before


def test_a_class_that_no_replica_could_read_is_left_out(picture: Picture, caplog: pytest.LogCaptureFixture) -> None:
    selector = {"matchLabels": {"node.kubernetes.io/instance-type": "odd"}}
    machine = {"numa": [{"cpus": "0-7", "memory": "64Gi"}], "devices": {"nvidia.com/gpu": {"0": 1}}}
    spec = {**machine, "kubelet": {"cpuManagerPolicy": "magic"}, "selector": selector}
    picture.composer.adopt(json.dumps({"classes": [{"name": "odd", "spec": spec, "nodes": 2}], "policies": []}))

    assert "odd" not in {one["name"] for one in written(picture)["classes"]}
    assert "left out of the snapshot: node class odd" in caplog.text


def test_agents_that_fall_silent_are_seen_without_any_change(picture: Picture) -> None:
    now = [NOW]
    picture = Picture(Changes(), own_namespace="ours", clock=lambda: now[0])
    for name in ("node-a", "node-b", "node-c"):
        picture.sinks["Node"].put(name, node(name, labels={"nvidia.com/gpu.product": H100}, cpu=192, gpus=8))
        picture.sinks["NodeAlignment"].put(name, agent_report(name, seen=f"{NOW:%Y-%m-%dT%H:%M:%SZ}"))

    def state(*, survey: bool, after: timedelta) -> list[tuple[object, object]]:
        now[0] = NOW + after
        return [(one.get("verified"), one["trusted"]) for one in written(picture, survey=survey)["classes"]]

    assert state(survey=True, after=timedelta()) == [(True, True)]
    assert state(survey=False, after=LATELY) == [(True, True)]
    assert state(survey=False, after=LATELY + SOON) == [(None, True)]
    assert state(survey=False, after=COUNTS + SOON) == [(None, False)]


def test_what_few_nodes_report_does_not_fill_the_snapshot(picture: Picture, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(8):
        name = f"liar-{number}"
        devices = {f"{'d' * 240}/x{at}": 1 for at in range(500)}
        picture.sinks["Node"].put(name, node(name, labels={"agentpool": f"p{number}"}, cpu=192, gpus=8, **devices))
        picture.sinks["NodeResourceTopology"].put(name, rte_report(name))
    classes = written(picture)["classes"]

    assert len(json.dumps([one for one in classes if not one["trusted"]])) < MOST_UNTRUSTED_BYTES
    assert [one["nodes"] for one in classes if one["trusted"]] == [4]
    assert "left out of the snapshot, which would grow too large" in caplog.text
