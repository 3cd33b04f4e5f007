"""Finds spec.resources, with which the kubelet pins nothing.

What: a pod with accelerators sets spec.resources.
Why: with feature gate PodLevelResourceManagers off, its default, the static CPU manager and the memory manager leave
such a pod alone, although its QoS class is Guaranteed (pkg/kubelet/cm/cpumanager/policy_static.go:allocateForAdd).
Instead: set CPU and memory per container. Node classes that switch the gate on are not simulated yet.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.levels import Level


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield one flaw where spec.resources are set."""
    if not subject.facts.resources_set:
        return
    yield Flaw(
        path=("spec", "resources"),
        message="spec.resources turn CPU and memory pinning off: set equal, whole values per container instead",
        actual=", ".join(f"{name} {quantity}" for name, quantity in sorted(subject.facts.pod_limits.items())) or None,
        wanted="none",
    )


CHECK = Check(
    code="pod-level-resources",
    level=Level.EXCLUSIVE,
    severity=Severity.FAULT,
    remedy="Set CPU and memory per container and remove spec.resources.",
    find=find,
)
