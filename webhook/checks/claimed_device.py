"""Finds devices that a driver hands out by resource claims, which the topology manager never sees.

What: the pod has spec.resourceClaims, or asks for an extended resource that a device class serves (dynamic resource
allocation).
Why: claims are prepared after admission and give no hints, so CPUs and memory may be pinned to one NUMA node and the
device may be on another (pkg/kubelet/cm/container_manager_linux.go:NewContainerManager lists the hint providers).
Instead: a claim with a matchAttribute constraint on resource.kubernetes.io/numaNode, for the devices among themselves;
and for CPUs too where the claim asks for them (dra.cpu), on nodes whose kubelet leaves CPUs to that driver.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.check import field_of
from webhook.domain.claims import Claim
from webhook.domain.dra_drivers import NUMA_NODE
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.pod import Container
from webhook.domain.pointer import Path
from webhook.domain.policy import IMPLICIT
from webhook.domain.policy import Answer

_CLAIMS: Path = ("spec", "resourceClaims")


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield a flaw for each claim that is known, one for all others, and one for each resource that claims serve."""
    found = [(one.name or one.template or one.claim, subject.claims.claim_of(one)) for one in subject.facts.claims]
    if any(claim is None for _, claim in found):
        yield Flaw(
            path=_CLAIMS,
            message="devices of resource claims are outside the topology manager: it cannot align CPUs with them",
        )
    for name, claim in found:
        if claim is not None:
            yield from _of_claim(name, claim, subject)
    for container in subject.mains:
        yield from _of_resources(container, subject)


def _of_claim(name: str, claim: Claim, subject: Subject) -> Iterator[Flaw]:
    known = subject.claims
    options = [option for request in claim.requests for option in request.options]
    drivers = sorted({driver for option in options for driver in known.drivers_of(option)})
    table = subject.policy.accelerators
    counted = any(table.includes_class(option.device_class, known.drivers_of(option)) for option in options)
    bindings = list(known.bindings(claim))
    own = next((one.attribute for one in bindings if one.cpus), None)
    among = next((one.attribute for one in bindings if one.whole), None)
    if own:
        text = f"claim {name} aligns its own CPUs by {own}: its nodes must leave CPUs to dra.cpu"
    elif among:
        text = f"claim {name} keeps its devices on one NUMA node, but the kubelet aligns no CPUs with them; add dra.cpu"
    else:
        devices = " and ".join(drivers)
        text = f"the kubelet aligns no CPUs with {devices} of claim {name}; match numaNode with dra.cpu there"
    yield Flaw(
        path=_CLAIMS,
        message=text,
        actual=among,
        wanted=None if own else f"a dra.cpu request and matchAttribute {NUMA_NODE}",
        severity=_severity(subject) if counted and not own else None,
    )


def _of_resources(container: Container, subject: Subject) -> Iterator[Flaw]:
    for resource in subject.accelerators[container.name]:
        serving = subject.claims.class_serving(resource)
        if not serving or resource not in {*container.requests, *container.limits}:
            continue
        surely = resource.startswith(IMPLICIT)
        yield Flaw(
            path=field_of(container, "limits", resource),
            message=f"device class {serving} {'serves' if surely else 'may serve'} it: "
            "such devices the kubelet does not align with CPUs",
            container=container.name,
            severity=_severity(subject) if surely else None,
        )


def _severity(subject: Subject) -> Severity | None:
    """Answer how grave it is that nothing aligns the pod: as the policy says of nodes that do not."""
    return Severity.FAULT if subject.policy.on_unenforced is Answer.DENY else None


CHECK = Check(
    code="claimed-device",
    level=Level.ALIGNED,
    severity=Severity.WARNING,
    remedy="Constrain the claim to one NUMA node, and ask for its CPUs there too.",
    find=find,
    accelerated=None,
)
