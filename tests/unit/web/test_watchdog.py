"""The watchdog: what it notes, and when it knocks."""

import logging
import threading
import time

import pytest

from webhook.web.health import Health
from webhook.web.watchdog import KNOCK_SECONDS
from webhook.web.watchdog import LATE_SECONDS
from webhook.web.watchdog import Watchdog


class Port:
    """A TLS port that answers or not."""

    def __init__(self, *, answers: bool = True) -> None:
        self.answers = answers
        self.knocks = 0

    def knock(self, _seconds: float) -> bool:
        """Count a knock."""
        self.knocks += 1
        return self.answers


def watchdog(health: Health, port: Port) -> Watchdog:
    """Watch the thread of the test."""
    return Watchdog(health=health, thread=threading.get_ident(), knock=port.knock, looked=lambda: None)


def test_a_loop_that_does_not_turn_is_told_once_with_its_stack(caplog: pytest.LogCaptureFixture) -> None:
    health = Health()
    watching = watchdog(health, Port())

    watching.look(health.heartbeat + LATE_SECONDS + 1)
    watching.look(health.heartbeat + LATE_SECONDS + 2)

    (record,) = caplog.records
    assert (record.levelno, record.message) == (logging.ERROR, "the event loop is stuck")
    facts = vars(record)["numagate_fields"]
    assert facts["seconds"] == pytest.approx(LATE_SECONDS + 1, abs=0.1)
    assert "test_a_loop_that_does_not_turn_is_told_once_with_its_stack" in facts["stack"]


def test_a_loop_that_is_stuck_again_is_told_again(caplog: pytest.LogCaptureFixture) -> None:
    health = Health()
    watching = watchdog(health, Port())

    for late in (LATE_SECONDS, 0.0, LATE_SECONDS):
        watching.look(health.heartbeat + late)

    assert len(caplog.records) == 2


def test_it_knocks_where_nobody_else_did() -> None:
    health, port = Health(), Port()
    health.shake()
    watching = watchdog(health, port)

    watching.look(health.shaken + KNOCK_SECONDS / 2)
    assert port.knocks == 0
    before = health.shaken
    watching.look(health.shaken + KNOCK_SECONDS)

    assert port.knocks == 1
    assert health.shaken > before


def test_a_port_that_does_not_answer_stays_as_it_was() -> None:
    health, port = Health(shaken=time.monotonic()), Port(answers=False)
    before = health.shaken

    watchdog(health, port).look(health.shaken + KNOCK_SECONDS)

    assert (port.knocks, health.shaken) == (1, before)
