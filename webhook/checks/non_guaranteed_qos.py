"""Finds a pod whose spec.resources keep it out of QoS class Guaranteed.

What: spec.resources are set, and CPU or memory in them are missing or unequal.
Why: where spec.resources are set, they alone decide the QoS class, whatever the containers say
(pkg/apis/core/v1/helper/qos/qos.go:ComputePodQOS).
Instead: set CPU and memory per container, and leave spec.resources out; where nodes pin such pods, make them equal.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.pod import QOSClass

_INSTEAD = "set cpu and memory per container instead"


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield one flaw where spec.resources decide and do not give Guaranteed."""
    facts = subject.facts
    if facts.resources_set and facts.qos is not QOSClass.GUARANTEED:
        gated = any(fit.node_class.kubelet.pins_pod_level for fit in subject.fits)
        remedy = "write equal cpu and memory limits and requests there" if gated else _INSTEAD
        yield Flaw(
            path=("spec", "resources"),
            message=f"spec.resources make the pod {facts.qos.value}: {remedy}",
            actual=facts.qos.value,
            wanted=QOSClass.GUARANTEED.value,
        )


CHECK = Check(
    code="non-guaranteed-qos",
    level=Level.GUARANTEED,
    severity=Severity.FAULT,
    remedy="Set CPU and memory per container and remove spec.resources.",
    find=find,
)
