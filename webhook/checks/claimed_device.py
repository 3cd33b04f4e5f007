"""Finds devices that come through a resource claim, which the topology manager never sees.

What: the pod has spec.resourceClaims (dynamic resource allocation).
Why: claims are prepared after admission and give no hints, so CPUs and memory may be pinned to one NUMA node and the
device may be on another (pkg/kubelet/cm/container_manager_linux.go:NewContainerManager lists the hint providers).
Instead: constrain the claim to one NUMA node, for instance with a matchAttribute on the driver's NUMA attribute.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.levels import Level


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield one flaw for a pod with resource claims."""
    if subject.facts.claims:
        yield Flaw(
            path=("spec", "resourceClaims"),
            message="devices of resource claims are outside the topology manager: it cannot align CPUs with them",
        )


CHECK = Check(
    code="claimed-device",
    level=Level.ALIGNED,
    severity=Severity.WARNING,
    remedy="Constrain the claim to one NUMA node.",
    find=find,
    accelerated=None,
)
