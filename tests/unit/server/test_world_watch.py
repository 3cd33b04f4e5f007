"""The watch of the snapshot against a scripted API server: whatever happens, the last good one stays."""

import asyncio
from collections.abc import Callable
from datetime import UTC
from datetime import datetime

import pytest
from scripted import Reply
from scripted import Stream
from scripted import event
from scripted import scripted
from serving import wait_until

from webhook.kube.client import Client
from webhook.server.installing import Installer
from webhook.server.metrics import Metrics
from webhook.server.state import State
from webhook.server.world_watch import WorldWatch
from webhook.sources.snapshot import Content
from webhook.sources.snapshot import encode

GET = "GET /api/v1/namespaces/ours/configmaps/world"
WATCH = "WATCH /api/v1/namespaces/ours/configmaps"
STAY = Stream(then="stay")


def content(name: str) -> str:
    """Write a snapshot with a policy of this name."""
    policies = [{"metadata": {"name": name}, "spec": {}}]
    return encode(Content(policies=policies, classes=[], namespaces={}), datetime.now(UTC)).decode()


def config_map(text: str | None, version: str = "5") -> dict[str, object]:
    """Write the object; None is an object without data."""
    data = {} if text is None else {"data": {"world.json": text}}
    return {"metadata": {"name": "world", "namespace": "ours", "resourceVersion": version}, **data}


class Bench:
    """A state that a watch changes."""

    def __init__(self) -> None:
        self.state = State(own_namespace="ours")
        self.metrics = Metrics("0")

    def run(self, script: dict[str, list[Reply | Stream]], until: Callable[["Bench"], bool]) -> None:
        """Watch until the condition holds."""
        with scripted(script) as (_, client):
            asyncio.run(self._watch(client, until))

    async def _watch(self, client: Client, until: Callable[["Bench"], bool]) -> None:
        installer = Installer(self.state, self.metrics)
        watch = WorldWatch(client, namespace="ours", name="world", installer=installer, metrics=self.metrics)
        watch.start()
        await asyncio.to_thread(wait_until, lambda: until(self))
        await asyncio.to_thread(watch.stop)

    @property
    def policies(self) -> list[str]:
        """The names of the policies in force."""
        return [policy.name for policy in self.state.loaded.policies] if self.state.loaded else []

    def refusals(self) -> float | None:
        """Answer how many contents were refused."""
        return self.metrics.registry.get_sample_value("numagate_policy_reload_failures_total")


def test_a_snapshot_is_in_force_and_so_is_the_next_one() -> None:
    bench = Bench()
    changed = Stream([event("MODIFIED", config_map(content("second"), "6"))], then="stay")
    bench.run(
        {GET: [Reply(config_map(content("first")))], WATCH: [changed]}, lambda bench: bench.policies == ["second"]
    )

    assert bench.refusals() == 0


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (event("DELETED", config_map(content("first"), "6")), "there is no such object"),
        (event("MODIFIED", config_map("", "6")), "there is nothing under world.json"),
        (event("MODIFIED", config_map(None, "6")), "there is nothing under world.json"),
        (event("MODIFIED", config_map('{"apiVersion":', "6")), "not valid JSON"),
    ],
)
def test_a_damaged_object_leaves_the_last_good_snapshot_and_is_refused_once(
    damage: dict[str, object], told: str, caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench()
    script: dict[str, list[Reply | Stream]] = {
        GET: [Reply(config_map(content("first")))],
        WATCH: [Stream([damage, damage], then="stay")],
    }
    bench.run(script, lambda bench: bench.refusals() == 1)

    assert bench.policies == ["first"]
    assert told in bench.state.refused
    assert [record.levelname for record in caplog.records if "policy refused" in record.message] == ["ERROR"]


def test_the_same_snapshot_after_damage_is_accepted_again() -> None:
    bench = Bench()
    good = config_map(content("first"))
    script: dict[str, list[Reply | Stream]] = {
        GET: [Reply(good)],
        WATCH: [Stream([event("DELETED", good), event("ADDED", good)], then="stay")],
    }
    bench.run(script, lambda bench: bench.refusals() == 1 and not bench.state.refused)

    assert bench.policies == ["first"]


def test_before_any_snapshot_it_is_not_ready_and_says_why() -> None:
    bench = Bench()
    bench.run({GET: [Reply({"message": "not yet"}, 503)]}, lambda bench: "not yet" in bench.state.refused)

    assert bench.state.world(datetime.now(UTC)) is None
    assert bench.metrics.registry.get_sample_value("numagate_world_watch_failures_total") == 1


def test_an_object_that_comes_later_is_taken() -> None:
    bench = Bench()
    added = Stream([event("ADDED", config_map(content("first")))], then="stay")
    bench.run({WATCH: [added]}, lambda bench: bench.policies == ["first"])

    assert bench.refusals() == 1
