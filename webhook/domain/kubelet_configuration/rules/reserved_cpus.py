"""CPUs reserved for the system that are not there, cut a core, or are too few."""

from collections.abc import Iterator

from webhook.domain import cpuset
from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import fault
from webhook.domain.kubelet_configuration.finding import remark
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.kubelet_configuration.system_share import LEAST_CORES
from webhook.domain.kubelet_configuration.system_share import system_cpus
from webhook.domain.raw import get_text
from webhook.domain.resources import CPU
from webhook.domain.resources import amount

_FIELD = "reservedSystemCPUs"


def find(subject: Subject) -> Iterator[Finding]:
    """Mirror cmd/kubelet/app/server.go:getReservedCPUs; the rest is what the kubelet does not ask."""
    written = get_text(subject.raw, _FIELD)
    groups = [key for key in ("systemReservedCgroup", "kubeReservedCgroup") if get_text(subject.raw, key)]
    if written and groups:
        message = f"{_FIELD} and {groups[0]} exclude each other"
        yield fault((_FIELD,), message, f"remove {' and '.join(groups)}, or reserve CPUs by number", written)
    if subject.node is None or subject.topology is None:
        return
    absent = subject.settings.reserved_system_cpus or 0
    absent &= ~subject.topology.cpus
    if absent:
        message = f"the machine has no CPU {cpuset.format(absent)}: it has {cpuset.format(subject.topology.cpus)}"
        yield fault((_FIELD,), message, _remedy(subject), written)
    elif subject.is_static:
        yield from _by_number(subject)
        yield from _shape(subject, written)


def _by_number(subject: Subject) -> Iterator[Finding]:
    """Refuse more than there are (CPU/policy_static.go:NewStaticPolicy)."""
    wanted = -(-amount(subject.settings.node_allocatable_reservation, CPU).milli // 1000)
    there = subject.topology.cpus.bit_count() if subject.topology else 0
    if not subject.settings.reserved_system_cpus and wanted > there:
        message = f"{wanted} CPUs are reserved, and the machine has {there}"
        yield fault(("systemReserved", CPU), message, _remedy(subject), wanted)


def _shape(subject: Subject, written: str) -> Iterator[Finding]:
    cpus = subject.reserved_cpus()
    topology = subject.topology
    if not cpus or topology is None:
        return
    path = (_FIELD,) if written else ("systemReserved", CPU)
    shown = written or f"{cpus.bit_count()} CPUs by number, {cpuset.format(cpus)}"
    cut = topology.siblings(cpus) & ~cpus
    if cut:
        message = f"{shown} cuts cores: {cpuset.format(cut)} are their other threads, and pods share these cores"
        yield remark(path, message, _remedy(subject), written or cpus.bit_count())
    cores = sum(1 for core in topology.cores.values() if core & cpus)
    if cores < min(LEAST_CORES, len(topology.cores)):
        message = f"{shown} leaves the system {cores} core: kubelet and runtime miss heartbeats under load"
        yield remark(path, message, _remedy(subject), written or cpus.bit_count())


def _remedy(subject: Subject) -> str:
    if subject.node is None:
        return f"write {_FIELD} with whole cores"
    return f'write {_FIELD}: "{cpuset.format(system_cpus(subject.node.cells, subject.reserved_cpus().bit_count()))}"'


RULE = Rule(name="reserved-cpus", find=find)
