"""Refuses a node class that names NUMA nodes, CPUs or memory which its machine does not have."""

from collections.abc import Iterator

from webhook.config.document import Document
from webhook.config.words import shorten
from webhook.domain import cpuset
from webhook.domain.pointer import Path
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.topology import NodeClass

_KUBELET: Path = ("spec", "kubelet")


def refuse_strangers(document: Document, node_class: NodeClass) -> None:
    """Compare devices and reservations with the machine.

    Raises:
        PolicyError: about the first that is not there.
    """
    for path, message in (
        *_devices(document, node_class),
        *_reserved_cpus(document, node_class),
        *_reserved_memory(node_class),
    ):
        raise document.error(path, message)


def _devices(document: Document, node_class: NodeClass) -> Iterator[tuple[Path, str]]:
    known = sorted(cell.id for cell in node_class.cells)
    for resource, devices in node_class.devices.items():
        counted = bool(get_object(document.data, "spec", "devices", resource))
        for index, device in enumerate(devices):
            for cell in sorted(set(device.numa or ()) - set(known)):
                place: Path = (str(cell),) if counted else (index, "numa")
                message = f"NUMA node {cell} is not on this machine: it has {', '.join(map(str, known))}"
                yield ("spec", "devices", resource, *place), message


def _reserved_cpus(document: Document, node_class: NodeClass) -> Iterator[tuple[Path, str]]:
    there = 0
    for cell in node_class.cells:
        there |= cell.cpus
    for cpu in cpuset.ids(node_class.reserved_cpus & ~there)[:1]:
        text = shorten(get_text(get_object(document.data, *map(str, _KUBELET)), "reservedSystemCPUs"))
        message = f"CPU {cpu} of {text} is not on this machine: reserve CPUs that numa lists"
        yield (*_KUBELET, "reservedSystemCPUs"), message


def _reserved_memory(node_class: NodeClass) -> Iterator[tuple[Path, str]]:
    memory = {cell.id: cell.memory for cell in node_class.cells}
    reserved = enumerate(node_class.kubelet.reserved_memory.items())
    for index, (node, limits) in reserved:
        path = (*_KUBELET, "reservedMemory", index)
        total = sum(limits.values())
        if node not in memory:
            message = f"NUMA node {node} is not on this machine: it has {', '.join(map(str, memory))}"
            yield (*path, "numaNode"), message
        elif total > memory[node]:
            yield (*path, "limits"), f"{total} bytes are more than NUMA node {node} has ({memory[node]})"
