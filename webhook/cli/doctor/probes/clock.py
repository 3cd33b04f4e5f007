"""Do this machine, the API server and the controller agree on the time? Certificates and exemptions go by it."""

from collections.abc import Iterator
from typing import Final

from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import unknown
from webhook.cli.doctor.result import warning

MOST_SECONDS: Final = 30


def look(facts: Facts) -> Iterator[Result]:
    """Compare the Date header with the local clock."""
    if facts.date is None:
        yield unknown("the API server does not tell its time")
        return
    seconds = round((facts.date - facts.now).total_seconds())
    if abs(seconds) <= MOST_SECONDS:
        yield ok("the API server's clock agrees with this machine's")
        return
    way = "ahead of" if seconds > 0 else "behind"
    yield warning(
        f"the API server's clock is {abs(seconds)} s {way} this machine's",
        "synchronise the clocks (chrony, NTP): new certificates are refused by whoever is behind",
    )


PROBE = Probe("clock", 1, look)
