"""Putting policies and worlds in force."""

from datetime import UTC
from datetime import datetime
from datetime import timedelta

import pytest

from webhook.domain.errors import PolicyError
from webhook.server.installing import Installer
from webhook.server.metrics import Metrics
from webhook.server.state import State
from webhook.sources.policy_file import load_policy
from webhook.sources.snapshot import Content
from webhook.sources.snapshot import encode
from webhook.sources.snapshot_reader import LoadedWorld
from webhook.sources.snapshot_reader import Reader

NOW = datetime(2026, 11, 30, 3, 0, 0, tzinfo=UTC)


def world(*, written: datetime = NOW, **spec: object) -> LoadedWorld:
    """Answer a snapshot; a field `tomorrow` of its policy may be left out."""
    content = Content(
        policies=[{"metadata": {"name": "default"}, "spec": spec}], classes=[], namespaces={"a": {"b": "c"}}
    )
    return Reader().read(encode(content, written, ignorable=["AlignmentPolicy.spec.tomorrow"]), "here")


@pytest.fixture
def state() -> State:
    """Answer a state with nothing in force."""
    return State(own_namespace="ours")


@pytest.fixture
def installer(state: State) -> Installer:
    """Answer an installer of the state."""
    return Installer(state, Metrics("0"))


def test_a_snapshot_is_shown_with_its_age(state: State, installer: Installer) -> None:
    installer.accept(world())
    generation = world().generation

    assert state.describe_world(NOW + timedelta(seconds=12.4)) == f"generation {generation}, 12 s old"
    assert [check.line for check in state.readiness(NOW)][:2] == [
        "[+]policy ok",
        f"[+]world ok: generation {generation}, 0 s old",
    ]


def test_a_file_has_no_age(state: State, installer: Installer) -> None:
    installer.accept(load_policy())

    assert (state.snapshot, state.describe_world(NOW)) == (None, "")


def test_a_refused_content_is_told_beside_the_one_that_stays(state: State, installer: Installer) -> None:
    installer.accept(world())
    installer.reject(PolicyError("not valid JSON", source="here"))

    assert all(check.ok for check in state.readiness(NOW))
    (check,) = [check for check in state.readiness(NOW) if check.name == "world"]
    assert check.note.endswith("0 s old; a newer content was refused: here: not valid JSON")


def test_without_any_content_it_says_what_it_waits_for(state: State, installer: Installer) -> None:
    installer.wait("the API server cannot be reached")

    assert next(iter(state.readiness(NOW))).detail == "no policy is in force: the API server cannot be reached"


def test_a_policy_that_stays_in_force_is_logged_once(installer: Installer, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO"):
        installer.accept(world())
        installer.accept(world(written=NOW + timedelta(minutes=1)))

    assert [record.message for record in caplog.records] == ["policy in force"]


def test_what_is_left_out_of_a_newer_snapshot_is_told_once_and_seen_in_the_readiness(
    installer: Installer, state: State, caplog: pytest.LogCaptureFixture
) -> None:
    installer.accept(world(tomorrow=1))
    installer.accept(world(tomorrow=2))
    notes = [check.note for check in state.readiness(NOW) if check.name == "world"]
    installer.accept(world())

    assert [record.getMessage() for record in caplog.records if record.levelname == "WARNING"] == [
        "fields of a newer controller that this version leaves out: AlignmentPolicy.spec.tomorrow",
        "fields of a newer controller that this version leaves out: none",
    ]
    assert [note.partition("; ")[2] for note in notes] == ["left out: AlignmentPolicy.spec.tomorrow"]
