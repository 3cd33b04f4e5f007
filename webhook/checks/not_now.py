"""Finds a pod that an empty node would take, and that no node has room for at the moment.

What: of every node class that takes the pod, no NUMA node has its accelerators, CPUs and memory free together, as the
nodes last reported.
Why: the scheduler counts whole nodes. It may send the pod to a node whose free devices lie on another NUMA node than
its free CPUs, and the kubelet rejects it there.
Instead: wait, or free a NUMA node. It is only a warning: the pod fits, and the scheduler decides.
"""

from collections.abc import Iterator
from collections.abc import Mapping

from webhook.domain import demand
from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.finding import Severity
from webhook.domain.fit import ClassFit
from webhook.domain.fit import Fits
from webhook.domain.levels import Level
from webhook.domain.pod import Container
from webhook.domain.quantity import ZERO
from webhook.domain.quantity import Quantity
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY
from webhook.domain.topology import Free


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield one flaw where every class that takes the pod reports what is free, and nothing of it is enough."""
    taking = [fit for fit in subject.fits if fit.fits is Fits.YES and fit.node_class.nodes != 0]
    if not taking or subject.numa_nodes > 1:
        return
    free = [fit.node_class.free for fit in taking if fit.node_class.free is not None]
    if len(free) < len(taking):
        return
    wanted = [_wanted(subject, fit) for fit in taking]
    if any(_has_room(one, needs) for one, needs in zip(free, wanted, strict=True)):
        return
    seen = min(one.seen for one in free)
    container = next(iter(subject.mains))
    yield Flaw(
        path=(*container.path, "resources"),
        message=f"no node has {_told(wanted[0])} free on one NUMA node at the moment (as of {seen})",
        container=container.name,
    )


def _wanted(subject: Subject, fit: ClassFit) -> Mapping[str, Quantity]:
    """Answer what must be free on one NUMA node: the whole pod's, or in scope container the largest container's."""
    names = {CPU, MEMORY, *(name for counts in subject.accelerators.values() for name in counts)}
    if fit.node_class.kubelet.topology_manager_scope == "pod":
        requests = demand.aggregate((one.kind, one.requests) for one in subject.facts.containers)
    else:
        requests = dict(max(subject.mains, key=lambda one: _devices(subject, one)).requests)
    return {name: amount for name, amount in requests.items() if name in names}


def _devices(subject: Subject, container: Container) -> int:
    return sum(subject.accelerators[container.name].values())


def _has_room(free: Free, wanted: Mapping[str, Quantity]) -> bool:
    return any(all(amount <= cell.get(name, ZERO) for name, amount in wanted.items()) for cell in free.cells)


def _told(wanted: Mapping[str, Quantity]) -> str:
    order = sorted(wanted, key=lambda name: (name in {CPU, MEMORY}, name))
    parts = [f"{wanted[name]} {'CPUs' if name == CPU else name}" for name in order]
    return f"{', '.join(parts[:-1])} and {parts[-1]}" if len(parts) > 1 else parts[0]


CHECK = Check(
    code="not-now",
    level=Level.ALIGNED,
    severity=Severity.WARNING,
    remedy="Wait, or free a NUMA node of a class that takes the pod.",
    find=find,
)
