"""Finds that no known node class is eligible for the pod.

What: no NodeProfile matches the pod's node selector, affinity and tolerations, or none is declared; or all there is is
not trusted: reports of too few nodes, a product's name, a guess.
Why: without a topology nobody can say whether the pod fits one NUMA node; a pool scaled to zero may still take it.
Instead: declare a NodeProfile for these nodes; the policy's `onUnknown` says what happens until then.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.fit import ClassFit
from webhook.domain.fit import Fits
from webhook.domain.levels import Level
from webhook.domain.policy import Answer

_MOST_NAMED = 3
"""How many resources are told; a pod may ask for any number."""


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield one flaw where no class is eligible, as grave as the policy says."""
    answer = subject.policy.on_unknown
    if any(fit.fits is not Fits.UNSURE for fit in subject.fits) or answer is Answer.ALLOW:
        return
    severity = Severity.FAULT if answer is Answer.DENY else Severity.WARNING
    if subject.fits:
        yield _reported(subject.fits[0], severity)
        return
    resources = sorted({resource for counts in subject.accelerators.values() for resource in counts})
    yield Flaw(
        path=("spec", "nodeSelector"),
        message="no NodeProfile is known for the nodes this pod may run on, so its NUMA fit was not checked: "
        f"declare one that has {' and '.join(resources[:_MOST_NAMED])}",
        severity=severity,
    )


def _reported(unsure: ClassFit, severity: Severity) -> Flaw:
    """Tell what the cluster says of itself, which something keeps from being trusted: few nodes, a name, a guess."""
    one = unsure.node_class
    count = f" ({one.nodes} node{'s'[: one.nodes != 1]})" if one.nodes else ""
    return Flaw(
        path=("spec", "nodeSelector"),
        message=f"declare a NodeProfile: what is known of {one.name}{count} is not sure enough to refuse by, "
        f"and by it the pod would not fit ({unsure.reason})",
        severity=severity,
    )


CHECK = Check(
    code="unknown-topology",
    level=Level.ALIGNED,
    severity=Severity.WARNING,
    remedy="Declare a NodeProfile for the nodes that the pod may run on.",
    find=find,
)
