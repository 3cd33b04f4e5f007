"""The report on a node: the verdicts, each beside what was seen of its pod, and what the outputs say of both alike."""

import errno
import os
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from webhook.domain import cpuset
from webhook.domain.expectation import Expectation
from webhook.domain.locality import attached
from webhook.domain.locality import told
from webhook.domain.observation import Machine
from webhook.domain.observation import Observation
from webhook.domain.observation import ObservedContainer
from webhook.domain.observation import ObservedPod
from webhook.domain.observation import ObservedProcess
from webhook.domain.observation import Pages
from webhook.domain.observation import Unread
from webhook.domain.raw import JsonObject
from webhook.domain.topology import KubeletSettings
from webhook.domain.verdict import NodeVerdict
from webhook.domain.verdict import Outcome
from webhook.domain.verdict import PodVerdict

MOST_COLUMNS: Final = 6
"""NUMA nodes with a column of their own in a table of memory; what lies on others is added up."""
MOST_PROCESSES: Final = 8
MOST_INTERFACES: Final = 8
MOST_UNJUDGED: Final = 8
KINDS: Final = {"Huge": "huge", "Heap": "heap", "Stack": "stack", "Private": "anonymous"}
"""The rows of `numastat -p`, and where we have them; its Private also holds pages of files."""
PODS: Final = "pods"
"""The field about pods that the kubelet knows and that are not among those read."""
GRANTS: Final = "grants"
"""The field of an observation's `unread` about the kubelet's PodResources as a whole."""
_REMEDIES: Final = {
    errno.ENOENT: "run it on the node, or give {}",
    errno.EACCES: "run it as root",
    errno.ECONNREFUSED: "nobody answers there: start the kubelet",
}
_CPU_RULE, _MEMORY_RULE = "cpu-locality", "local-memory"
_MEGABYTE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Shown:
    """One judged pod: the verdict on it, and what was seen of it."""

    verdict: PodVerdict
    pod: ObservedPod

    @property
    def name(self) -> str:
        """The pod's name with its namespace."""
        return f"{self.verdict.namespace}/{self.verdict.name}"

    @property
    def containers(self) -> Iterator[ObservedContainer]:
        """The containers that something was promised to."""
        promised = {} if self.verdict.promise is None else self.verdict.promise.containers
        return (one for one in self.pod.containers if one.name in promised)


@dataclass(frozen=True, slots=True)
class Report:
    """What is shown; `pods` are those that were asked for, of all that were judged."""

    observation: Observation
    verdict: NodeVerdict
    pods: tuple[Shown, ...]

    @property
    def broken(self) -> bool:
        """Whether a promise is broken or forged, or the node has a fault."""
        wrong = any(one.verdict.outcome is Outcome.MISALIGNED or one.verdict.forged for one in self.pods)
        return wrong or bool(self.verdict.faults)

    @property
    def doubtful(self) -> bool:
        """Whether of a pod it cannot be told, or there are pods that nobody named."""
        missed = any(one.field == PODS for one in self.observation.unread)
        return missed or any(one.verdict.outcome is Outcome.UNKNOWN for one in self.pods)

    @property
    def blind(self) -> str:
        """Why hardly anything can be told of this node, "" where it can: its NUMA nodes, or what the kubelet gave."""
        if not self.observation.machine.cells:
            why = next((one.reason for one in self.observation.machine.unread), "sysfs shows none")
            return f"the NUMA nodes of this machine cannot be read: {why}{_remedy(why, '--sys')}"
        why = next((one.reason for one in self.observation.unread if one.field == GRANTS), "")
        return f"what the kubelet gave to whom cannot be read: {why}{_remedy(why, '--kubelet-dir')}" if why else ""

    @property
    def summary(self) -> str:
        """Count the pods by outcome."""
        counts = {one: sum(shown.verdict.outcome is one for shown in self.pods) for one in Outcome}
        loose = sum(one.verdict.outcome is Outcome.ALIGNED and bool(unpinned(one.verdict)) for one in self.pods)
        besides = {Outcome.ALIGNED: f" ({loose} without CPUs of their own)" if loose else ""}
        told = ", ".join(f"{number} {one.value}{besides.get(one, '')}" for one, number in counts.items() if number)
        number = len(self.pods)
        pods = f"{number} pod{'s'[: number != 1]} with a promise"
        rest = f"; {self.verdict.others} without one" if self.verdict.others else ""
        return f"{pods}{f': {told}' if told else ''}{rest}"


