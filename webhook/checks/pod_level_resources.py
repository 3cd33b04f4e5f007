"""Finds spec.resources on nodes that pin nothing of such a pod.

What: a pod with accelerators sets spec.resources, and its node class leaves the pod or its main container unpinned.
Why: with feature gate PodLevelResourceManagers off, its default, the static CPU manager and the memory manager leave
such a pod alone, although its QoS class is Guaranteed (pkg/kubelet/cm/cpumanager/policy_static.go:allocateForAdd). With
the gate on they pin the pod as a whole in pod scope, but its devices are handed out only when its containers start
(pkg/kubelet/cm/devicemanager/manager.go:AllocatePod); in container scope they pin containers that are equal themselves.
Instead: set CPU and memory per container, or use nodes with the gate.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.fit import Cause
from webhook.domain.fit import ClassFit
from webhook.domain.fit import Fits
from webhook.domain.levels import Level
from webhook.domain.policy import Classes
from webhook.domain.scheduling import telling_label


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield one flaw where spec.resources are set: a warning where enough classes pin the pod in spite of them."""
    if not subject.facts.resources_set:
        return
    pinning = [fit for fit in subject.fits if _pins(subject, fit)]
    leaving = [fit for fit in subject.fits if fit not in pinning and _leaves(fit)]
    if not pinning or (leaving and subject.policy.classes is Classes.ALL):
        if leaving or not subject.fits:
            yield _flaw(subject, _why(subject, leaving))
        return
    for fit in leaving:
        if fit.admission.admitted:
            yield _flaw(subject, _elsewhere(pinning, fit), Severity.WARNING)
    late = next((fit for fit in pinning if fit.admission.pod is not None), None)
    if late is not None:
        message = (
            f"nodes of {late.node_class.name} give a pod with spec.resources its devices at start, not at admission: "
            "pods that arrive together may be misaligned"
        )
        yield _flaw(subject, message, Severity.WARNING)


def _pins(subject: Subject, fit: ClassFit) -> bool:
    """Tell whether the class takes the pod and gives its accelerator containers exclusive CPUs."""
    kubelet = fit.node_class.kubelet
    if not kubelet.pins_pod_level or kubelet.cpu_manager_policy != "static" or fit.fits is Fits.NO:
        return False
    return _unpinned(subject, fit) is None


def _leaves(fit: ClassFit) -> bool:
    """Tell whether it is for spec.resources that the class pins nothing; other findings say what else keeps it."""
    kubelet = fit.node_class.kubelet
    otherwise = fit.cause in {Cause.REFUSED, Cause.SPREAD} or kubelet.cpu_manager_policy != "static"
    return not (kubelet.pins_pod_level and otherwise)


def _unpinned(subject: Subject, fit: ClassFit) -> str | None:
    placements = (one for one in fit.admission.placements if one.container in subject.accelerators)
    return next((placement.container for placement in placements if not placement.pinned), None)


def _why(subject: Subject, leaving: list[ClassFit]) -> str:
    gated = next((fit for fit in leaving if fit.node_class.kubelet.pins_pod_level), None)
    if gated is None:
        return "spec.resources turn CPU and memory pinning off: remove them and set equal, whole values per container"
    nodes, container = f"nodes of {gated.node_class.name}", _unpinned(subject, gated)
    if container is None:
        return f"{nodes} do not pin the pod's memory: write a whole number of bytes into spec.resources"
    if gated.node_class.kubelet.pins_pods_whole:
        return f"{nodes} pin no CPUs for the pod: write equal values and whole CPUs into spec.resources"
    return f"spec.resources alone pin nothing on {nodes}: give container {container} equal memory and equal, whole CPUs"


def _elsewhere(pinning: list[ClassFit], fit: ClassFit) -> str:
    label = telling_label([one.node_class for one in pinning], fit.node_class)
    remedy = f"add nodeSelector {label}" if label else "give the NodeProfiles labels that tell them apart"
    return f"{remedy}: nodes of {fit.node_class.name} pin nothing of a pod with spec.resources"


def _flaw(subject: Subject, message: str, severity: Severity | None = None) -> Flaw:
    return Flaw(
        path=("spec", "resources"),
        message=message,
        actual=", ".join(f"{name} {quantity}" for name, quantity in sorted(subject.facts.pod_limits.items())) or None,
        wanted=None if severity else "none",
        severity=severity,
    )


CHECK = Check(
    code="pod-level-resources",
    level=Level.EXCLUSIVE,
    severity=Severity.FAULT,
    remedy="Set CPU and memory per container and remove spec.resources, or use nodes that pin such pods.",
    find=find,
)
