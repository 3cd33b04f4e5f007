"""What every replica needs in order to be sent requests."""

import math
import time
from datetime import UTC
from datetime import datetime
from datetime import timedelta

import pytest

from webhook.web.health import LAST_HOUR
from webhook.web.health import SILENT_SECONDS
from webhook.web.health import Health

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def failed(health: Health, now: datetime = NOW) -> list[str]:
    """Answer the lines of the checks that fail."""
    return [check.line for check in health.basics(now) if not check.ok]


def test_nothing_is_wrong_with_a_process_that_nobody_watches() -> None:
    assert failed(Health()) == []


@pytest.mark.parametrize(("left", "ready"), [(LAST_HOUR + timedelta(seconds=1), True), (LAST_HOUR, False)])
def test_a_certificate_counts_until_its_last_hour(left: timedelta, *, ready: bool) -> None:
    assert (failed(Health(certificate_expiry=NOW + left)) == []) is ready


def test_before_the_first_handshake_a_replica_is_not_ready() -> None:
    (line,) = failed(Health(shaken=-math.inf))

    assert line == "[-]handshake failed: never yet a TLS handshake with the port went well"


def test_a_few_handshakes_may_fail_and_not_all() -> None:
    assert failed(Health(shaken=time.monotonic() - SILENT_SECONDS / 2)) == []
    (line,) = failed(Health(shaken=time.monotonic() - SILENT_SECONDS))
    assert line == "[-]handshake failed: not for 20 s a TLS handshake with the port went well"