def _remedy(why: str, option: str) -> str:
    """Say what to do about the error of the system that a reason quotes."""
    found = next((remedy for number, remedy in _REMEDIES.items() if os.strerror(number) in why), "")
    return f"; {found.format(option)}" if found else ""


def make(observation: Observation, verdict: NodeVerdict, wanted: Sequence[str] = ()) -> Report:
    """Put a report together, about the pods named NAMESPACE/NAME in `wanted`, or about all."""
    seen = {(one.namespace, one.name, one.uid): one for one in observation.pods}
    pods = (Shown(one, seen[one.namespace, one.name, one.uid]) for one in verdict.pods)
    return Report(observation, verdict, tuple(one for one in pods if not wanted or one.name in wanted))


def missing(report: Report, wanted: Sequence[str], why_no_promise: Callable[[JsonObject], str]) -> Iterator[str]:
    """Say of each pod that was asked for and is not in the report why it is not."""
    known = {one.name for one in report.pods}
    others = {f"{one.namespace}/{one.name}": one.raw for one in report.observation.pods}
    for name in dict.fromkeys(wanted):
        if "/" not in name:
            yield f"{name} has no namespace: write NAMESPACE/{name}"
        elif name in others and name not in known:
            yield f"{name} is promised nothing: {why_no_promise(others[name])}"
        elif name not in known:
            yield f"{name} is not on this node, or has ended"


def promise(verdict: PodVerdict) -> str:
    """Say what the pod was promised, and whether its annotation agrees."""
    if verdict.promise is None:
        return "its spec earns no promise, so its annotation is forged"
    told = f"{_counted(verdict.promise.numa_nodes)} by its spec and policy {verdict.promise.policy}"
    if not verdict.forged:
        return f"{told}, as its annotation says" if verdict.claimed is not None else f"{told}; it has no annotation"
    if verdict.claimed is None:
        return f"{told}; its annotation is FORGED: it is none of numagate's"
    return f"{told}; its annotation is FORGED: it claims {claim(verdict.claimed)}"


def unpinned(verdict: PodVerdict) -> str:
    """Say what an aligned pod may hide: containers with devices whose CPUs were never promised; "" where all were."""
    names = verdict.promise.unpinned if verdict.promise is not None else ()
    if not names:
        return ""
    return (
        f"no CPUs of its own were promised to {', '.join(names)}, which may run on any NUMA node: ask for whole CPUs, "
        "and give every container of the pod limits of CPU and memory that equal its requests"
    )


def claim(claimed: Expectation) -> str:
    """Write a promise in one line."""
    parts = [
        f"{name} {one.cpus} CPUs, {', '.join(f'{count} {key}' for key, count in one.devices.items()) or 'no devices'}"
        for name, one in claimed.containers.items()
    ]
    return f"{_counted(claimed.numa_nodes)}, {'; '.join(parts) or 'nothing'}"


def _counted(nodes: int) -> str:
    return f"{nodes} NUMA node{'s'[: nodes != 1]}"


def affinity(process: ObservedProcess) -> str:
    """Write a process's CPUs as `taskset -cp` does."""
    return f"pid {process.pid}'s current affinity list: {cpus(process.cpus)}"


def cpus(bits: int | None) -> str:
    """Write a set of CPUs or NUMA nodes; "?" is one that could not be read."""
    return "?" if bits is None else cpuset.format(bits) or "none"


def settings(kubelet: KubeletSettings | None) -> str:
    """Say what the kubelet promises at all."""
    if kubelet is None:
        return "kubelet settings not known"
    return (
        f"cpuManagerPolicy {kubelet.cpu_manager_policy}, memoryManagerPolicy {kubelet.memory_manager_policy}, "
        f"topologyManagerPolicy {kubelet.topology_manager_policy}, scope {kubelet.topology_manager_scope}"
    )


