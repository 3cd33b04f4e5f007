"""CPUs reserved for the system that are not there, cut a core, or are too few."""

from collections.abc import Iterator

from webhook.domain import cpuset
from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import fault
from webhook.domain.kubelet_configuration.finding import remark
from webhook.domain.kubelet_configuration.remedies import whole_cores
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.kubelet_configuration.system_share import LEAST_CORES
from webhook.domain.raw import get_text
from webhook.domain.resources import CPU
from webhook.domain.resources import amount

_FIELD = "reservedSystemCPUs"


def find(subject: Subject) -> Iterator[Finding]:
    """Mirror cmd/kubelet/app/server.go:getReservedCPUs; the rest is what the kubelet does not ask."""
    written = get_text(subject.raw, _FIELD)
    groups = subject.reserved_by_cgroup
    if written and groups:
        message = f"{_FIELD} and {groups[0]} exclude each other"
        yield fault((_FIELD,), message, f"remove {' and '.join(groups)}, or reserve CPUs by number", written)
    if subject.node is None or subject.topology is None:
        return
    absent = subject.settings.reserved_system_cpus or 0
    absent &= ~subject.topology.cpus
    if absent:
        message = f"the machine has no CPU {cpuset.format(absent)}: it has {cpuset.format(subject.topology.cpus)}"
        yield fault((_FIELD,), message, whole_cores(subject), written)
    elif subject.is_static:
        yield from _by_number(subject)
        yield from _shape(subject, written)


def _by_number(subject: Subject) -> Iterator[Finding]:
    """Refuse more than there are (CPU/policy_static.go:NewStaticPolicy)."""
    wanted = -(-amount(subject.settings.node_allocatable_reservation, CPU).milli // 1000)
    there = subject.topology.cpus.bit_count() if subject.topology else 0
    if not subject.settings.reserved_system_cpus and wanted > there:
        path = subject.largest_part(CPU)
        message = f"{wanted} CPUs are reserved, and the machine has {there}"
        yield fault(path, message, whole_cores(subject), subject.written(path))


def _shape(subject: Subject, written: str) -> Iterator[Finding]:
    cpus = subject.reserved_cpus()
    topology = subject.topology
    if not cpus or topology is None:
        return
    by_number = subject.largest_part(CPU)
    path, value = ((_FIELD,), written) if written else (by_number, subject.written(by_number))
    shown = written or f"the kubelet takes CPU{'s'[: cpus.bit_count() != 1]} {cpuset.format(cpus)} for it, which"
    cut = topology.siblings(cpus) & ~cpus
    if cut:
        message = f"{shown} cuts cores: {cpuset.format(cut)} are their other threads, and pods share these cores"
        yield remark(path, message, whole_cores(subject), value)
    cores = sum(1 for core in topology.cores.values() if core & cpus)
    if cores < min(LEAST_CORES, len(topology.cores)):
        message = f"{shown} leaves the system {cores} core: kubelet and runtime miss heartbeats under load"
        yield remark(path, message, whole_cores(subject), value)


RULE = Rule(name="reserved-cpus", find=find)
