"""A check: one rule about a pod, and the subject that every check is given.

A check is a generator that yields what is wrong and returns early where it does not apply. It never raises, logs or
mutates, and it sees facts only, so that pods and templates are judged by the same code.
"""

import math
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field

from webhook.domain import injectors
from webhook.domain import room
from webhook.domain.claims import NOTHING_KNOWN
from webhook.domain.claims import KnownClaims
from webhook.domain.finding import Finding
from webhook.domain.finding import Severity
from webhook.domain.fit import ClassFit
from webhook.domain.fit import Fits
from webhook.domain.kubelet.admit import cell_allocatable
from webhook.domain.levels import Level
from webhook.domain.pod import Container
from webhook.domain.pod import PodFacts
from webhook.domain.pointer import Path
from webhook.domain.policy import Classes
from webhook.domain.policy import Policy
from webhook.domain.quantity import Quantity
from webhook.domain.resources import CPU
from webhook.domain.resources import ResourceList

MAX_CONTAINERS = 200
"""A pod with more is not simulated: no model server needs them, and each costs time on every kind of node."""
MAX_PLACEMENTS = 4000
"""Nor is one whose containers, times the kinds of nodes that are eligible, are more."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is judged.

    `accelerators` maps the name of each container that asks for accelerators to {resource: count}.
    `by_limit_range` holds (container, side, resource) for values that a LimitRange filled in: nobody chose them.
    `fits` has one entry per eligible node class; none means that the topology is unknown.
    `shares` are the CPU and memory that a repair would give where an accelerator container names none.
    `most_containers` is how many containers the pod may have to be simulated.
    `helper_values` are the same for helpers. `remedies` answers what would make a misfit fit, best first; it simulates,
    and is asked only for what is told. `claims` is what is known of the pod's claims.
    """

    facts: PodFacts
    policy: Policy
    accelerators: Mapping[str, Mapping[str, int]]
    by_limit_range: frozenset[tuple[str, str, str]]
    numa_nodes: int
    fits: tuple[ClassFit, ...]
    shares: Mapping[str, Mapping[str, Quantity]]
    helper_values: Mapping[str, Mapping[str, Quantity]]
    remedies: Callable[[], tuple[str, ...]] = tuple
    most_containers: int = MAX_CONTAINERS
    claims: KnownClaims = NOTHING_KNOWN

    @property
    def mains(self) -> Iterator[Container]:
        """The containers that ask for accelerators."""
        return (container for container in self.facts.containers if container.name in self.accelerators)

    @property
    def helpers(self) -> Iterator[Container]:
        """The containers without accelerators: sidecars, init containers, injected proxies."""
        return (container for container in self.facts.containers if container.name not in self.accelerators)

    @property
    def claiming(self) -> Iterator[Container]:
        """The containers that get accelerators by a resource claim."""
        return (one for one in self.mains if self.accelerators[one.name].keys() - {*one.requests, *one.limits})

    @property
    def crowded(self) -> bool:
        """Whether there are too many containers to simulate."""
        return len(self.facts.containers) > self.most_containers

    @property
    def unfit(self) -> bool:
        """Whether too few of the eligible classes take the pod: none of them, or under `classes: all` not all."""
        if not any(one.fits is Fits.NO for one in self.fits):
            return False
        return self.policy.classes is Classes.ALL or not any(one.takes for one in self.fits)

    def whole_cpus(self, cpu: Quantity) -> int:
        """Round up to whole CPUs, and to whole cores where an eligible class hands out whole cores only."""
        step = self._cpus_per_core
        return -(-cpu.value // step) * step

    def cpus_to_write(self, cpu: Quantity) -> int:
        """Round up likewise, but not beyond what an eligible class has: that would be the next refusal."""
        step, rounded = self._cpus_per_core, self.whole_cpus(cpu)
        rooms = [room.most(cell_allocatable(one.node_class), CPU, self.numa_nodes) for one in self.fits]
        return min(rounded, max(rooms, default=rounded) // step * step) or rounded

    @property
    def _cpus_per_core(self) -> int:
        classes = (one.node_class for one in self.fits if _hands_out_whole_cores(one))
        return math.lcm(*(node_class.threads_per_core for node_class in classes))

    def chosen(self, container: Container, resource: str) -> tuple[Quantity | None, Quantity | None]:
        """Answer request and limit as somebody chose them: None where absent, zero, or only a LimitRange's default.

        A helper's LimitRange default is kept; an accelerator container's is no wish (128Mi for a model server).
        """
        return (
            self._chosen(container, "requests", resource, container.requests),
            self._chosen(container, "limits", resource, container.limits),
        )

    def _chosen(self, container: Container, side: str, resource: str, values: ResourceList) -> Quantity | None:
        if container.name in self.accelerators and (container.name, side, resource) in self.by_limit_range:
            return None
        quantity = values.get(resource)
        return None if quantity is None or quantity.is_zero else quantity


def _hands_out_whole_cores(answer: ClassFit) -> bool:
    return answer.node_class.trusted and answer.node_class.kubelet.full_pcpus_only


@dataclass(frozen=True, slots=True)
class Flaw:
    """What a check yields; the runner adds the check's code, level and severity."""

    path: Path
    message: str
    container: str | None = None
    actual: str | None = None
    wanted: str | None = None
    severity: Severity | None = field(default=None, kw_only=True)
    """Set where the policy decides how grave it is."""


@dataclass(frozen=True, slots=True)
class Check:
    """A rule with its code, the level it belongs to, and one sentence on what to do about it.

    `accelerated` says which pods it concerns: those that ask for accelerators (True), for none (False), or all (None).
    `crowded` makes it the one that speaks for pods with too many containers to simulate.
    """

    code: str
    level: Level
    severity: Severity
    remedy: str
    find: Callable[[Subject], Iterator[Flaw]]
    accelerated: bool | None = True
    crowded: bool = False

    @property
    def name(self) -> str:
        """The code, under which the registry knows the check."""
        return self.code

    def run(self, subject: Subject) -> Iterator[Finding]:
        """Yield the findings on `subject`; none where the check does not concern such a pod."""
        if self.accelerated not in {None, bool(subject.accelerators)} or self.crowded != subject.crowded:
            return
        for flaw in self.find(subject):
            yield Finding(
                code=self.code,
                severity=flaw.severity or self.severity,
                level=self.level,
                path=flaw.path,
                message=flaw.message,
                container=flaw.container,
                actual=flaw.actual,
                wanted=flaw.wanted,
                cure=_cure(subject, flaw),
            )


def _cure(subject: Subject, flaw: Flaw) -> str:
    """Say what injected the helper whose value is wrong, and the setting that cures it."""
    if flaw.path[-3:-2] != ("resources",):
        return ""
    helper = next((one for one in subject.helpers if one.name == flaw.container), None)
    return "" if helper is None else injectors.cure_of(helper, flaw.path, flaw.wanted)


def field_of(container: Container, side: str, resource: str) -> Path:
    """Answer the path of one resource value; `side` is "limits" or "requests"."""
    return (*container.path, "resources", side, resource)
