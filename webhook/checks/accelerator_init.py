"""Finds an init container that asks for accelerators.

What: a regular init container and an app container both ask for accelerators.
Why: they share the devices, and on some versions a kubelet restart then ends the running pod
(kubernetes/kubernetes#124345).
Instead: do the work in the app container, or in an init container without accelerators.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.pod import ContainerKind


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield each regular init container with accelerators."""
    for container in subject.mains:
        if container.kind is ContainerKind.INIT:
            yield Flaw(
                path=(*container.path, "resources"),
                message="an init container with accelerators may end the pod when its kubelet restarts",
                container=container.name,
            )


CHECK = Check(
    code="accelerator-init",
    level=Level.ALIGNED,
    severity=Severity.WARNING,
    remedy="Keep accelerators to app containers.",
    find=find,
)
