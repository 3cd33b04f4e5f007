"""Finds an in-memory volume larger than the memory of the pod.

What: an emptyDir with medium Memory has a sizeLimit above the memory limits of all app containers together.
Why: its pages are charged to the pod's memory, so the size can never be used: the pod is killed first.
Instead: a sizeLimit within the memory limit.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.pod import ContainerKind
from webhook.domain.quantity import ZERO
from webhook.domain.resources import MEMORY


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield each in-memory volume that exceeds the pod's memory; silent where a container has no limit."""
    limits = [
        container.limits.get(MEMORY) for container in subject.facts.of_kind(ContainerKind.APP, ContainerKind.SIDECAR)
    ]
    total = ZERO
    for limit in limits:
        if limit is None:
            return
        total += limit
    for path, size in subject.facts.shm_limits:
        if size > total:
            yield Flaw(
                path=path,
                message=f"an in-memory volume of {size} is charged to the pod's memory of {total}",
                actual=str(size),
                wanted=f"at most {total}",
            )


CHECK = Check(
    code="oversized-shm",
    level=Level.GUARANTEED,
    severity=Severity.WARNING,
    remedy="Keep the sizeLimit of in-memory volumes within the memory limit.",
    find=find,
)
