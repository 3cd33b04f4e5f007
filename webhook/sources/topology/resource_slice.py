"""ResourceSlices of DRA drivers: where devices are, and what the drivers of CPUs and memory say about NUMA nodes.

A device without a NUMA node of its own is placed by its PCIe root, if another device of the node shares it and has one.
Devices that are handed out by claims are not seen by the kubelet's topology manager; they become devices of a class
only where a device plug-in of the same vendor counts them too.
"""

from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping

from webhook.domain.quantity import Quantity
from webhook.sources.evidence import NOWHERE
from webhook.sources.evidence import DeviceFacts
from webhook.sources.evidence import Evidence
from webhook.sources.evidence import NodeView
from webhook.sources.evidence import SliceFacts
from webhook.sources.evidence import TopologySource

NAME = "ResourceSlice"
_CPU_DRIVER = "dra.cpu"
_NATIVE = frozenset({_CPU_DRIVER, "dra.memory"})
_RESOURCES: Mapping[str, tuple[str, ...]] = {
    "gpu.nvidia.com": ("nvidia.com/gpu",),
    "gpu.amd.com": ("amd.com/gpu",),
    "gpu.intel.com": ("gpu.intel.com/i915", "gpu.intel.com/xe"),
    "gaudi.intel.com": ("habana.ai/gaudi",),
}
"""What the vendors' device plug-ins call the same devices."""
_WHOLE = frozenset({"", "gpu", "amdgpu"})
"""Types of devices that are no parts of others; drivers without types publish whole devices."""


def _read(view: NodeView) -> Evidence | None:
    slices = _newest(view.slices)
    if not slices:
        return None
    places = _places(device for one in slices for device in one.devices)
    drivers = {driver: _count(devices, places) for driver, devices in _by_driver(slices) if driver not in _NATIVE}
    fields: dict[str, object] = {}
    problems: list[str] = []
    for driver, counts in drivers.items():
        for resource in _RESOURCES.get(driver, ()):
            there, found = view.capacity.get(resource, 0), sum(counts.values())
            if there and there == found:
                fields[f"devices.{resource}"] = counts
            elif there:
                problems.append(f"driver {driver} has {found} devices, the node's status {there} {resource}")
    assumed: dict[str, str] = {}
    numa = _numa(view, dict(_by_driver(slices)), assumed)
    if numa:
        fields["numa"] = numa
    if any(one.driver == _CPU_DRIVER and one.devices for one in slices):
        fields["kubelet.cpuManagerPolicy"] = "none"
        assumed["kubelet.cpuManagerPolicy"] = "the driver dra.cpu hands out CPUs: the kubelet's CPU manager must be off"
    placed = {driver: counts for driver, counts in drivers.items() if counts}
    return Evidence(source=NAME, fields=fields, assumed=assumed, problems=tuple(problems), drivers=placed)


def _newest(slices: Iterable[SliceFacts]) -> list[SliceFacts]:
    """Leave out slices of a pool's older generations: drivers write the new ones before they delete the old."""
    latest: dict[tuple[str, str], int] = {}
    ordered = sorted(slices, key=lambda one: (one.driver, one.pool, one.name))
    for one in ordered:
        pool = (one.driver, one.pool)
        latest[pool] = max(latest.get(pool, one.generation), one.generation)
    return [one for one in ordered if one.generation == latest[one.driver, one.pool]]


def _by_driver(slices: Iterable[SliceFacts]) -> Iterator[tuple[str, list[DeviceFacts]]]:
    found: defaultdict[str, list[DeviceFacts]] = defaultdict(list)
    for one in slices:
        found[one.driver].extend(one.devices)
    yield from found.items()


def _places(devices: Iterable[DeviceFacts]) -> dict[str, int]:
    """Answer the NUMA node of each PCIe root; a root that is told to be in two is in none."""
    found: defaultdict[str, set[int]] = defaultdict(set)
    for device in devices:
        for root in device.roots if device.numa is not None else ():
            found[root].add(device.numa or 0)
    return {root: next(iter(homes)) for root, homes in found.items() if len(homes) == 1}


def _count(devices: Iterable[DeviceFacts], places: Mapping[str, int]) -> dict[str, int]:
    counts: defaultdict[str, int] = defaultdict(int)
    for device in devices:
        if device.kind in _WHOLE:
            homes = {places[root] for root in device.roots if root in places}
            home = device.numa if device.numa is not None or len(homes) != 1 else next(iter(homes))
            counts[NOWHERE if home is None else str(home)] += 1
    return dict(sorted(counts.items()))


def _numa(view: NodeView, drivers: Mapping[str, list[DeviceFacts]], assumed: dict[str, str]) -> list[object]:
    """Put NUMA nodes together of the drivers of CPUs and memory; nothing unless both CPUs and memory are known."""
    devices = drivers.get(_CPU_DRIVER, [])
    if not devices or any(device.numa is None for device in devices):
        return []
    cpus = _cells(devices)
    memory: defaultdict[int, int] = defaultdict(int)
    for device in drivers.get("dra.memory", []):
        if device.numa is not None:
            memory[device.numa] += device.memory
    whole = view.node.memory if view.node else 0
    if not any(memory.values()):
        if not whole:
            return []
        memory = defaultdict(int, dict.fromkeys(cpus, whole // len(cpus)))
        assumed["numa.memory"] = "the node's memory is divided evenly over NUMA nodes with CPUs"
    assumed["numa.cpus"] = "only the CPUs that the driver hands out are counted"
    return [
        {"id": cell, "memory": str(Quantity.of_bytes(memory[cell])), **cpus.get(cell, {})}
        for cell in sorted({*cpus, *(cell for cell, size in memory.items() if size)})
    ]


def _cells(devices: list[DeviceFacts]) -> dict[int, dict[str, object]]:
    """Answer the CPUs of each NUMA node: by id where each CPU is a device, else by number."""
    if all(device.cpu is not None for device in devices):
        return _listed(devices)
    counts: defaultdict[int, int] = defaultdict(int)
    for device in devices:
        counts[device.numa or 0] += device.cpus
    smt = any(device.smt for device in devices) and not any(count % 2 for count in counts.values())
    threads = 2 if smt else 1
    return {cell: {"coreCount": count // threads, "threadsPerCore": threads} for cell, count in counts.items() if count}


def _listed(devices: list[DeviceFacts]) -> dict[int, dict[str, object]]:
    cores: defaultdict[tuple[int, int, int], list[int]] = defaultdict(list)
    for device in devices:
        core = device.core if device.core is not None else device.cpu
        cores[device.numa or 0, device.socket or 0, core or 0].append(device.cpu or 0)
    found: defaultdict[int, list[object]] = defaultdict(list)
    for (cell, socket, _core), threads in sorted(cores.items()):
        found[cell].append({"threads": sorted(threads), "socket": socket})
    return {cell: {"cores": members} for cell, members in found.items()}


SOURCE = TopologySource(name="resource-slice", rank=30, read=_read)
