"""Finds a pod that asks for more NUMA nodes than it needs.

What: `numagate.io/numa-nodes: "N"` on a pod that an eligible node class places on fewer.
Why: the annotation lifts the one-NUMA-node rule; where fewer would do, it gives up locality for nothing.
Instead: remove the annotation, or write the smaller number.
"""

from collections.abc import Iterator

from webhook.domain import keys
from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.levels import Level


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield one flaw where a class places the pod on fewer NUMA nodes than it asks for."""
    taking = [fit for fit in subject.fits if fit.takes and fit.cells]
    fewest = min(taking, key=lambda fit: len(fit.cells), default=None)
    if fewest is None or len(fewest.cells) >= subject.numa_nodes:
        return
    count = len(fewest.cells)
    remedy = "remove the annotation" if count == 1 else f'write "{count}"'
    yield Flaw(
        path=("metadata", "annotations", keys.NUMA_NODES),
        message=f"the pod fits {count} NUMA node{'' if count == 1 else 's'} of {fewest.node_class.name}: {remedy}",
        actual=str(subject.numa_nodes),
        wanted=str(count),
    )


CHECK = Check(
    code="needless-numa-nodes",
    level=Level.ALIGNED,
    severity=Severity.FAULT,
    remedy="Ask for the smallest number of NUMA nodes that holds the pod.",
    find=find,
)
