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
from webhook.config.strangers import refuse_strangers
from webhook.config.words import shorten
from webhook.domain.pointer import Path
from webhook.domain.quantity import Quantity
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_text_map
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


def to_node_class(
    document: Document, name: str, spec: JsonObject, *, assumed: bool = False, strangers: bool = False
) -> NodeClass:
    """Read a spec that was held against the grammar before, the machine's fields filled in.

    With `strangers` true devices and reservations may name NUMA nodes and CPUs that are not there, and more memory
    than is there: what such a kubelet does is the simulation's to say.

    Raises:
        PolicyError: its parts contradict each other.
    """
    node_class = NodeClass(
        name=name,
        cells=to_cells(document, get_list(spec, "numa")),
        devices=MappingProxyType(_devices(document, get_object(spec, "devices"))),
        kubelet=_kubelet(document, get_object(spec, "kubelet")),
        labels=MappingProxyType(get_text_map(get_object(spec, "selector"), "matchLabels")),
        taints=tuple(
            Taint(key=get_text(taint, "key"), effect=get_text(taint, "effect"), value=get_text(taint, "value"))
            for taint in get_list(spec, "taints")
        ),
        assumed=assumed,
    )
    if not strangers:
        refuse_strangers(document, node_class)
    return node_class


def _devices(document: Document, block: JsonObject) -> dict[str, tuple[Device, ...]]:
    result: dict[str, tuple[Device, ...]] = {}
    for resource, value in block.items():
        devices = _listed(value) if isinstance(value, list) else _counted(resource, as_object(value))
        twice = [name for name, times in Counter(device.id for device in devices).items() if times > 1]
        if twice:
            message = f"device id {shorten(twice[0])} is written twice: give each device its own"
            raise document.error(("spec", "devices", resource), message)
        result[resource] = devices
    return result


def _listed(items: list[object]) -> tuple[Device, ...]:
    return tuple(
        Device(
            id=get_text(item, "id"),
            numa=_homes(as_object(item)),
            healthy=as_object(item).get("healthy") is not False,
        )
        for item in items
    )


def _homes(device: JsonObject) -> tuple[int, ...] | None:
    """Answer the NUMA nodes of a device; an empty list is another answer of a plug-in than no topology."""
    cells = device.get("numa")
    return tuple(cell for cell in cells if isinstance(cell, int)) if isinstance(cells, list) else None


def _counted(resource: str, counts: JsonObject) -> tuple[Device, ...]:
    """Number the devices through, cell by cell: gpu-0, gpu-1 and so on; those of cell -1 have no topology."""
    places = [cell for cell in counts for _ in range(integer(counts, cell, 0))]
    stem = resource.rpartition("/")[2]
    return tuple(
        Device(id=f"{stem}-{number}", numa=None if cell == "-1" else (int(cell),)) for number, cell in enumerate(places)
    )


def _kubelet(document: Document, block: JsonObject) -> KubeletSettings:
    defaults = KubeletSettings()
    major, _, minor = (get_text(block, "version") or "1.37").partition(".")
    return KubeletSettings(
        cpu_manager_policy=get_text(block, "cpuManagerPolicy") or defaults.cpu_manager_policy,
        cpu_manager_policy_options=MappingProxyType(get_text_map(block, "cpuManagerPolicyOptions")),
        memory_manager_policy=get_text(block, "memoryManagerPolicy") or defaults.memory_manager_policy,
        topology_manager_policy=get_text(block, "topologyManagerPolicy") or defaults.topology_manager_policy,
        topology_manager_scope=get_text(block, "topologyManagerScope") or defaults.topology_manager_scope,
        topology_manager_policy_options=MappingProxyType(get_text_map(block, "topologyManagerPolicyOptions")),
        reserved_system_cpus=_reserved_cpus(get_text(block, "reservedSystemCPUs")),
        node_allocatable_reservation=MappingProxyType(_reservation(get_object(block, "nodeAllocatableReservation"))),
        reserved_memory=MappingProxyType(_reserved_memory(document, get_list(block, "reservedMemory"))),
        feature_gates=MappingProxyType(
            {gate: value is True for gate, value in get_object(block, "featureGates").items()}
        ),
        version=(int(major), int(minor)),
    )


def _reservation(block: JsonObject) -> dict[str, Quantity]:
    return {resource: read_amount(value) for resource, value in block.items()}


def _reserved_cpus(text: str) -> int | None:
    return sum(1 << cpu for cpu in read_cpu_list(text)) if text else None


def _reserved_memory(document: Document, entries: list[object]) -> dict[int, MappingProxyType[str, int]]:
    result: dict[int, MappingProxyType[str, int]] = {}
    for index, entry in enumerate(entries):
        node = integer(entry, "numaNode", 0)
        if node in result:
            path = (*_KUBELET, "reservedMemory", index, "numaNode")
            raise document.error(path, f"NUMA node {node} is written twice: join both entries")
        limits = {kind: read_bytes(size) for kind, size in get_object(entry, "limits").items()}
        result[node] = MappingProxyType(limits)
    return result
