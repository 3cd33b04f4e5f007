"""Finds memory that is not a whole number of bytes.

What: a memory value such as 1.2Gi, which is 1288490188.8 bytes.
Why: the Static memory manager cannot represent it and the kubelet refuses the pod with UnexpectedAdmissionError
(pkg/kubelet/cm/memorymanager/policy_static.go:getContainerRequestedResources).
Instead: the next whole number of bytes; below 1Mi what was meant, since no container lives on 100m, a tenth of a byte.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.check import field_of
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.quantity import Quantity
from webhook.domain.resources import LEAST_MEMORY
from webhook.domain.resources import MEMORY

_MOST_MILLI = 1_000_000
"""From here on the number before the m is no likely number of M."""


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield each container whose memory has a fraction of a byte."""
    for container in subject.facts.containers:
        side = "limits" if MEMORY in container.limits else "requests"
        memory = container.limits.get(MEMORY, container.requests.get(MEMORY))
        if memory is None or memory.is_whole:
            continue
        yield Flaw(
            path=field_of(container, side, MEMORY),
            message=_slip(memory)
            if memory < LEAST_MEMORY
            else f"memory {memory} is not a whole number of bytes, which the kubelet's memory manager refuses",
            container=container.name,
            actual=str(memory),
            wanted=None if memory < LEAST_MEMORY else str(Quantity.of_bytes(memory.value)),
        )


def _slip(memory: Quantity) -> str:
    """Say what a value below 1Mi is, and what was probably meant: 100m is a slip for 100M."""
    size, parts = divmod(memory.milli, 1000)
    meant = f"{memory.milli}M or {memory.milli}Mi" if memory.milli < _MOST_MILLI else "it in Mi or Gi"
    return f"memory {memory} is {size}.{parts:03}".rstrip("0") + f" bytes: write {meant}"


CHECK = Check(
    code="fractional-memory",
    level=Level.EXCLUSIVE,
    severity=Severity.FAULT,
    remedy="Write memory as a whole number of bytes, for instance in Mi.",
    find=find,
)
