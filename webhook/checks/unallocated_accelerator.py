"""Finds a pod that expects an accelerator but asks for none.

What: a runtime class, a node selector or a model server's image hints at an accelerator, and no container asks for one.
Why: the runtime may show the pod every device, but the kubelet allocated none: there is nothing to align.
Instead: a limit such as nvidia.com/gpu: 1.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.recognition import expects_accelerator


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield one flaw where something hints at an accelerator and none is asked for."""
    if subject.facts.claims:
        return
    hint = expects_accelerator(subject.facts, subject.policy.recognition)
    if hint is not None:
        yield Flaw(
            path=("spec", "containers"),
            message=f"write a limit such as nvidia.com/gpu: 1: {hint}, but no container asks for an accelerator",
        )


CHECK = Check(
    code="unallocated-accelerator",
    level=Level.ALIGNED,
    severity=Severity.WARNING,
    remedy="Write a limit for the accelerator.",
    find=find,
    accelerated=False,
)
