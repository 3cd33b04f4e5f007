"""The policies of the agent: read now and then, the last good ones kept."""

from datetime import UTC
from datetime import datetime
from typing import Any

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
