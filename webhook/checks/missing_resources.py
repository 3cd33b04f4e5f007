"""Finds a container that names no CPU or no memory.

What: a container has neither request nor limit for CPU or memory, zero, or (an accelerator container) only the default
of a LimitRange.
Why: one such container, an init container included, keeps the pod out of QoS class Guaranteed
(pkg/apis/core/v1/helper/qos/qos.go:ComputePodQOS), and so without exclusive CPUs and pinned memory.
Instead: write limits for both; the request follows the limit.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.check import field_of
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.pod import Container
from webhook.domain.resources import COMPUTE
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield each container and resource without a value that somebody chose."""
    if subject.facts.resources_set:
        return
    for container in subject.facts.containers:
        for resource in COMPUTE:
            if subject.chosen(container, resource) == (None, None) and not _is_share(subject, container, resource):
                yield _flaw(subject, container, resource)


def _is_share(subject: Subject, container: Container, resource: str) -> bool:
    """A LimitRange's default that happens to be the share is what a repair would write: nothing is missing."""
    share = subject.shares.get(container.name, {}).get(resource)
    return share is not None and share == container.limits.get(resource) == container.requests.get(resource)


def _flaw(subject: Subject, container: Container, resource: str) -> Flaw:
    is_main = container.name in subject.accelerators
    values = subject.shares if is_main else subject.helper_values
    wanted = values.get(container.name, {}).get(resource)
    actual = container.limits.get(resource, container.requests.get(resource))
    if actual is not None and not actual.is_zero:
        what = f"{resource} {actual} is a LimitRange's default that nobody chose for an accelerator container"
    else:
        what = f"no {resource} is set, so the pod is not Guaranteed"
    if wanted is not None:
        nodes = "a NUMA node" if subject.numa_nodes == 1 else f"{subject.numa_nodes} NUMA nodes"
        hint = f"write limits {resource}: {wanted}" + (f", its fair share of {nodes}" if is_main else "")
    else:
        hint = f"write limits {resource}: " + (_MAIN_EXAMPLES if is_main else _HELPER_EXAMPLES)[resource]
    return Flaw(
        path=field_of(container, "limits", resource),
        message=f"{what}: {hint}",
        container=container.name,
        actual=None if actual is None else str(actual),
        wanted=None if wanted is None else str(wanted),
    )


_MAIN_EXAMPLES = {CPU: "a whole number such as 16", MEMORY: "a size such as 64Gi"}
_HELPER_EXAMPLES = {CPU: "an amount that is not whole, such as 50m", MEMORY: "a size such as 256Mi"}

CHECK = Check(
    code="missing-resources",
    level=Level.GUARANTEED,
    severity=Severity.FAULT,
    remedy="Write CPU and memory limits in every container, init containers included.",
    find=find,
)
