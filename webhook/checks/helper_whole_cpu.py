"""Finds a helper with whole CPUs, which the kubelet pins.

What: a container without accelerators has an equal, whole number of CPUs in a pod that is, or becomes, Guaranteed.
Why: the static CPU manager gives it exclusive CPUs too, in container scope perhaps on another NUMA node, or binds the
main container to the CPUs that an init container took (pkg/kubelet/cm/cpumanager/policy_static.go:updateCPUsToReuse).
Instead: a little less, such as 1990m for 2: the helper then runs in the shared pool.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.check import field_of
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.resources import CPU
from webhook.domain.resources import below_whole


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield each helper whose CPU is equal and whole."""
    if subject.facts.resources_set:
        return
    in_pod_scope = [fit.node_class.kubelet.topology_manager_scope == "pod" for fit in subject.fits]
    where = " of the pod's NUMA node" if in_pod_scope and all(in_pod_scope) else ", perhaps on another NUMA node"
    for container in subject.helpers:
        cpu = container.limits.get(CPU)
        if cpu is None or cpu.is_zero or not cpu.is_whole or cpu != container.requests.get(CPU):
            continue
        yield Flaw(
            path=field_of(container, "limits", CPU),
            message=f"cpu {cpu} is whole, so this helper takes exclusive CPUs{where}",
            container=container.name,
            actual=str(cpu),
            wanted=str(below_whole(cpu)),
        )


CHECK = Check(
    code="helper-whole-cpu",
    level=Level.ALIGNED,
    severity=Severity.WARNING,
    remedy="Give helpers an equal CPU request and limit that is not a whole number.",
    find=find,
)
