"""Finds a container whose CPU or memory request is not its limit.

What: a request without a limit, or a request below its limit.
Why: both must be equal in every container for QoS class Guaranteed
(pkg/apis/core/v1/helper/qos/qos.go:requirementsQOS); otherwise the kubelet pins nothing.
Instead: make the request the limit.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.check import field_of
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.resources import COMPUTE


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield each request without a limit and each request below its limit."""
    if subject.facts.resources_set:
        return
    for container in subject.facts.containers:
        for resource in COMPUTE:
            request, limit = subject.chosen(container, resource)
            if request is not None and limit is None:
                message = f"{resource} has a request of {request} but no limit, so the pod is not Guaranteed"
                yield Flaw(field_of(container, "limits", resource), message, container.name, None, str(request))
            elif limit is not None and (request is None or request < limit):
                below = "0" if request is None else str(request)
                message = f"{resource} request {below} is below its limit {limit}, so the pod is not Guaranteed"
                yield Flaw(field_of(container, "requests", resource), message, container.name, below, str(limit))


CHECK = Check(
    code="unequal-resources",
    level=Level.GUARANTEED,
    severity=Severity.FAULT,
    remedy="Make request and limit equal.",
    find=find,
)
