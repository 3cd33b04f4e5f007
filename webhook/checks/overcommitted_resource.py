"""Finds a resource that cannot be overcommitted with a request that is not its limit.

What: an extended resource (accelerators, NICs) or huge pages have a request that differs from the limit, no limit, or
(extended resources) a fraction.
Why: the API server refuses the pod (pkg/apis/core/validation/validation.go:validateResourceRequirements); which number
is meant is not known, so nothing is repaired, and an accelerator count is never changed.
Instead: write the same number as request and limit, or the limit alone.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.check import field_of
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.resources import is_extended
from webhook.domain.resources import is_never_overcommitted


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield each such resource that the API server would refuse."""
    for container in subject.facts.containers:
        for name, request in sorted(container.requests.items()):
            if not is_never_overcommitted(name):
                continue
            limit, side = container.limits.get(name), "requests"
            if limit is None:
                message = f"{name} has a request of {request} but no limit, which the API server refuses"
                wanted = f"limits[{name}]: {request}"
            elif request != limit:
                message = f"{name} request {request} is not its limit {limit}, which the API server refuses"
                wanted = str(limit)
            elif is_extended(name) and not request.is_whole:
                message = f"{name} {request} is not a whole number, which the API server refuses"
                wanted, side = "a whole number", "limits"
            else:
                continue
            yield Flaw(field_of(container, side, name), message, container.name, str(request), wanted)


CHECK = Check(
    code="overcommitted-resource",
    level=Level.GUARANTEED,
    severity=Severity.INVALID,
    remedy="Write the same number as request and limit.",
    find=find,
)
