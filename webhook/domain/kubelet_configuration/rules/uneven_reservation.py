"""Equal NUMA nodes of which one has less left for pods than the others: a pod that fits one does not fit all."""

from collections.abc import Iterator

from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import remark
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.kubelet_configuration.system_share import system_memory
from webhook.domain.quantity import Quantity
from webhook.domain.resources import MEMORY


def find(subject: Subject) -> Iterator[Finding]:
    """Look at NUMA nodes with CPUs and the same memory; the remainder of an even division is no difference."""
    if subject.node is None or not subject.pins_memory:
        return
    cells = [cell for cell in subject.node.cells if cell.cores and cell.memory]
    if len({cell.memory for cell in cells}) != 1:
        return
    reserved = {cell.id: subject.settings.reserved_memory.get(cell.id, {}).get(MEMORY, 0) for cell in cells}
    even = system_memory(tuple(cells), subject.memory_to_share.value)
    if max(reserved.values()) - min(reserved.values()) <= max(even.values()) - min(even.values()):
        return
    left = ", ".join(f"{Quantity.of_bytes(cell.memory - reserved[cell.id])} on {cell.id}" for cell in cells)
    message = f"NUMA nodes of the same size have different memory left for pods: {left}"
    shown = ", ".join(f"{Quantity.of_bytes(size)} on {cell}" for cell, size in even.items())
    yield remark(("reservedMemory",), message, f"reserve {shown}")


RULE = Rule(name="uneven-reservation", find=find)
