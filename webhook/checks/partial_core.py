"""Finds an accelerator container whose CPUs do not fill whole cores where the node hands out whole cores.

What: a whole number of CPUs that is no multiple of the threads per core, on a node class with full-pcpus-only.
Why: the kubelet refuses the pod with SMTAlignmentError
(pkg/kubelet/cm/cpumanager/policy_static.go:enforceSMTAlignment).
Instead: the next multiple of the threads per core.
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
    """Yield each accelerator container with part of a core; a warning where some eligible class would take it."""
    whole_cores = [fit.node_class for fit in subject.fits if fit.node_class.kubelet.full_pcpus_only]
    for container in subject.mains:
        request, limit = subject.chosen(container, CPU)
        cpu = limit or request
        if cpu is None or not cpu.is_whole:
            continue
        count = cpu.value
        refusing = [one for one in whole_cores if count % one.threads_per_core]
        if not refusing:
            continue
        threads = refusing[0].threads_per_core
        side = "requests" if limit is None else "limits"
        yield Flaw(
            path=field_of(container, side, CPU),
            message=f"cpu {cpu} leaves part of a core: {refusing[0].name} hands out whole cores of {threads} CPUs",
            container=container.name,
            actual=str(cpu),
            wanted=str(subject.cpus_to_write(cpu)),
            severity=None if len(refusing) == len(subject.fits) else Severity.WARNING,
        )


CHECK = Check(
    code="partial-core",
    level=Level.EXCLUSIVE,
    severity=Severity.FAULT,
    remedy="Give accelerator containers a multiple of the CPUs per core.",
    find=find,
)
