"""Finds a request above its limit, which the API server refuses.

What: a container (or spec.resources) requests more of a resource than its limit allows.
Why: pkg/apis/core/validation/validation.go:validateResourceRequirements refuses the pod; which of the two numbers is
meant is not known, so nothing is repaired.
Instead: make both the number that is meant.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.pointer import Path
from webhook.domain.resources import ResourceList
from webhook.domain.resources import is_extended


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield each native resource whose request exceeds its limit."""
    facts = subject.facts
    for container in facts.containers:
        yield from _compare(container.requests, container.limits, (*container.path, "resources"), container.name)
    yield from _compare(facts.pod_requests, facts.pod_limits, ("spec", "resources"), None)


def _compare(requests: ResourceList, limits: ResourceList, path: Path, container: str | None) -> Iterator[Flaw]:
    for name, request in sorted(requests.items()):
        limit = limits.get(name)
        if limit is not None and request > limit and not is_extended(name):
            yield Flaw(
                path=(*path, "requests", name),
                message=f"{name} request {request} is above its limit {limit}, which the API server refuses",
                container=container,
                actual=str(request),
                wanted=f"at most {limit}",
            )


CHECK = Check(
    code="request-above-limit",
    level=Level.GUARANTEED,
    severity=Severity.INVALID,
    remedy="Make request and limit the same number.",
    find=find,
)
