"""Finds a pod that asks for containers which somebody adds later.

What: a label or annotation asks an injector for a container that the pod does not have yet.
Why: an injected container without equal CPU and memory takes QoS class Guaranteed from the whole pod
(pkg/apis/core/v1/helper/qos/qos.go:ComputePodQOS); what it will have is not written here.
Instead: set its resources where the injector takes them from; the pod is judged again after the injection.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.injectors import to_come
from webhook.domain.levels import Level


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield one flaw for each injector that has yet to come."""
    for injector in to_come(subject.facts):
        yield Flaw(
            path=("spec", "containers"),
            message=f"{injector.name} will add {injector.containers[0]}: set {injector.knob}",
        )


CHECK = Check(
    code="injected-later",
    level=Level.GUARANTEED,
    severity=Severity.WARNING,
    remedy="Set the resources of containers that are injected, with request and limit equal.",
    find=find,
)
