"""Whose agent is heard: what that is worth for a class, and when it ends."""

from collections.abc import Iterable
from datetime import UTC
from datetime import datetime
from datetime import timedelta
from typing import Any

import pytest
from inventories import survey_of
from nodeobjects import GIB
from nodeobjects import Object
from nodeobjects import agent_report
from nodeobjects import node
from nodeobjects import profile
from nodeobjects import rte_report

from webhook.sources.inventory.freshness import COUNTS
from webhook.sources.inventory.freshness import LATELY
from webhook.sources.inventory.survey import Survey

TYPE = {"node.kubernetes.io/instance-type": "ours.8x"}
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
WHOLE = profile("ours", TYPE, **{key: agent_report()["spec"][key] for key in ("numa", "devices", "kubelet")})
DAY = timedelta(days=1)
MINUTE = timedelta(minutes=1)
SOON = timedelta(seconds=1)


def ago(span: timedelta) -> str:
    return f"{NOW - span:%Y-%m-%dT%H:%M:%SZ}"


def made(number: int, *, age: timedelta = DAY, **fields: Any) -> Object:
    """Write a Node that joined so long ago."""
    written = node(f"node-{number}", labels=TYPE, cpu=192, memory=2048 * GIB, gpus=8)
    written["metadata"]["creationTimestamp"] = ago(age)
    written["spec"] |= fields
    return written


def agents(*silences: timedelta) -> list[Object]:
    """Write what agents wrote so long ago, each of another node."""
    return [agent_report(f"node-{number}", seen=ago(silence)) for number, silence in enumerate(silences)]


def surveyed(objects: Iterable[Object], *, now: datetime | None = NOW) -> Survey:
    return survey_of(objects, now=now)


def verified(objects: Iterable[Object], *, now: datetime | None = NOW) -> list[bool]:
    return [one.get("verified") is True for one in surveyed(objects, now=now).documents]


def pool(*silences: timedelta) -> list[Object]:
    return [*map(made, range(len(silences))), *agents(*silences)]


def test_a_cluster_without_any_exporter_has_classes_that_are_trusted_and_verified() -> None:
    (only,) = surveyed(pool(MINUTE, MINUTE, MINUTE)).classes

    assert (only.document["trusted"], only.document["verified"], only.distrust) == (True, True, "")
    assert only.document["sources"]["numa"] == "NodeAlignment"  # type: ignore[index] # a JSON object
    assert only.document["free"]["cells"] == [{"cpu": "96", "memory": "1023Gi", "nvidia.com/gpu": "4"}]  # type: ignore[index] # a JSON object
    assert (only.assumed, only.conflicts, only.problems) == ({}, (), ())


def test_one_silent_agent_is_enough_for_pods_that_may_land_there_not_to_be_verified() -> None:
    assert verified(pool(MINUTE, MINUTE, LATELY)) == [True]
    assert verified(pool(MINUTE, MINUTE, LATELY + SOON)) == [False]


def test_a_node_that_takes_no_pods_needs_no_agent() -> None:
    cordoned = made(2, unschedulable=True)

    assert verified([made(0), made(1), cordoned, *agents(MINUTE, MINUTE)]) == [True]


def test_a_node_that_has_just_joined_has_time_to_get_its_agent() -> None:
    others = [made(0), made(1), *agents(MINUTE, MINUTE), WHOLE]

    assert verified([*others, made(2, age=MINUTE)]) == [True]
    assert verified([*others, made(2, age=LATELY + SOON)]) == [False]


def test_a_node_of_no_class_where_pods_of_one_may_land_needs_an_agent_too() -> None:
    others = [made(0), made(1), *agents(MINUTE, MINUTE)]
    elsewhere = node("node-9", labels={"node.kubernetes.io/instance-type": "another"}, cpu=8)

    assert verified([*others, made(2)]) == [False]
    assert verified([*others, made(2, age=MINUTE)]) == [True]
    assert verified([*others, elsewhere]) == [True]
    assert verified([*others, {**elsewhere, "status": {"capacity": {"nvidia.com/gpu": "1"}}}]) == [False]


def test_where_all_nodes_have_just_joined_nobody_verifies_yet() -> None:
    assert verified([*(made(number, age=MINUTE) for number in range(3)), WHOLE]) == [False]


def test_exporters_verify_nothing() -> None:
    assert verified([*map(made, range(3)), *(rte_report(f"node-{number}") for number in range(3))]) == [False]


def test_without_an_instant_nobody_verifies_and_nobody_is_too_old() -> None:
    found = surveyed(pool(9 * DAY, 9 * DAY, 9 * DAY), now=None)

    assert [(one.document["trusted"], "verified" in one.document) for one in found.classes] == [(True, False)]
    assert found.holds_until is None


def test_an_agent_that_is_silent_for_an_hour_confirms_no_topology() -> None:
    known = surveyed(pool(COUNTS, COUNTS, COUNTS)).classes
    gone = surveyed(pool(MINUTE, COUNTS + SOON, COUNTS + SOON)).classes

    assert [(one.document["nodes"], one.distrust) for one in known] == [(3, "")]
    assert [(one.document["nodes"], one.distrust) for one in gone] == [
        (
            3,
            "reported by 1 node, 3 are wanted; 2 more had no word from numagate's agent for an hour",
        )
    ]


def test_what_a_person_wrote_needs_no_agent_to_confirm_it() -> None:
    silent = pool(9 * DAY, 9 * DAY, 9 * DAY)

    assert [one.distrust for one in surveyed([*silent, WHOLE]).classes] == [""]


def test_a_class_without_nodes_is_verified_by_nobody() -> None:
    before = surveyed(pool(MINUTE, MINUTE, MINUTE)).documents
    (left,) = survey_of([], before=before, now=NOW).documents

    assert (left["nodes"], "verified" in left, "free" in left) == (0, False, False)


def test_a_class_whose_nodes_have_no_agent_any_more_only_relaxes() -> None:
    before = surveyed(pool(MINUTE, MINUTE, MINUTE)).documents
    bare = [made(number) for number in range(3)]
    exported = survey_of([*bare, *(rte_report(f"node-{number}") for number in range(3))], now=NOW).documents

    def left(objects: Iterable[Object], documents: Any = before) -> list[tuple[object, object]]:
        return [(one["nodes"], one["trusted"]) for one in survey_of(objects, before=documents, now=NOW).documents]

    assert left([]) == [(0, True)]
    assert left(bare) == [(0, False)]
    assert left([made(number, age=MINUTE) for number in range(3)]) == [(0, True)]
    assert left(bare, exported) == [(0, True)]


@pytest.mark.parametrize(
    ("objects", "end"),
    [
        ([], None),
        ([made(0)], None),
        (pool(MINUTE, 5 * MINUTE), LATELY - 5 * MINUTE),
        (pool(MINUTE, 5 * MINUTE, LATELY + MINUTE), LATELY - 5 * MINUTE),
        (pool(20 * MINUTE, 5 * DAY), COUNTS - 20 * MINUTE),
        ([made(0, age=MINUTE)], LATELY - MINUTE),
    ],
    ids=["nothing", "no agent", "the first that falls silent", "the same", "the last that counts", "a young node"],
)
def test_a_survey_holds_until_the_next_agent_may_have_been_silent_for_too_long(
    objects: list[Object], end: timedelta | None
) -> None:
    assert surveyed(objects).holds_until == (None if end is None else NOW + end)
