"""Finds a pod that no eligible node class could admit aligned, even when empty.

What: accelerators, CPUs, memory and huge pages together exceed one NUMA node (or the number asked for) of every
eligible class, as the simulation of the kubelet's managers tells.
Why: the kubelet rejects the pod after scheduling (TopologyAffinityError and its like), for good, and its controller
makes the next one: hundreds of failed pods.
Instead: the nearest shape that fits, or a node pool that takes this one.
"""

from collections.abc import Iterator
from collections.abc import Mapping
from typing import Final

from webhook.domain import room
from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.fit import Cause
from webhook.domain.fit import ClassFit
from webhook.domain.fit import Fits
from webhook.domain.kubelet.refusal import PANIC
from webhook.domain.kubelet.refusal import SIMULATION
from webhook.domain.kubelet.refusal import STARTUP
from webhook.domain.levels import Level
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY
from webhook.domain.resources import amount
from webhook.domain.topology import unlike

_SILENT: Final = {STARTUP, SIMULATION}
"""Handlers of refusals that are no answer to this pod in particular."""

_FAILURES: Final[Mapping[str | None, str]] = {
    PANIC: "the kubelet of {} fails on this pod",
    STARTUP: "the kubelet of {} does not start",
    SIMULATION: "nobody can tell whether {} takes this pod",
}
"""What is said where no handler of a real kubelet answers, before the reason."""

_LOOK: Final = "numagate explain shows the NUMA nodes"


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield what exceeds the class that comes nearest; one flaw per resource, or one for the combination."""
    refusing = [fit for fit in subject.fits if fit.fits is Fits.NO and fit.cause is not Cause.UNPINNED]
    if not refusing or not subject.unfit:
        return
    kinds = set(unlike(fit.node_class for fit in refusing))
    nearest = min(
        (fit for fit in refusing if fit.node_class in kinds),
        key=lambda fit: (fit.admission.handler in _SILENT, len(_excesses(subject, fit))),
    )
    excesses = _excesses(subject, nearest)
    if not excesses and _speaks_for_itself(subject, nearest):
        return
    remedies = subject.remedies()
    for number, excess in enumerate(excesses):
        cure = _cure(subject, excess, remedies, is_first=number == 0)
        yield Flaw(
            path=excess.path,
            message=f"{excess.message}: {cure}" if cure else excess.message,
            container=excess.container,
            actual=excess.actual,
            wanted=excess.wanted,
        )
    if not excesses:
        yield _combination(subject, nearest, ", or ".join(remedies))


def _excesses(subject: Subject, fit: ClassFit) -> tuple[room.Excess, ...]:
    """Name what exceeds the class; where its kubelet answers nothing, less of anything would not help."""
    if fit.admission.handler in _SILENT:
        return ()
    return room.excesses(subject.facts, fit.node_class, subject.numa_nodes)


def _cure(subject: Subject, excess: room.Excess, remedies: tuple[str, ...], *, is_first: bool) -> str:
    """Say what to do; where no change that was tried is enough, what must change in any case, and where to look."""
    if remedies:
        return ", or ".join(remedies) if is_first else ""
    if excess.wanted.split()[:3] == ["at", "most", "0"]:
        return f"remove {excess.resource}, or use a node pool that has it"
    return f"{_none_found(subject)}, start with {excess.wanted}; {_LOOK}" if is_first else ""


def _none_found(subject: Subject) -> str:
    """Tell that no change fits; values in spec.resources are never tried."""
    if subject.facts.resources_set:
        return "no change of spec.resources was tried"
    return "no single change was found that fits"


def _combination(subject: Subject, nearest: ClassFit, cure: str) -> Flaw:
    main = next(iter(subject.mains), None)
    name, handler = nearest.node_class.name, nearest.admission.handler
    overhead = " (the pod's overhead counts as well)" if subject.facts.overhead else ""
    return Flaw(
        path=("spec", "containers") if main is None else (*main.path, "resources"),
        message=f"{_FAILURES[handler].format(name)}: {nearest.admission.message}{f': {cure}' if cure else ''}"
        if handler in _FAILURES
        else f"the containers never fit an empty node of {name} together: {nearest.reason}{overhead}: "
        f"{cure or f'{_none_found(subject)}; {_LOOK}'}",
        container=None if main is None else main.name,
    )


def _speaks_for_itself(subject: Subject, nearest: ClassFit) -> bool:
    """Part of a core in an accelerator container and a fraction of a byte have findings of their own."""
    if any(not amount(container.requests, MEMORY).is_whole for container in subject.facts.containers):
        return True
    threads, kubelet = nearest.node_class.threads_per_core, nearest.node_class.kubelet
    whole = subject.facts.resources_set and kubelet.pins_pods_whole
    asked = [subject.facts.pod_requests] if whole else [container.requests for container in subject.mains]
    partial = any(amount(requests, CPU).value % threads for requests in asked)
    return nearest.admission.reason == "SMTAlignmentError" and partial


CHECK = Check(
    code="misfit",
    level=Level.ALIGNED,
    severity=Severity.FAULT,
    remedy="Ask for no more than one NUMA node of an eligible node class has.",
    find=find,
)
