"""Entries of reservedMemory that the kubelet cannot take, or that do nothing."""

from collections.abc import Iterator

from webhook.domain.kubelet.memory_table import is_memory
from webhook.domain.kubelet.memory_table import table
from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import fault
from webhook.domain.kubelet_configuration.finding import remark
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.pointer import Path
from webhook.domain.quantity import Quantity
from webhook.domain.quantity import QuantityError
from webhook.domain.quantity_text import read_int64
from webhook.domain.resources import MEMORY

_FIELD = "reservedMemory"


def find(subject: Subject) -> Iterator[Finding]:
    """Mirror pkg/kubelet/apis/config/validation/validation_reserved_memory.go, then MM/memory_manager.go."""
    for index, cell, name, value in subject.memory_limits():
        path = (_FIELD, index, "limits", name)
        if not is_memory(name):
            yield fault(path, f"{name} cannot be reserved on a NUMA node", "write memory, or remove it", value)
        if _is_zero(value):
            yield fault(path, "zero is no reservation", "remove it", value)
        if subject.pins_memory:
            yield from _pinned(subject, path, cell, value)
    if not subject.pins_memory:
        if subject.raw.get(_FIELD):
            message = f"memoryManagerPolicy is {subject.settings.memory_manager_policy}: {_FIELD} does nothing"
            yield remark((_FIELD,), message, "write memoryManagerPolicy: Static, or remove it")
        return
    yield from _overdrawn(subject)


def _pinned(subject: Subject, path: Path, cell: int, value: object) -> Iterator[Finding]:
    if subject.node is not None and cell not in {one.id for one in subject.node.cells}:
        known = ", ".join(str(one.id) for one in subject.node.cells)
        message = f"the machine has no NUMA node {cell}"
        yield fault((*path[:2], "numaNode"), message, f"write one of {known}", cell)
    if isinstance(value, str) and not _is_zero(value) and read_int64(value.strip(" ")) is None:
        amount = Quantity.parse(value.strip(" "))
        message = f'the memory manager cannot read "{value}", which is no whole number with its suffix'
        yield fault(path, message, f"write {amount}", value)


def _overdrawn(subject: Subject) -> Iterator[Finding]:
    """Point at more than a NUMA node has: the kubelet's numbers wrap around, and it admits any pod."""
    if subject.node is None:
        return
    for cell in subject.node.cells:
        if table((cell,), subject.settings.reserved_memory).overdrawn is None:
            continue
        reserved = Quantity.of_bytes(subject.settings.reserved_memory.get(cell.id, {}).get(MEMORY, 0))
        message = f"NUMA node {cell.id} has not as much beside its huge pages: the kubelet's numbers wrap around"
        yield remark((_FIELD,), message, "share the reservation over the NUMA nodes", reserved)


def _is_zero(value: object) -> bool:
    try:
        return Quantity.from_json(value).is_zero
    except QuantityError:
        return False


RULE = Rule(name="reserved-memory", find=find)
