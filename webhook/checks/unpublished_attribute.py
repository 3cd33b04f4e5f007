"""Finds a claim whose constraint no device can meet.

What: a matchAttribute constraint names an attribute that the driver of the devices does not publish.
Why: a device without the attribute is never chosen, so the pod is never scheduled
(k8s.io/api/resource/v1/types.go:DeviceConstraint).
Instead: an attribute that the driver publishes, such as resource.kubernetes.io/pcieRoot: equal roots lie on one NUMA
node.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.claims import Claim
from webhook.domain.claims import Constraint
from webhook.domain.claims import KnownClaims
from webhook.domain.dra_drivers import NUMA_NODE
from webhook.domain.dra_drivers import PCIE_ROOT
from webhook.domain.dra_drivers import publishes
from webhook.domain.finding import Severity
from webhook.domain.levels import Level


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield one flaw for each constraint and driver."""
    for pod_claim in subject.facts.claims:
        claim = subject.claims.claim_of(pod_claim) or Claim(())
        for constraint in claim.constraints:
            for driver in _silent(claim, constraint, subject.claims):
                instead = PCIE_ROOT if constraint.attribute == NUMA_NODE and publishes(driver, PCIE_ROOT) else None
                yield Flaw(
                    path=("spec", "resourceClaims"),
                    message=f"claim {pod_claim.name} cannot be met: {driver} publishes no {constraint.attribute}"
                    + (f", but {instead}" if instead else ""),
                    actual=constraint.attribute,
                    wanted=instead,
                )


def _silent(claim: Claim, constraint: Constraint, known: KnownClaims) -> list[str]:
    """Answer the drivers of requests none of whose alternatives has the attribute."""
    found: list[str] = []
    for request in claim.requests:
        drivers = [driver for option in request.options for driver in known.drivers_of(option)]
        if constraint.covers(request) and drivers and not any(publishes(one, constraint.attribute) for one in drivers):
            found += drivers
    return sorted(set(found))


CHECK = Check(
    code="unpublished-attribute",
    level=Level.ALIGNED,
    severity=Severity.WARNING,
    remedy="Match an attribute that the driver of the devices publishes.",
    find=find,
    accelerated=None,
)
