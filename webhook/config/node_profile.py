"""Turns the content of a NodeProfile into the domain's `NodeClass`, and refuses machines that cannot be."""

from collections import Counter
from types import MappingProxyType

from webhook.config.amounts import read_amount
from webhook.config.amounts import read_bytes
from webhook.config.amounts import read_cpu_list
from webhook.config.cells import integer
from webhook.config.cells import to_cells
from webhook.config.document import Document
from webhook.config.overlay import overlay
from webhook.config.words import shorten
from webhook.domain.pointer import Path
from webhook.domain.quantity import Quantity
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_text_map
from webhook.domain.topology import Cell
from webhook.domain.topology import Device
from webhook.domain.topology import KubeletSettings
from webhook.domain.topology import NodeClass
from webhook.domain.topology import Taint

_KUBELET: Path = ("spec", "kubelet")


def on_machine(machine: JsonObject, spec: JsonObject) -> JsonObject:
    """Lay a profile's spec over that of the machine it names: each field replaces, `kubelet` merges key by key."""
    merged = {**machine, **{key: value for key, value in spec.items() if key != "machine"}}
    merged["kubelet"] = overlay(get_object(machine, "kubelet"), get_object(spec, "kubelet"))
    return merged


def to_node_class(document: Document, name: str, spec: JsonObject, *, assumed: bool = False) -> NodeClass:
    """Read a spec that was held against the grammar before, the machine's fields filled in.

    Raises:
        PolicyError: its parts contradict each other.
    """
    cells = to_cells(document, get_list(spec, "numa"))
    return NodeClass(
        name=name,
        cells=cells,
        devices=MappingProxyType(_devices(document, get_object(spec, "devices"), cells)),
        kubelet=_kubelet(document, get_object(spec, "kubelet"), cells),
        labels=MappingProxyType(get_text_map(get_object(spec, "selector"), "matchLabels")),
        taints=tuple(
            Taint(key=get_text(taint, "key"), effect=get_text(taint, "effect"), value=get_text(taint, "value"))
            for taint in get_list(spec, "taints")
        ),
        assumed=assumed,
    )


def _devices(document: Document, block: JsonObject, cells: tuple[Cell, ...]) -> dict[str, tuple[Device, ...]]:
    known = {cell.id for cell in cells}
    result: dict[str, tuple[Device, ...]] = {}
    for resource, value in block.items():
        path: Path = ("spec", "devices", resource)
        devices = _listed(value) if isinstance(value, list) else _counted(resource, as_object(value))
        for place, device in devices:
            strangers = sorted(set(device.numa or ()) - known)
            if strangers:
                message = (
                    f"NUMA node {strangers[0]} is not on this machine: it has {', '.join(map(str, sorted(known)))}"
                )
                raise document.error((*path, *place), message)
        twice = [name for name, times in Counter(device.id for _, device in devices).items() if times > 1]
        if twice:
            raise document.error(path, f"device id {shorten(twice[0])} is written twice: give each device its own")
        result[resource] = tuple(device for _, device in devices)
    return result


def _listed(items: list[object]) -> list[tuple[Path, Device]]:
    return [
        (
            (index, "numa"),
            Device(
                id=get_text(item, "id"),
                numa=tuple(cell for cell in get_list(item, "numa") if isinstance(cell, int)) or None,
                healthy=as_object(item).get("healthy") is not False,
            ),
        )
        for index, item in enumerate(items)
    ]


def _counted(resource: str, counts: JsonObject) -> list[tuple[Path, Device]]:
    """Number the devices through, cell by cell: gpu-0, gpu-1 and so on."""
    places = [cell for cell in counts for _ in range(integer(counts, cell, 0))]
    stem = resource.rpartition("/")[2]
    return [((cell,), Device(id=f"{stem}-{number}", numa=(int(cell),))) for number, cell in enumerate(places)]


def _kubelet(document: Document, block: JsonObject, cells: tuple[Cell, ...]) -> KubeletSettings:
    defaults = KubeletSettings()
    major, _, minor = (get_text(block, "version") or "1.37").partition(".")
    return KubeletSettings(
        cpu_manager_policy=get_text(block, "cpuManagerPolicy") or defaults.cpu_manager_policy,
        cpu_manager_policy_options=MappingProxyType(get_text_map(block, "cpuManagerPolicyOptions")),
        memory_manager_policy=get_text(block, "memoryManagerPolicy") or defaults.memory_manager_policy,
        topology_manager_policy=get_text(block, "topologyManagerPolicy") or defaults.topology_manager_policy,
        topology_manager_scope=get_text(block, "topologyManagerScope") or defaults.topology_manager_scope,
        topology_manager_policy_options=MappingProxyType(get_text_map(block, "topologyManagerPolicyOptions")),
        reserved_system_cpus=_reserved_cpus(document, get_text(block, "reservedSystemCPUs"), cells),
        node_allocatable_reservation=MappingProxyType(_reservation(get_object(block, "nodeAllocatableReservation"))),
        reserved_memory=MappingProxyType(_reserved_memory(document, get_list(block, "reservedMemory"), cells)),
        feature_gates=MappingProxyType(
            {gate: value is True for gate, value in get_object(block, "featureGates").items()}
        ),
        version=(int(major), int(minor)),
    )


def _reservation(block: JsonObject) -> dict[str, Quantity]:
    return {resource: read_amount(value) for resource, value in block.items()}


def _reserved_cpus(document: Document, text: str, cells: tuple[Cell, ...]) -> int | None:
    if not text:
        return None
    cpus = read_cpu_list(text)
    there = 0
    for cell in cells:
        there |= cell.cpus
    for cpu in cpus:
        if not there >> cpu & 1:
            message = f"CPU {cpu} of {shorten(text)} is not on this machine: reserve CPUs that numa lists"
            raise document.error((*_KUBELET, "reservedSystemCPUs"), message)
    return sum(1 << cpu for cpu in cpus)


def _reserved_memory(
    document: Document, entries: list[object], cells: tuple[Cell, ...]
) -> dict[int, MappingProxyType[str, int]]:
    memory = {cell.id: cell.memory for cell in cells}
    result: dict[int, MappingProxyType[str, int]] = {}
    for index, entry in enumerate(entries):
        path = (*_KUBELET, "reservedMemory", index)
        node = integer(entry, "numaNode", 0)
        if node not in memory:
            message = f"NUMA node {node} is not on this machine: it has {', '.join(map(str, memory))}"
            raise document.error((*path, "numaNode"), message)
        if node in result:
            raise document.error((*path, "numaNode"), f"NUMA node {node} is written twice: join both entries")
        limits = {kind: read_bytes(size) for kind, size in get_object(entry, "limits").items()}
        if sum(limits.values()) > memory[node]:
            message = f"{sum(limits.values())} bytes are more than NUMA node {node} has ({memory[node]})"
            raise document.error((*path, "limits"), message)
        result[node] = MappingProxyType(limits)
    return result
