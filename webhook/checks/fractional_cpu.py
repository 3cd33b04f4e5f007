"""Finds an accelerator container whose CPU is not a whole number.

What: the CPU request of a container with accelerators has a fraction.
Why: the static CPU manager gives exclusive CPUs for whole numbers only; otherwise the container runs in the shared
pool, on any NUMA node, and nobody notices (pkg/kubelet/cm/cpumanager/policy_static.go:guaranteedCPUs).
Instead: the next whole number.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.check import field_of
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.resources import CPU


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield each accelerator container with a fraction of a CPU, unless it runs on CPUs of its whole pod."""
    pods_own = {one.container for fit in subject.fits for one in fit.admission.placements if one.pool and one.pinned}
    for container in subject.mains:
        request, limit = subject.chosen(container, CPU)
        cpu = limit or request
        if cpu is None or cpu.is_whole or container.name in pods_own:
            continue
        side = "requests" if limit is None else "limits"
        yield Flaw(
            path=field_of(container, side, CPU),
            message=f"cpu {cpu} is not a whole number, so the container gets no exclusive CPUs",
            container=container.name,
            actual=str(cpu),
            wanted=str(subject.cpus_to_write(cpu)),
        )


CHECK = Check(
    code="fractional-cpu",
    level=Level.EXCLUSIVE,
    severity=Severity.FAULT,
    remedy="Give accelerator containers whole CPUs.",
    find=find,
)