def interfaces(observation: Observation) -> Iterator[str]:
    """Say of each network interface where its interrupts are served, if both are known; it is no part of a promise."""
    machine = observation.machine
    for one in machine.interfaces[:MOST_INTERFACES]:
        if one.cell is None or one.irq_cpus is None:
            continue
        cells = machine.cells_of(one.irq_cpus)
        where = "there" if cells == 1 << one.cell else f"on {told(cells)}"
        yield f"{one.name} on {told(1 << one.cell)}, its interrupts {where} (CPUs {cpus(one.irq_cpus)})"


@dataclass(frozen=True, slots=True)
class MemoryTable:
    """Megabytes by NUMA node: `rows` are those of numastat, `own` what is judged, `files` what is not."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int, ...]], ...]
    own: tuple[int, ...]
    files: tuple[int, ...]


def memory(container: ObservedContainer, *, most: int = MOST_COLUMNS) -> MemoryTable | None:
    """Add up the memory of a container's processes, with a column for `most` NUMA nodes; None where none was read."""
    read = [one.memory for one in container.processes if one.memory is not None]
    if not read:
        return None
    kinds = {name: _sum(getattr(one, field) for one in read) for name, field in KINDS.items()}
    files = _sum(one.files for one in read)
    everything = _sum((*kinds.values(), files))
    cells = sorted(sorted(everything.by_cell, key=lambda cell: -everything.by_cell[cell])[:most])
    rest = len(everything.by_cell) > len(cells)
    columns = (*(f"Node {cell}" for cell in cells), *(["Others"] if rest else []), "Total")

    def row(pages: Pages) -> tuple[int, ...]:
        known = [pages.by_cell.get(cell, 0) for cell in cells]
        return (*known, *([pages.total - sum(known)] if rest else []), pages.total)

    return MemoryTable(
        columns=columns,
        rows=tuple((name, row(pages)) for name, pages in kinds.items()),
        own=row(_sum(kinds.values())),
        files=row(files),
    )


def unbound(shown: Shown, container: ObservedContainer, machine: Machine) -> str:
    """Say where the memory of a judged container lies where no rule asks, since its node binds none; else ""."""
    cells = machine.cells_of(container.exclusive_cpus or 0)
    rules = {rule.rule for rule in shown.verdict.rules if rule.container == container.name}
    read = [one.memory for one in container.processes if one.memory is not None]
    own = _sum(getattr(memory, field) for memory in read for field in KINDS.values())
    if _CPU_RULE not in rules or _MEMORY_RULE in rules or not cells or not own.total:
        return ""
    share = own.on(attached(machine, cells)) * 100 // own.total
    return f"not judged, since this node binds no memory: {share} % of Own is on {told(cells)}, with its CPUs"


def _sum(many: Iterable[Pages]) -> Pages:
    found: dict[int, int] = {}
    for pages in many:
        for cell, size in pages.by_cell.items():
            found[cell] = found.get(cell, 0) + size
    return Pages(found)


def megabytes(size: int) -> str:
    """Write a size as numastat does.

    >>> megabytes(3 << 19)
    '1.50'
    """
    return f"{size / _MEGABYTE:.2f}"


def unjudged(verdict: NodeVerdict) -> Iterator[str]:
    """Say of each pod with devices that is not judged why it is not."""
    for one in verdict.unjudged[:MOST_UNJUDGED]:
        yield f"{one.namespace}/{one.name}: {one.why}"
    if len(verdict.unjudged) > MOST_UNJUDGED:
        yield f"{len(verdict.unjudged) - MOST_UNJUDGED} more pods with devices"


def unread(report: Report) -> Iterator[Unread]:
    """Yield what could not be read of the node itself, each reason once."""
    seen: set[str] = set()
    for one in (*report.observation.machine.unread, *report.observation.unread):
        if one.reason not in seen:
            seen.add(one.reason)
            yield one
