"""Finds a pod that fits, but takes so many CPUs or so much memory that accelerators stay idle beside it.

What: on every eligible class that takes the pod, as many replicas as an empty node holds leave accelerators on a NUMA
node with less than half of the CPUs or memory that is their share, or that this pod uses for as many.
Why: hardly any pod can use them aligned; the node looks free to the scheduler and to autoscalers.
Instead: at most the share of the NUMA node that goes with the accelerators.
"""

from collections.abc import Iterator

from webhook.domain import stranded
from webhook.domain.check import Check
from webhook.domain.check import Flaw
from webhook.domain.check import Subject
from webhook.domain.check import field_of
from webhook.domain.finding import Severity
from webhook.domain.levels import Level
from webhook.domain.pod import Container
from webhook.domain.pod import ContainerKind
from webhook.domain.quantity import Quantity
from webhook.domain.resources import CPU
from webhook.domain.resources import amount
from webhook.domain.stranded import Stranded
from webhook.domain.topology import NodeClass
from webhook.domain.topology import unlike

MOST_MACHINES = 8
"""On more kinds of machine nothing is said: each costs as many simulations as replicas fit."""
_GIBI = 1 << 30


def find(subject: Subject) -> Iterator[Flaw]:
    """Yield one flaw with the numbers of the first class; a pod for several NUMA nodes is meant to fill them."""
    taking = unlike(fit.node_class for fit in subject.fits if fit.takes)
    if subject.numa_nodes > 1 or not 0 < len(taking) <= MOST_MACHINES:
        return
    found = _on_all(subject, taking)
    mains = [container for container in subject.mains if container.kind is not ContainerKind.INIT]
    if found is None or not mains:
        return
    main = _greediest(subject, mains, found)
    most = _most(subject, main, found)
    yield Flaw(
        path=field_of(main, "limits", found.native),
        message=f"{_numbers(found)}: ask for at most {most}" if most else _numbers(found),
        container=main.name,
        actual=str(amount(main.requests, found.native)),
        wanted=f"at most {most}" if most else None,
    )


def _numbers(found: Stranded) -> str:
    replicas = "1 replica leaves" if found.replicas == 1 else f"{found.replicas} replicas leave"
    room = f"{found.room} CPUs" if found.native == CPU else _text(found, found.room)
    return (
        f"{replicas} {found.idle} of {found.devices} {found.resource} with {_text(found, found.left)} of {room} "
        "per NUMA node"
    )


def _on_all(subject: Subject, classes: tuple[NodeClass, ...]) -> Stranded | None:
    """Answer what is stranded on the first class, where something is on each."""
    first: Stranded | None = None
    for node_class in classes:
        found = stranded.find(subject.facts, node_class, subject.accelerators)
        if found is None:
            return None
        first = first or found
    return first


def _greediest(subject: Subject, mains: list[Container], found: Stranded) -> Container:
    """Answer the container to blame: an init container where it pins more CPUs than all that run later."""
    main = max(mains, key=lambda container: amount(container.requests, found.native))
    if found.native != CPU:
        return main
    inits = max(subject.facts.of_kind(ContainerKind.INIT), key=_pinned, default=main)
    running = sum(_pinned(one) for one in subject.facts.containers if one.kind is not ContainerKind.INIT)
    return inits if _pinned(inits) > running else main


def _pinned(container: Container) -> int:
    cpu = amount(container.requests, CPU)
    return cpu.value if cpu.is_whole else 0


def _most(subject: Subject, main: Container, found: Stranded) -> str:
    """Answer what the container may ask for beside the others, or "" where they take it all."""
    apps = () if main.kind is ContainerKind.INIT else subject.facts.of_kind(ContainerKind.APP)
    beside = [one for one in (*subject.facts.of_kind(ContainerKind.SIDECAR), *apps) if one is not main]
    taken = (_pinned(one) if found.native == CPU else amount(one.requests, found.native).value for one in beside)
    left = found.share - sum(taken)
    if left <= 0:
        return ""
    return str(left) if found.native == CPU else _text(found, left)


def _text(found: Stranded, value: int) -> str:
    if found.native == CPU:
        return str(value)
    return str(Quantity.of_bytes(value // _GIBI * _GIBI if value >= _GIBI else value))


CHECK = Check(
    code="stranded-resources",
    level=Level.ALIGNED,
    severity=Severity.WARNING,
    remedy="Ask for no more CPU and memory than the share of the accelerators.",
    find=find,
)
