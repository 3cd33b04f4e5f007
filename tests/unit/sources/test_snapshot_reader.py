"""World snapshots: what was written is read again, what did not change stays, what is wrong is refused whole."""

import json
from datetime import UTC
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from webhook.domain.claims import ClaimCatalog
from webhook.domain.claims import DeviceClass
from webhook.domain.errors import PolicyError
from webhook.domain.quantity import Quantity
from webhook.sources.snapshot import MAX_BYTES
from webhook.sources.snapshot import Content
from webhook.sources.snapshot import encode
from webhook.sources.snapshot import generation_of
from webhook.sources.snapshot_reader import Reader
from webhook.sources.snapshot_reader import load_snapshot

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def policy(name: str = "default", **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": spec}


def node_class(name: str = "h100", **changes: Any) -> dict[str, Any]:
    spec = {"machine": "dgx-h100", "selector": {"matchLabels": {"pool": name}}}
    return {"name": name, "spec": spec, "nodes": 2, "trusted": True, "sources": {"numa": "NodeProfile"}, **changes}


def content(**changes: Any) -> Content:
    return Content(
        **{
            "policies": [policy()],
            "classes": [node_class()],
            "namespaces": {"a": {"numagate.io/warn": "none"}},
            **changes,
        }
    )


def test_what_was_written_is_read_again() -> None:
    free = {"seen": "2026-11-30T11:59:00Z", "cells": [{"cpu": "44", "memory": "400Gi", "nvidia.com/gpu": "3"}]}
    classes = [node_class("b", nodes=0, trusted=False), node_class("a", nodes=212, free=free)]
    world = Reader().read(
        encode(content(policies=[policy("low"), policy("high", priority=1)], classes=classes), NOON), "w"
    )
    assert [one.name for one in world.policies] == ["high", "low"]
    assert [(one.name, one.nodes, one.trusted, dict(one.labels)) for one in world.classes] == [
        ("a", 212, True, {"pool": "a"}),
        ("b", 0, False, {"pool": "b"}),
    ]
    assert world.classes[0].free is not None
    assert world.classes[0].free.cells[0]["memory"] == Quantity.from_json("400Gi")
    assert (world.namespaces, world.written, world.source) == ({"a": {"numagate.io/warn": "none"}}, NOON, "w")
    assert world.sources["a"] == {"numa": "NodeProfile"}


def test_a_class_is_verified_where_it_says_so() -> None:
    classes = [node_class("a", verified=True), node_class("b", verified=False), node_class("c")]
    world = Reader().read(encode(content(classes=classes), NOON), "w")

    assert [one.verified for one in world.classes] == [True, False, False]


def test_device_classes_are_known_with_what_they_serve() -> None:
    entry = {"name": "gpu", "extendedResourceName": "nvidia.com/gpu", "drivers": ["gpu.nvidia.com"]}
    world = Reader().read(encode(content(device_classes=[entry]), NOON), "w")
    assert world.claims == ClaimCatalog({"gpu": DeviceClass("gpu", "nvidia.com/gpu", ("gpu.nvidia.com",))})


def test_equal_content_gives_equal_bytes_in_whatever_order_it_came() -> None:
    names = {"a": {"x": "1"}, "b": {"x": "2"}, "c": {"x": "1"}}
    one = content(classes=[node_class("a"), node_class("b")], namespaces=names)
    other = content(classes=[node_class("b"), node_class("a")], namespaces=dict(reversed(names.items())))
    assert encode(one, NOON) == encode(other, NOON)
    assert json.loads(encode(one, NOON))["namespaces"] == [
        {"labels": {"x": "1"}, "names": ["a", "c"]},
        {"labels": {"x": "2"}, "names": ["b"]},
    ]


@pytest.mark.parametrize(
    ("changes", "same"),
    [
        ({"classes": [node_class(nodes=9)]}, True),
        ({"classes": [node_class(free={"seen": "2026-11-30T11:59:00Z", "cells": []})]}, True),
        ({"classes": [node_class(sources={})]}, True),
        ({"classes": [node_class(trusted=False)]}, False),
        ({"classes": [node_class(verified=True)]}, False),
        ({"classes": [node_class(verified=False)]}, True),
        ({"classes": [node_class("other")]}, False),
        ({"policies": [policy(priority=1)]}, False),
        ({"namespaces": {}}, False),
        ({"device_classes": [{"name": "gpu"}]}, False),
    ],
)
def test_the_generation_names_what_decisions_follow_from(changes: dict[str, Any], *, same: bool) -> None:
    assert (generation_of(content(**changes)) == generation_of(content())) == same


def test_what_did_not_change_stays_the_same_object() -> None:
    reader = Reader()
    first = reader.read(encode(content(), NOON), "w")
    again = reader.read(encode(content(classes=[node_class(nodes=3), node_class("b")]), NOON), "w")
    assert again.classes[1].cells is first.classes[0].cells
    assert (again.classes[1].nodes, again.classes[0].cells is again.classes[1].cells) == (3, True)


def test_an_empty_world_is_a_world() -> None:
    world = Reader().read(encode(Content([], [], {}), NOON), "w")
    assert (world.policies, world.classes, world.namespaces) == ((), (), {})


def test_what_a_newer_controller_writes_beside_is_let_through() -> None:
    newer = {**json.loads(encode(content(), NOON)), "later": {"x": 1}}
    assert Reader().read(json.dumps(newer).encode(), "w").policies[0].name == "default"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "Earth"}, 'w: kind: "Earth" is not known: write World'),
        ({"apiVersion": "numagate.io/v9"}, 'w: apiVersion: "numagate.io/v9" is not known'),
        ({"policies": None}, "w: policies: required, but not written"),
        (
            {"policies": [{"metadata": {"name": "p"}, "spec": {"modes": {"enforce": 1}}}]},
            "w: AlignmentPolicy p: spec.modes",
        ),
        ({"classes": [node_class(spec={"machine": "none"})]}, "w: NodeProfile h100: spec.machine: "),
        ({"classes": [node_class(nodes=-1)]}, "w: classes[0].nodes: -1"),
        (
            {"classes": [node_class(free={"seen": "x", "cells": [{"cpu": "many"}]})]},
            "w: classes[0].free.cells[0].cpu: ",
        ),
        ({"written": "today"}, "w: written: no instant like"),
        (
            {"policies": [{"metadata": {"name": "\x1b[2J\n\ufeff"}, "spec": {}}]},
            r"w: AlignmentPolicy \x1b[2J\n\ufeff: ",
        ),
        ({"policies": [{"metadata": {"name": "x" * 300}, "spec": {}}]}, f"w: AlignmentPolicy {'x' * 64}: "),
    ],
)
def test_a_snapshot_that_is_wrong_is_refused_whole(changes: dict[str, Any], message: str) -> None:
    broken = {**json.loads(encode(content(), NOON)), **changes}
    with pytest.raises(PolicyError) as caught:
        Reader().read(json.dumps(broken).encode(), "w")
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "w: no world snapshot: not valid JSON"),
        (b"[]", "w: no world snapshot: write one with numagate world export"),
        (b'{"kind": "World"', "w: no world snapshot: not valid JSON"),
        (b'{"a":' * 600 + b"1" + b"}" * 600, "w: a.a.a.a.a.a.a.a: nested too deep"),
        (b'{"a":' * 2000 + b"1" + b"}" * 2000, "w: no world snapshot: not valid JSON"),
        (b" " * (MAX_BYTES + 1), "w: 1048577 bytes are too many for a world snapshot: at most 1048576"),
    ],
)
def test_what_is_no_snapshot_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(PolicyError) as caught:
        Reader().read(data, "w")
    assert str(caught.value).startswith(message)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"absent\.json: cannot be read: No such file"):
        load_snapshot(tmp_path / "absent.json")


