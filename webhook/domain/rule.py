"""A rule of the verdict: promise against observation, and the case that every rule is given.

A rule is a generator that yields what it finds and returns early where it does not apply. It never raises, logs or
mutates, and sees values only: what a node shows enters as an `Observation`.
"""

from collections.abc import Callable
from collections.abc import Iterator
from dataclasses import dataclass

from webhook.domain.expectation import ContainerPromise
from webhook.domain.observation import Machine
from webhook.domain.observation import ObservedContainer
from webhook.domain.observation import ObservedPod
from webhook.domain.observation import Unread
from webhook.domain.topology import KubeletSettings
from webhook.domain.verdict import Outcome
from webhook.domain.verdict import RuleVerdict
from webhook.domain.versions import Version
from webhook.domain.visible import visible

NOT_KNOWN = "not known"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A started container of the node, and the CPUs that it may use (None: not readable)."""

    pod: ObservedPod
    container: ObservedContainer
    cpus: int | None


@dataclass(frozen=True, slots=True)
class Site:
    """What is around a container: the machine, the kubelet's settings, and every started container of the node.

    `version` is the kubelet's, None where nobody told it: `kubelet` has the newest then.
    """

    machine: Machine
    kubelet: KubeletSettings | None
    neighbours: tuple[Neighbour, ...]
    version: Version | None


@dataclass(frozen=True, slots=True)
class Case:
    """One promised container that has settled: what was promised, what is seen, and what is around it.

    `served_by_claims` are extended resources of the container whose devices a DRA driver allocates: the kubelet lists
    those without a NUMA node.
    """

    pod: ObservedPod
    seen: ObservedContainer
    promise: ContainerPromise
    numa_nodes: int
    local_memory_percent: int
    site: Site
    served_by_claims: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Said:
    """What a rule says of a case; the runner adds the code and the container."""

    outcome: Outcome
    reason: str
    wanted: str
    seen: str


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule with its code, and its place among the others: the most telling come first.

    `promise` says in one sentence what must hold. `of_container` looks at each promised container, `of_pod` at all of a
    pod together, once all of them have settled.
    """

    code: str
    rank: int
    promise: str
    of_container: Callable[[Case], Iterator[Said]] | None = None
    of_pod: Callable[[tuple[Case, ...]], Iterator[Said]] | None = None

    @property
    def name(self) -> str:
        """The code, under which the registry knows the rule."""
        return self.code

    def look(self, case: Case) -> Iterator[RuleVerdict]:
        """Yield what the rule says of one container."""
        for said in self.of_container(case) if self.of_container is not None else ():
            yield self._verdict(case.seen.name, said)

    def look_at_pod(self, cases: tuple[Case, ...]) -> Iterator[RuleVerdict]:
        """Yield what the rule says of all containers of a pod together."""
        for said in self.of_pod(cases) if self.of_pod is not None else ():
            yield self._verdict(None, said)

    def _verdict(self, container: str | None, said: Said) -> RuleVerdict:
        """Make the texts visible here, once for all who show them: they quote commands, ids and names of others."""
        texts = (visible(text) for text in (said.reason, said.wanted, said.seen))
        return RuleVerdict(self.code, container, said.outcome, *texts)


def aligned(wanted: str, seen: str) -> Said:
    """Say that the promise is kept."""
    return Said(Outcome.ALIGNED, "as promised", wanted, seen)


def misaligned(reason: str, wanted: str, seen: str) -> Said:
    """Say that the promise is broken, and how."""
    return Said(Outcome.MISALIGNED, reason, wanted, seen)


def unknown(reason: str, wanted: str, seen: str = NOT_KNOWN) -> Said:
    """Say that it cannot be told, and why."""
    return Said(Outcome.UNKNOWN, reason, wanted, seen)


def why_unread(unread: tuple[Unread, ...], field: str, otherwise: str) -> str:
    """Answer why a field could not be read, or `otherwise` where nobody says."""
    return next((one.reason for one in unread if one.field == field), otherwise)


def why_incomplete(case: Case) -> str:
    """Say why not all processes of a container are known, "" where they are; one that runs has at least one."""
    otherwise = "" if case.seen.processes else "none was seen"
    return why_unread(case.seen.unread, "processes", otherwise)
