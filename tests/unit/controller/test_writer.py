"""The writer: who writes, when, and what becomes of damage and failure."""

import json
from collections.abc import Callable
from datetime import datetime

import pytest

from webhook.controller.changes import Changes
from webhook.controller.metrics import Metrics
from webhook.controller.schedule import Urgency
from webhook.controller.writer import Writer
from webhook.domain.errors import NumagateError
from webhook.sources.snapshot import MAX_BYTES


class Notes:
    """A composer of one text that the test sets."""

    def __init__(self) -> None:
        self.content = "one"
        self.adopted: list[str] = []
        self.surveys: list[bool] = []
        self.meanwhile: Callable[[], None] = lambda: None

    def compose(self, *, survey: bool) -> Callable[[datetime], str]:
        """Answer the text with its instant."""
        self.surveys.append(survey)
        self.meanwhile()
        content = self.content
        return lambda written: f"{content} {written.year}" if len(content) < MAX_BYTES else content

    def adopt(self, text: str) -> None:
        """Note what was adopted."""
        self.adopted.append(text)


class Bench:
    """A writer whose cluster is a list of texts."""

    def __init__(self) -> None:
        self.changes = Changes()
        self.notes = Notes()
        self.metrics = Metrics("0")
        self.published: list[str] = []
        self.leads = True
        self.away = False
        self.writer = Writer(
            changes=self.changes,
            kinds=["Node"],
            composer=self.notes,
            documents=[],
            leading=lambda: self.leads,
            publish=self._publish,
            tell=lambda *_: None,
            metrics=self.metrics,
        )

    def _publish(self, text: str) -> None:
        if self.away:
            msg = "the API server cannot be reached"
            raise NumagateError(msg)
        self.published.append(text.partition(" ")[0])

    def change(self, content: str) -> None:
        """Change the content, long enough after the last snapshot."""
        self.notes.content = content
        self.due()
        self.changes.note(Urgency.OTHER)

    def due(self) -> None:
        """Let the time since the last snapshot be long over."""
        self.changes._schedule._looked -= 10.0  # noqa: SLF001 - the clock of the schedule is turned
        self.changes._schedule._not_before -= 10.0  # noqa: SLF001

    def grow_old(self) -> None:
        """Let the last snapshot be a minute old."""
        self.due()
        self.changes._schedule._written -= 100.0  # noqa: SLF001


@pytest.fixture
def bench() -> Bench:
    """Answer a bench whose first snapshot is due."""
    made = Bench()
    made.changes.whole("Node")
    return made


def test_nothing_is_written_before_all_kinds_were_read() -> None:
    bench = Bench()
    bench.writer.step()
    assert bench.published == []

    bench.changes.whole("Node")
    bench.writer.step()
    assert (bench.published, bench.notes.surveys) == (["one"], [True])


def test_only_the_leader_writes_and_a_new_leader_writes_at_once(bench: Bench) -> None:
    bench.leads = False
    bench.writer.step()
    assert bench.published == []

    bench.leads = True
    bench.writer.step()
    bench.leads = False
    bench.writer.step()
    bench.leads = True
    bench.due()
    bench.writer.step()
    assert bench.published == ["one", "one"]


def test_who_has_lost_the_lead_while_composing_does_not_write(bench: Bench) -> None:
    bench.notes.meanwhile = lambda: setattr(bench, "leads", False)
    bench.writer.step()

    assert bench.published == []


def test_what_is_unchanged_is_not_written_but_for_its_age(bench: Bench) -> None:
    bench.writer.step()
    bench.change("one")
    bench.writer.step()
    assert bench.published == ["one"]

    bench.change("two")
    bench.writer.step()
    bench.grow_old()
    bench.writer.step()
    assert bench.published == ["one", "two", "two"]
    assert bench.metrics.registry.get_sample_value("numagate_world_writes_total") == 3


def test_a_snapshot_that_somebody_damaged_is_written_again(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.writer.step()
    bench.writer.receive("")
    bench.due()
    bench.writer.step()

    assert (bench.published, bench.notes.adopted) == (["one", "one"], [])
    assert "the snapshot in the cluster is not as we wrote it" in caplog.text


def test_our_own_text_that_comes_back_late_is_no_damage(bench: Bench) -> None:
    bench.writer.step()
    bench.change("two")
    bench.writer.step()
    bench.writer.receive(f"one {datetime.now().astimezone().year}")
    bench.due()
    bench.writer.step()

    assert bench.published == ["one", "two"]


def test_the_snapshot_of_another_is_learned_from(bench: Bench) -> None:
    bench.leads = False
    bench.writer.receive("theirs")

    assert bench.notes.adopted == ["theirs"]


def test_what_cannot_be_written_is_tried_again_and_said_once(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    bench.away = True
    for _ in range(3):
        bench.writer.step()
        bench.due()
    bench.away = False
    bench.writer.step()

    assert bench.published == ["one"]
    assert [record.message for record in caplog.records] == [
        "not written: the API server cannot be reached; trying again"
    ]
    assert bench.metrics.registry.get_sample_value("numagate_world_write_failures_total") == 3


def test_a_snapshot_that_no_config_map_holds_is_not_sent_and_the_log_says_why(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    bench.notes.content = json.dumps({"policies": [], "classes": ["x" * MAX_BYTES]})
    bench.writer.step()
    assert bench.published == []

    bench.change("small")
    bench.writer.step()

    assert bench.published == ["small"]
    said = (
        "not written: the snapshot is too large for a ConfigMap: 1024 KiB, of which classes are 1024 KiB, and 1024 KiB "
        "fit: delete NodeProfiles that no node needs; trying again"
    )
    assert [record.message for record in caplog.records] == [said]
    assert bench.metrics.registry.get_sample_value("numagate_world_write_failures_total") == 1
