"""Memory reserved by NUMA node that is not what is reserved of the node: such a kubelet does not start."""

from collections.abc import Iterator

from webhook.domain.kubelet.memory_table import is_memory
from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import fault
from webhook.domain.kubelet_configuration.finding import remark
from webhook.domain.kubelet_configuration.remedies import entry
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.kubelet_configuration.system_share import system_memory
from webhook.domain.quantity import ZERO
from webhook.domain.quantity import Quantity
from webhook.domain.resources import MEMORY
from webhook.domain.resources import amount

_FIELD = "reservedMemory"


def find(subject: Subject) -> Iterator[Finding]:
    """Mirror MM/memory_manager.go:validateReservedMemory, for each type."""
    if not subject.pins_memory:
        return
    totals: dict[str, Quantity] = {}
    for _, _, name, value in subject.memory_limits():
        totals[name] = totals.get(name, ZERO) + Quantity.from_json(value)
    for name in sorted(filter(is_memory, totals)):
        if name != MEMORY and not totals[name].is_zero:
            yield _huge(subject, name, totals[name])
    if subject.unsure:
        message = f"the sum cannot be checked: {subject.unsure}"
        yield remark(("evictionHard", "memory.available"), message, "name the machine with --node, or write an amount")
        return
    wanted = amount(subject.settings.node_allocatable_reservation, MEMORY)
    total = amount(totals, MEMORY)
    if wanted != total or total.is_zero:
        yield _memory(subject, total, wanted)


def _huge(subject: Subject, name: str, total: Quantity) -> Finding:
    """Huge pages have no reservation that the sum could equal, so that they cannot be reserved at all."""
    index = next(index for index, _, other, _ in subject.memory_limits() if other == name)
    message = f"{total} of {name} are reserved by NUMA node, and 0 of the node: nothing can reserve huge pages there"
    return fault((_FIELD, index, "limits", name), message, f"remove {name} from {_FIELD}", total)


def _memory(subject: Subject, total: Quantity, wanted: Quantity) -> Finding:
    kube, system = amount(subject.kube_reserved, MEMORY), amount(subject.system_reserved, MEMORY)
    eviction = wanted - kube - system
    parts = f"kubeReserved {kube} + systemReserved {system} + evictionHard {eviction}"
    if total.is_zero:
        message = f"memoryManagerPolicy Static needs {wanted} shared over the NUMA nodes ({parts})"
        return fault((_FIELD,), message, _share(subject, wanted))
    message = f"{total} of memory are reserved by NUMA node, and {wanted} of the node ({parts})"
    if subject.memory_to_share == total:
        return fault((_FIELD,), message, entry(subject, "systemReserved", MEMORY, str(total - kube - eviction)), total)
    return fault((_FIELD,), message, _share(subject, wanted), total)


def _share(subject: Subject, wanted: Quantity) -> str:
    if wanted.is_zero:
        return "reserve memory in systemReserved, and the same in reservedMemory"
    if subject.node is None or not any(cell.memory for cell in subject.node.cells):
        return f"write {wanted} in {_FIELD}, in equal parts for each NUMA node"
    parts = system_memory(subject.node.cells, wanted.value)
    shown = ", ".join(
        f"{{numaNode: {cell}, limits: {{memory: {Quantity.of_bytes(size)}}}}}" for cell, size in parts.items() if size
    )
    return f"write {_FIELD}: [{shown}]"


RULE = Rule(name="reserved-memory-sum", find=find)
