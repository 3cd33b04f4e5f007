"""The policies of the agent: read now and then, the last good ones kept."""

from collections.abc import Callable
from datetime import UTC
from datetime import datetime
from typing import Any

import pytest
from scripted import Reply
from scripted import scripted
from scripted import thread_of
from serving import wait_until

from webhook.kube.backoff import Backoff
from webhook.node.policies import Policies
from webhook.sources.snapshot import Content
from webhook.sources.snapshot import encode

GET = "GET /api/v1/namespaces/numagate-system/configmaps/numagate-world"
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def snapshot(name: str) -> Reply:
    """Answer a ConfigMap with one policy."""
    document: dict[str, Any] = {"metadata": {"name": name}, "spec": {}}
    content = Content(policies=[document], classes=[], namespaces={"team-a": {"a": "b"}})
    return Reply({"data": {"world.json": encode(content, NOON).decode()}})


def names(policies: Policies) -> list[str]:
    """Answer the names of the policies in force."""
    world = policies(NOON)
    return [] if world is None else [policy.name for policy in world.policies]


def test_a_snapshot_is_read_again_and_what_fails_leaves_the_last_one() -> None:
    away = Reply({"message": "away"}, 503)
    read: list[datetime] = []
    with scripted({GET: [away, snapshot("a"), away, snapshot("b")]}) as (server, client):
        policies = Policies(
            client,
            namespace="numagate-system",
            on_read=read.append,
            read_seconds=0.001,
            backoff=Backoff(first=0.001, most=0.002),
        )
        before = names(policies)
        with thread_of(policies.run, client):
            wait_until(lambda: names(policies) == ["b"])

    assert before == []
    assert len(read) >= 2
    assert server.count(GET) >= 4


def test_labels_of_namespaces_are_known() -> None:
    with scripted({GET: [snapshot("a")]}) as (_, client):
        policies = Policies(client, namespace="numagate-system", read_seconds=60)
        with thread_of(policies.run, client):
            wait_until(lambda: policies(NOON) is not None)
        world = policies(NOON)

    assert world is not None
    assert world.namespaces == {"team-a": {"a": "b"}}


class Clock:
    """A clock that a test moves; who asks it for the time is counted."""

    def __init__(self) -> None:
        self.now = 0.0
        self.read = 0

    def __call__(self) -> float:
        """Answer the time."""
        self.read += 1
        return self.now

    def pass_until(self, condition: Callable[[], bool]) -> None:
        """Let a second after the other pass."""

        def passed() -> bool:
            self.now += 1
            return condition()

        wait_until(passed)

    def be_read(self) -> None:
        """Wait until somebody has asked for the time again and again."""
        before = self.read
        wait_until(lambda: self.read > before + 5)


def test_who_asks_is_heard_long_before_the_time_and_not_at_once() -> None:
    clock = Clock()
    with scripted({GET: [snapshot("a"), snapshot("b")]}) as (server, client):
        policies = Policies(client, namespace="numagate-system", monotonic=clock, tick_seconds=0.001)
        with thread_of(policies.run, client):
            wait_until(lambda: policies.asked == 0)
            policies.ask()
            clock.now = 9.9
            clock.be_read()
            early = server.count(GET)
            clock.pass_until(lambda: policies.asked > 0)
            clock.now = 200.0
            clock.be_read()

    assert (early, server.count(GET), names(policies)) == (1, 2, ["b"])
    assert 10 <= policies.asked < 200


@pytest.mark.parametrize("bad", [Reply({"data": {"world.json": "{"}}), Reply({"data": {}})], ids=["broken", "empty"])
def test_a_snapshot_that_cannot_be_read_is_no_newer_one_and_nobody_is_heard_then(bad: Reply) -> None:
    clock = Clock()
    read: list[datetime] = []
    with scripted({GET: [snapshot("a"), bad]}) as (server, client):
        policies = Policies(
            client, namespace="numagate-system", on_read=read.append, monotonic=clock, tick_seconds=0.001
        )
        with thread_of(policies.run, client):
            wait_until(lambda: len(read) == 1)
            policies.ask()
            clock.pass_until(lambda: len(read) == 2)
            policies.ask()
            clock.now = 200.0
            clock.be_read()

    assert (policies.asked, server.count(GET), names(policies)) == (0, 2, ["a"])
