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
from webhook.domain.pointer import Path
from webhook.domain.quantity import Quantity
from webhook.domain.resources import CPU
from webhook.domain.topology import NodeClass


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield each accelerator container with part of a core; a warning where some eligible class may take it.

    Where spec.resources are pinned as a whole, they count, and not what a container has of them.
    """
    classes = [fit.node_class for fit in subject.fits if fit.node_class.kubelet.full_pcpus_only]
    whole = [one for one in classes if subject.facts.resources_set and one.kubelet.pins_pods_whole]
    for container in subject.mains:
        request, limit = subject.chosen(container, CPU)
        path = field_of(container, "requests" if limit is None else "limits", CPU)
        yield from _flaws(subject, limit or request, path, [one for one in classes if one not in whole], container.name)
    side = "limits" if CPU in subject.facts.pod_limits else "requests"
    yield from _flaws(subject, subject.facts.pod_requests.get(CPU), ("spec", "resources", side, CPU), whole)


def _flaws(
    subject: Subject, cpu: Quantity | None, path: Path, classes: list[NodeClass], container: str | None = None
) -> Iterator[Flaw]:
    if cpu is None or not cpu.is_whole:
        return
    refusing = [one for one in classes if cpu.value % one.threads_per_core]
    if refusing:
        threads = refusing[0].threads_per_core
        certain = len(refusing) == len(subject.fits) and any(one.trusted for one in refusing)
        yield Flaw(
            path=path,
            message=f"cpu {cpu} leaves part of a core: {refusing[0].name} hands out whole cores of {threads} CPUs",
            container=container,
            actual=str(cpu),
            wanted=str(subject.cpus_to_write(cpu) if certain else -(-cpu.value // threads) * threads),
            severity=None if certain else Severity.WARNING,
        )


CHECK = Check(
    code="partial-core",
    level=Level.EXCLUSIVE,
    severity=Severity.FAULT,
    remedy="Give accelerator containers a multiple of the CPUs per core.",
    find=find,
)
