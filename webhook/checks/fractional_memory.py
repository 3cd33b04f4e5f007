"""Finds memory that is not a whole number of bytes.

What: a memory value such as 1.2Gi, which is 1288490188.8 bytes.
Why: the Static memory manager cannot represent it and the kubelet refuses the pod with UnexpectedAdmissionError
(pkg/kubelet/cm/memorymanager/policy_static.go:getContainerRequestedResources).
Instead: the next whole number of bytes.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.check import field_of
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.quantity import Quantity
from webhook.domain.resources import MEMORY


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield each container whose memory has a fraction of a byte."""
    for container in subject.facts.containers:
        side = "limits" if MEMORY in container.limits else "requests"
        memory = container.limits.get(MEMORY, container.requests.get(MEMORY))
        if memory is None or memory.is_whole:
            continue
        yield Flaw(
            path=field_of(container, side, MEMORY),
            message=f"memory {memory} is not a whole number of bytes, which the kubelet's memory manager refuses",
            container=container.name,
            actual=str(memory),
            wanted=str(Quantity.of_bytes(memory.value)),
        )


CHECK = Check(
    code="fractional-memory",
    level=Level.EXCLUSIVE,
    severity=Severity.FAULT,
    remedy="Write memory as a whole number of bytes, for instance in Mi.",
    find=find,
)
