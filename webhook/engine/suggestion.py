"""The values of a suggestion: the pod that does not fit, what is changed in it, and who proposes changes."""

import math
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from dataclasses import replace
from types import MappingProxyType

from webhook.domain import qos
from webhook.domain.fit import ClassFit
from webhook.domain.pod import Container
from webhook.domain.pod import PodFacts
from webhook.domain.pod import Toleration
from webhook.domain.policy import Classes
from webhook.domain.quantity import Quantity
from webhook.domain.resources import ResourceList
from webhook.domain.resources import amount
from webhook.domain.topology import NodeClass
from webhook.domain.topology import Taint

Accelerated = Mapping[str, Mapping[str, int]]
"""Of each container that asks for accelerators: counts by resource name."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """A pod that some class refuses: what it asks for, and how its eligible classes answered.

    `others` are the known classes with such accelerators that the scheduler would not choose for this pod.
    `by_limit_range` holds (container, side, resource) for values that nobody chose: they are neither scaled nor shown.
    """

    facts: PodFacts
    accelerators: Accelerated
    fits: tuple[ClassFit, ...]
    numa_nodes: int
    required: Classes
    others: tuple[NodeClass, ...] = ()
    by_limit_range: frozenset[tuple[str, str, str]] = frozenset()

    @property
    def classes(self) -> tuple[NodeClass, ...]:
        """The eligible classes."""
        return tuple(one.node_class for one in self.fits)

    @property
    def mains(self) -> tuple[Container, ...]:
        """The containers that ask for accelerators."""
        return tuple(one for one in self.facts.containers if one.name in self.accelerators)

    @property
    def cpu_step(self) -> int:
        """What a number of CPUs must be a multiple of, so that no eligible class is asked for part of a core."""
        return math.lcm(*(one.threads_per_core for one in self.classes if one.kubelet.full_pcpus_only))

    def is_chosen(self, container: Container, resource: str) -> bool:
        """Tell whether somebody wrote a value for the resource."""
        written = not amount(container.requests, resource).is_zero
        return written and (container.name, "limits", resource) not in self.by_limit_range


@dataclass(frozen=True, slots=True)
class Change:
    """One value, for request and limit alike, as it is written in a manifest."""

    container: str
    resource: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A shape of the pod that `node_class` takes; `text` says in one line what to write.

    `replicas` pods of the new shape have the accelerators of one of the old. `numa_nodes` is the number that the new
    pod asks for: above one it carries the annotation, else not. `node_selector` and `tolerations` are to be added.
    `share` asks for less, so that other pods have theirs; where it fits as well, its text, which names both, is shown.
    """

    kind: str
    text: str
    node_class: NodeClass
    edits: tuple[Change, ...] = ()
    numa_nodes: int = 1
    replicas: int = 1
    node_selector: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    tolerations: tuple[Taint, ...] = ()
    share: "Suggestion | None" = None


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of edit: proposes changes for one class, best first, by arithmetic; `suggest` tries them.

    Kinds are tried in the order of `rank`. One that `moves` asks for other nodes or for more NUMA nodes.
    """

    name: str
    rank: int
    propose: Callable[[Misfit, NodeClass], Iterator[Suggestion]]
    moves: bool = False


def change(container: Container, resource: str, quantity: Quantity) -> Change:
    """Note that the container shall have `quantity` of the resource."""
    return Change(container.name, resource, str(amount(container.requests, resource)), str(quantity))


def changed(facts: PodFacts, edits: tuple[Change, ...]) -> PodFacts:
    """Answer the facts with the edits made, as reading the edited pod would; no kind edits below spec.resources."""
    if not edits:
        return facts
    new: dict[str, dict[str, Quantity]] = {}
    for edit in edits:
        new.setdefault(edit.container, {})[edit.resource] = Quantity.parse(edit.new)
    containers = tuple(_with(container, new.get(container.name, {})) for container in facts.containers)
    return replace(facts, containers=containers, qos=qos.of_pod((one.requests, one.limits) for one in containers))


def accelerated(facts: PodFacts, accelerators: Accelerated) -> Accelerated:
    """Count the accelerators of edited facts; `accelerators` say which resources of which containers count."""
    return {
        container.name: {
            name: {**container.requests, **container.limits}[name].value for name in accelerators[container.name]
        }
        for container in facts.containers
        if container.name in accelerators
    }


def tolerating(taint: Taint) -> Toleration:
    """Answer the toleration of one taint."""
    return Toleration(key=taint.key, operator="Equal", value=taint.value, effect=taint.effect)


def _with(container: Container, values: ResourceList) -> Container:
    if not values:
        return container
    return replace(container, requests={**container.requests, **values}, limits={**container.limits, **values})
