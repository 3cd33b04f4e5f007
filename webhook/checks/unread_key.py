"""Finds a value of numagate's own keys that is not read.

What: label numagate.io/governed that is neither true nor false, or annotation numagate.io/exempt-until that is no RFC
3339 instant.
Why: such a value counts as absent, and whoever wrote it believes that it counts.
Instead: "true", or an instant such as "2026-12-31T00:00:00Z".
"""

from collections.abc import Iterator

from webhook.domain import instant
from webhook.domain import keys
from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.levels import Level


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield each key whose value is not read."""
    governed = subject.facts.labels.get(keys.GOVERNED)
    if governed not in {None, "true", "false"}:
        yield Flaw(
            path=("metadata", "labels", keys.GOVERNED),
            message=f'{keys.GOVERNED} is neither "true" nor "false", so it does not count',
            actual=governed,
            wanted="true",
        )
    until = subject.facts.annotations.get(keys.EXEMPT_UNTIL)
    if until is not None and instant.parse(until) is None:
        yield Flaw(
            path=("metadata", "annotations", keys.EXEMPT_UNTIL),
            message=f"{keys.EXEMPT_UNTIL} is no instant, so the exemption does not count",
            actual=until[:64],
            wanted="an instant such as 2026-12-31T00:00:00Z",
        )


CHECK = Check(
    code="unread-key",
    level=Level.GUARANTEED,
    severity=Severity.WARNING,
    remedy="Write a value that is read.",
    find=find,
)
