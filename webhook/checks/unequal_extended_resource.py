"""Finds an extended resource whose request and limit differ, which the API server refuses.

What: an extended resource (accelerators, NICs) has a request that is not its limit, no limit, or a fraction.
Why: extended resources cannot be overcommitted (pkg/apis/core/validation/validation.go:validateResourceRequirements);
which number is meant is not known, so nothing is repaired, and an accelerator count is never changed.
Instead: write the same whole number as request and limit, or the limit alone.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.check import field_of
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.resources import is_extended
from webhook.domain.resources import is_whole


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield each extended resource that the API server would refuse."""
    for container in subject.facts.containers:
        for name, request in sorted(container.requests.items()):
            if not is_extended(name):
                continue
            limit = container.limits.get(name)
            if limit is None:
                message = f"{name} has a request of {request} but no limit, which the API server refuses"
                wanted = f"limits[{name}]: {request}"
            elif request != limit:
                message = f"{name} request {request} is not its limit {limit}, which the API server refuses"
                wanted = str(limit)
            elif not is_whole(request):
                message = f"{name} {request} is not a whole number, which the API server refuses"
                wanted = "a whole number"
            else:
                continue
            yield Flaw(field_of(container, "requests", name), message, container.name, str(request), wanted)


CHECK = Check(
    code="unequal-extended-resource",
    level=Level.GUARANTEED,
    severity=Severity.INVALID,
    remedy="Write the same whole number as request and limit.",
    find=find,
)