def test_the_config_map_of_a_snapshot_is_read_like_the_snapshot(tmp_path: Path) -> None:
    text = encode(content(), NOON).decode()
    file = tmp_path / "map.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "data": {"world.json": text}}), "utf-8")
    assert [one.name for one in load_snapshot(file).policies] == ["default"]
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "data": {}}), "utf-8")
    with pytest.raises(PolicyError, match="no world snapshot"):
        load_snapshot(file)


def newer(**changes: Any) -> bytes:
    """Write what a newer controller might write: a field that this version does not know, in a list and below."""
    spec = {"tomorrow": {"a": 1}, "namespaces": [{"match": ["a"], "modes": {"warn": "none"}, "note": "b"}]}
    classes = [node_class(spec={**node_class()["spec"], "tomorrow": 2})]
    return encode(content(policies=[policy(**spec)], classes=classes), NOON, **changes)


ALL = ["AlignmentPolicy.spec.tomorrow", "AlignmentPolicy.spec.namespaces[].note", "NodeProfile.spec.tomorrow"]


def test_what_the_writer_lets_go_is_left_out_and_named() -> None:
    plain = content(policies=[policy(namespaces=[{"match": ["a"], "modes": {"warn": "none"}}])])
    reader = Reader()
    expected = reader.read(encode(plain, NOON), "w")

    world = reader.read(newer(ignorable=ALL), "w")

    assert (world.policies, world.classes) == (expected.policies, expected.classes)
    assert world.left_out == tuple(sorted(ALL))
    assert expected.left_out == ()


@pytest.mark.parametrize("missing", ALL)
def test_an_unknown_field_that_the_writer_does_not_let_go_is_refused(missing: str) -> None:
    known = [name for name in ALL if name != missing]

    with pytest.raises(PolicyError, match=missing.rpartition(".")[2]):
        Reader().read(newer(ignorable=known), "w")


def test_a_field_that_is_known_is_read_though_the_writer_would_let_it_go() -> None:
    strict = content(policies=[policy(modes={"enforce": "aligned"})])
    world = Reader().read(encode(strict, NOON, ignorable=["AlignmentPolicy.spec.modes"]), "w")

    assert world.policies == Reader().read(encode(strict, NOON), "w").policies
    assert world.left_out == ()


def test_a_known_field_with_an_unknown_value_is_refused_even_so() -> None:
    strict = content(policies=[policy(modes={"enforce": "tomorrow"})])

    with pytest.raises(PolicyError, match="tomorrow"):
        Reader().read(encode(strict, NOON, ignorable=["AlignmentPolicy.spec.modes"]), "w")
