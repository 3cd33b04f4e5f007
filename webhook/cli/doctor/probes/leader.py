"""Does a controller lead? Without one nothing is renewed, written or mended, and for minutes nobody would notice."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from webhook.cli.doctor.facts import CONTROLLER
from webhook.cli.doctor.facts import LABEL
from webhook.cli.doctor.facts import Facts
from webhook.cli.doctor.result import Probe
from webhook.cli.doctor.result import Result
from webhook.cli.doctor.result import ok
from webhook.cli.doctor.result import problem
from webhook.cli.doctor.result import unknown
from webhook.domain.api import LEASE
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text

LATE_SECONDS: Final = 60
"""A leader renews every 2 seconds; the rest is for clocks that differ, and for an election."""


def look(facts: Facts) -> Iterator[Result]:
    """Read who holds the Lease, and since when he has been silent."""
    if facts.from_file:
        return
    if facts.lease.error:
        yield unknown(facts.lease.error)
        return
    remedy = f"kubectl -n {facts.namespace} get pods -l {LABEL}={CONTROLLER} -o wide"
    spec = get_object(facts.lease.found, "spec")
    holder, renewed = get_text(spec, "holderIdentity"), _instant(get_text(spec, "renewTime"))
    if not holder or renewed is None:
        yield problem(f"no controller leads: nobody holds Lease {LEASE}", remedy)
        return
    silent = round((facts.now - renewed).total_seconds())
    if silent > LATE_SECONDS:
        yield problem(f"no controller leads: {holder} did, and has been silent for {silent} s", remedy)
    else:
        yield ok(f"{holder} leads")


def _instant(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


PROBE = Probe("leader", 12, look)
