"""The leader keeps both webhook configurations in step, and neither fights nor touches what it may not."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field
from typing import Any

import pytest
from serving import wait_until

from webhook.controller.budget import SAME
from webhook.controller.drift import Patch
from webhook.controller.keeper import READ_SECONDS
from webhook.controller.keeper import RETRY_SECONDS
from webhook.controller.keeper import Keeper
from webhook.domain.jsonpatch import Operation
from webhook.domain.jsonpatch import apply
from webhook.domain.raw import JsonObject
from webhook.kube.error import KubeError

ONE: Sequence[JsonObject] = ({"metadata": {"name": "one"}},)
TWO: Sequence[JsonObject] = (*ONE, {"metadata": {"name": "two"}})
STEP = "mutating: in step; validating: in step"


def configuration(conditions: int, mode: str = "enforce", **annotations: str) -> dict[str, Any]:
    metadata = {"resourceVersion": "1", "labels": {"numagate.io/mode": mode}, "annotations": annotations}
    return {"metadata": metadata, "webhooks": [{"name": "pods", "matchConditions": [{"name": str(conditions)}]}]}


def render(policies: Sequence[JsonObject], mode: str) -> list[JsonObject]:
    """Make configurations that have the number of policies in them."""
    if mode != "enforce":
        raise ValueError
    return [configuration(len(policies))] * 2


@dataclass
class Bench:
    """A cluster with both configurations, and a keeper of it."""

    found: dict[str, Any] = field(
        default_factory=lambda: {"mutating": configuration(1), "validating": configuration(1)}
    )
    policies: Sequence[JsonObject] = ONE
    leading: bool = True
    away: bool = False
    now: float = 0.0
    reads: int = 0
    writes: list[str] = field(default_factory=list)
    shown: dict[str, tuple[int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the keeper."""
        self.keeper = Keeper(
            self,
            render=render,
            policies=lambda: self.policies,
            leading=lambda: self.leading,
            meters=self,
            clock=lambda: self.now,
            look_seconds=0.001,
        )

    def read(self, word: str) -> JsonObject | None:
        """Answer what is installed."""
        self.reads += 1
        if self.away:
            msg = "away"
            raise KubeError(msg)
        found: JsonObject | None = self.found[word]
        return found

    def write(self, word: str, patch: Patch) -> None:
        """Apply a patch."""
        added = [one for one in patch if one["op"] == "add"]
        operations = tuple(Operation("add", str(one["path"]), one["value"]) for one in added)
        self.found[word] = apply(self.found[word], operations)
        self.writes.append(word)

    def drifted(self, word: str, *, fields: int, entries: int) -> None:
        """Keep the last numbers."""
        self.shown[word] = (fields, entries)

    def mended(self, word: str) -> None:
        """Count nothing: the writes are kept."""

    def published(self, word: str) -> None:
        """Count nothing likewise."""

    def step(self, seconds: float = READ_SECONDS) -> str:
        """Let time pass and take a step; answer what is told then."""
        self.now += seconds
        self.keeper.step()
        return self.keeper.note


def test_what_is_in_step_is_not_written() -> None:
    bench = Bench()

    assert (bench.step(), bench.writes) == (STEP, [])


def test_changed_policies_are_followed_at_once() -> None:
    bench = Bench()
    bench.step()
    bench.policies = TWO

    assert (bench.step(1), bench.writes) == (STEP, ["mutating", "validating"])
    assert bench.found["validating"]["webhooks"][0]["matchConditions"] == [{"name": "2"}]


def test_nothing_is_read_while_nothing_has_changed() -> None:
    bench = Bench()
    bench.step()
    bench.step(READ_SECONDS - 1)

    assert bench.reads == 2


def test_what_somebody_else_changed_is_mended_at_the_next_look() -> None:
    bench = Bench()
    bench.step()
    bench.found["mutating"] = configuration(9)

    assert (bench.step(), bench.writes) == (STEP, ["mutating"])


def test_against_somebody_who_insists_it_is_only_told() -> None:
    bench = Bench()
    for _ in range(SAME + 2):
        bench.found["mutating"] = configuration(9)
        told = bench.step()

    assert len(bench.writes) == SAME
    assert bench.shown["mutating"] == (1, 0)
    assert told == (
        "mutating: matchConditions of pods differ; somebody else writes, too, so it is left for an hour; "
        "validating: in step"
    )


def test_an_annotation_leaves_it_to_whoever_installs() -> None:
    bench = Bench()
    bench.found["mutating"] = configuration(9, **{"numagate.io/keep-in-step": "false"})

    assert bench.step().startswith(
        "mutating: matchConditions of pods differ; left alone, as its annotation numagate.io/keep-in-step says; "
    )
    assert (bench.writes, bench.shown["mutating"]) == ([], (1, 0))


def test_an_entry_that_is_not_installed_is_told() -> None:
    bench = Bench()
    bench.found["mutating"] = {**configuration(1), "webhooks": []}

    assert bench.step() == "mutating: entry pods is not installed; validating: in step"
    assert (bench.writes, bench.shown["mutating"]) == ([], (0, 1))


def test_a_configuration_without_a_mode_is_left_alone() -> None:
    bench = Bench()
    bench.found["mutating"] = configuration(9, mode="")

    assert bench.step() == "mutating: left alone: its label numagate.io/mode is no mode; validating: in step"
    assert bench.writes == []


def test_a_configuration_that_is_not_there_is_told() -> None:
    bench = Bench()
    bench.found["mutating"] = None

    assert bench.step() == "mutating: not installed; validating: in step"


def test_without_policies_nothing_is_written() -> None:
    bench = Bench(policies=())
    bench.step()

    assert (bench.reads, bench.writes) == (0, [])


def test_only_the_leader_writes() -> None:
    bench = Bench(leading=False)

    assert (bench.step(), bench.reads) == ("not looked at by this replica", 0)


def test_who_leads_no_more_shows_no_drift() -> None:
    bench = Bench()
    bench.found["mutating"] = configuration(9, **{"numagate.io/keep-in-step": "false"})
    bench.step()
    bench.leading = False

    assert (bench.step(), bench.shown["mutating"]) == ("not looked at by this replica", (0, 0))


def test_who_leads_again_looks_at_once() -> None:
    bench = Bench()
    bench.step()
    bench.leading = False
    bench.step(1)
    bench.leading = True
    bench.step(1)

    assert bench.reads == 4


def test_an_api_server_that_is_away_is_asked_again_after_a_while() -> None:
    bench = Bench(away=True)
    with pytest.raises(KubeError):
        bench.step()
    bench.step(RETRY_SECONDS - 1)
    bench.away = False

    assert (bench.reads, bench.step(1)) == (1, STEP)


def test_the_thread_outlives_an_api_server_that_is_away_and_a_bug(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench(away=True)
    stop = threading.Event()
    thread = threading.Thread(target=bench.keeper.run, args=(stop,))
    thread.start()

    wait_until(lambda: "cannot be kept in step: away" in caplog.text)
    bench.away, bench.found = False, {}
    bench.now += RETRY_SECONDS
    wait_until(lambda: "bug while keeping" in caplog.text)
    bench.found = {"mutating": configuration(1), "validating": configuration(1)}
    bench.now += RETRY_SECONDS
    wait_until(lambda: bench.keeper.note == STEP)
    stop.set()
    thread.join(10)

    assert not thread.is_alive()
