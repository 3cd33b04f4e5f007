"""The bell and what it is about."""

import time

from webhook.controller.changes import Changes
from webhook.controller.schedule import Urgency


def test_kinds_are_missing_until_they_are_whole() -> None:
    changes = Changes()
    changes.whole("Node")

    assert changes.missing(["Node", "Namespace"]) == ["Namespace"]


def test_a_change_rings_even_if_nobody_waits_yet() -> None:
    changes = Changes()
    changes.begin()
    changes.wrote()
    changes.note(Urgency.OTHER)

    changes.pause(most=60.0)
    assert 0 < changes.seconds_left() <= 0.5


def test_the_bell_is_quiet_after_it_was_heard() -> None:
    changes = Changes()
    changes.ring()
    changes.pause(most=60.0)

    started = time.monotonic()
    changes.pause(most=0.01)
    assert time.monotonic() - started >= 0.01


def test_a_failed_write_waits_and_a_rewrite_does_not() -> None:
    changes = Changes()
    changes.begin()
    changes.surveyed(seconds=0.0)
    changes.failed()

    assert 1.0 < changes.seconds_left() <= 2.0
    assert changes.refresh_due()
