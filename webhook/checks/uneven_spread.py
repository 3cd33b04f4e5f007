"""Finds a pod for several NUMA nodes whose resources do not divide evenly over them.

What: with `numagate.io/numa-nodes: "N"`, CPUs or accelerators differ between the NUMA nodes, or memory does not divide.
Why: each rank works at the pace of the worst-placed one; an uneven split leaves one rank with remote CPUs or memory.
Instead: counts that divide by N.
"""

from collections.abc import Iterator

from webhook.domain import keys
from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.levels import Level


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield one flaw where no class that takes the pod spreads it evenly."""
    taking = [fit for fit in subject.fits if fit.takes]
    if subject.numa_nodes == 1 or not taking or any(not fit.uneven for fit in taking):
        return
    count, node_class = subject.numa_nodes, taking[0].node_class
    cores = count * node_class.threads_per_core if node_class.kubelet.full_pcpus_only else count
    wanted = "CPUs, memory" if cores == count else f"CPUs that divide by {cores} (whole cores), and memory"
    yield Flaw(
        path=("metadata", "annotations", keys.NUMA_NODES),
        message=f"the pod does not divide evenly over {count} NUMA nodes of {node_class.name}: "
        f"{taking[0].uneven}: use {wanted} and accelerators that divide by {count}",
        actual=taking[0].uneven,
        wanted=f"equal shares on {count} NUMA nodes",
    )


CHECK = Check(
    code="uneven-spread",
    level=Level.ALIGNED,
    severity=Severity.FAULT,
    remedy="Use CPUs, memory and accelerators that divide by the number of NUMA nodes.",
    find=find,
)
