"""Reservations that leave a NUMA node or the machine no CPU or memory for pods; the kubelet starts all the same."""

from collections.abc import Iterator

from webhook.domain.kubelet.memory_table import table
from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import remark
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.quantity import Quantity
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY
from webhook.domain.resources import amount
from webhook.domain.topology import NodeClass

_REMEDY = "reserve less"


def find(subject: Subject) -> Iterator[Finding]:
    """Compare what is reserved with what is there; more than there is belongs to other rules."""
    if subject.node is None:
        return
    yield from _cpus(subject, subject.node)
    yield from _memory(subject, subject.node)


def _cpus(subject: Subject, node: NodeClass) -> Iterator[Finding]:
    path = subject.largest_part(CPU)
    named = subject.raw.get("reservedSystemCPUs")
    field, written = (("reservedSystemCPUs",), named) if named else (path, subject.written(path))
    there = Quantity.of_count(sum(cell.cpus.bit_count() for cell in node.cells))
    reserved = amount(subject.settings.node_allocatable_reservation, CPU)
    taken = subject.reserved_cpus() if subject.is_static else 0
    full = [cell for cell in node.cells if cell.cpus and not cell.cpus & ~taken]
    if reserved > there:
        return
    if reserved == there or all(cell in full for cell in node.cells if cell.cpus):
        yield remark(field, f"all {there} CPUs of the machine are reserved: none is left for pods", _REMEDY, written)
        return
    for cell in full:
        message = f"all CPUs of NUMA node {cell.id} are reserved: no pod gets CPUs there"
        yield remark(field, message, "reserve CPUs of each NUMA node, and leave some of each", written)


def _memory(subject: Subject, node: NodeClass) -> Iterator[Finding]:
    free = table(node.cells, {}).allocatable[MEMORY]
    left = Quantity.of_bytes(sum(free.values()))
    there = Quantity.of_bytes(sum(cell.memory for cell in node.cells))
    reserved = amount(subject.settings.node_allocatable_reservation, MEMORY)
    if not subject.unsure and not left.is_zero and left <= reserved <= there:
        message = f"{reserved} of memory are reserved, and the machine has {left} beside huge pages: none is for pods"
        path = subject.largest_part(MEMORY)
        yield remark(path, message, _REMEDY, subject.written(path))
    if not subject.pins_memory:
        return
    for index, cell, name, value in subject.memory_limits():
        held = subject.settings.reserved_memory.get(cell, {}).get(MEMORY)
        if name == MEMORY and held and held == free.get(cell):
            message = f"all memory of NUMA node {cell} is reserved: no pod gets memory there"
            yield remark(("reservedMemory", index, "limits", name), message, _REMEDY, value)


RULE = Rule(name="nothing-left", find=find)
