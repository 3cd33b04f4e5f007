"""The world of those who ask seldom: the snapshot in the cluster, and the last one that can be read."""

from datetime import UTC
from datetime import datetime
from typing import Any

from webhook.sources.known_world import KnownWorld
from webhook.sources.snapshot import Content
from webhook.sources.snapshot import encode

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def snapshot(*policies: str) -> str:
    documents: list[dict[str, Any]] = [{"metadata": {"name": name}, "spec": {}} for name in policies]
    return encode(
        Content(policies=documents, classes=[], namespaces={"a": {"numagate.io/enforce": "none"}}), NOON
    ).decode()


def names(known: KnownWorld) -> list[str]:
    world = known(NOON)
    return [policy.name for policy in world.policies] if world is not None else []


def test_before_the_first_snapshot_nothing_is_known() -> None:
    known = KnownWorld("ours")

    assert known(NOON) is None


def test_the_newest_snapshot_counts_at_the_time_of_the_question() -> None:
    known = KnownWorld("ours")
    known.receive(snapshot("a"))
    known.receive(snapshot("a", "b"))

    world = known(NOON)

    assert world is not None
    assert known.holds(snapshot("a", "b"))
    assert not known.holds(snapshot("a"))
    assert (world.own_namespace, world.instant, names(known)) == ("ours", NOON, ["a", "b"])
    assert world.namespaces == {"a": {"numagate.io/enforce": "none"}}


def test_a_snapshot_that_is_gone_or_broken_leaves_the_last_one() -> None:
    known = KnownWorld("ours")
    known.receive(snapshot("a"))
    assert names(known) == ["a"]

    for text in ("", "{", "[]"):
        known.receive(text)
        assert names(known) == ["a"]
        assert not known.holds(text)
