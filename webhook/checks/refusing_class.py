"""Finds an eligible node class that would refuse a pod which another class takes.

What: the pod may be scheduled to several node classes, and some of them never take it aligned.
Why: the scheduler does not know NUMA nodes; a pod that lands there is rejected by the kubelet, for good.
Instead: a node selector for the class that fits.
"""

from collections.abc import Iterator

from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.fit import Cause
from webhook.domain.fit import Fits
from webhook.domain.fraction import fraction_of
from webhook.domain.levels import Level
from webhook.domain.scheduling import telling_label

_MOST_NAMED = 3
"""How many classes are told one by one; a large cluster has dozens."""


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield one flaw per refusing class where some other class takes the pod, and of many how many they are."""
    taking = [fit.node_class for fit in subject.fits if fit.takes]
    if not taking:
        return
    aligning = {fit.node_class for fit in subject.fits if fit.fits is Fits.YES}
    # What is named is a class that aligns the pod, and a pool that is scaled to zero comes last.
    taking.sort(key=lambda one: (one not in aligning, one.nodes == 0))
    refusing = [fit for fit in subject.fits if fit.fits is Fits.NO and fit.cause is not Cause.UNPINNED]
    for fit in refusing[:_MOST_NAMED]:
        selector = telling_label(taking, fit.node_class)
        remedy = f"add nodeSelector {selector}" if selector else "give the NodeProfiles labels that tell them apart"
        yield Flaw(
            path=("spec", "nodeSelector"),
            message=f"{remedy}: nodes of {fit.node_class.name} would refuse the pod ({fit.reason})",
            wanted=selector,
        )
    if len(refusing) > _MOST_NAMED:
        rest = len(refusing) - _MOST_NAMED
        yield Flaw(
            path=("spec", "nodeSelector"),
            message=f"{rest} more node class{'es'[: 2 * (rest != 1)]} would refuse the pod: it fits "
            f"{fraction_of(subject.fits)}",
        )


CHECK = Check(
    code="refusing-class",
    level=Level.ALIGNED,
    severity=Severity.WARNING,
    remedy="Add a node selector for a node class that takes the pod.",
    find=find,
)
