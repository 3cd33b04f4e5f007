"""The device manager: hints and allocation of device plug-in resources, for pods of any QoS class (DM/)."""

from collections import Counter
from collections.abc import Collection
from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

from webhook.domain.demand import aggregate
from webhook.domain.kubelet import bitmask
from webhook.domain.kubelet.hints import IMPOSSIBLE
from webhook.domain.kubelet.hints import Affinity
from webhook.domain.kubelet.hints import Hints
from webhook.domain.kubelet.refusal import unexpected
from webhook.domain.pod import Container
from webhook.domain.pod import ContainerKind
from webhook.domain.pod import PodFacts
from webhook.domain.topology import Device
from webhook.domain.versions import NEWEST
from webhook.domain.versions import Rules


@dataclass(frozen=True, slots=True)
class DeviceTable:
    """The devices of one resource; `masks` holds each device's NUMA nodes, None where the plug-in gave no topology.

    `cells` are the NUMA nodes that hints range over: those with devices, or all where no known node has any (older
    versions: always all).
    """

    masks: Mapping[str, int | None]
    healthy: tuple[str, ...]
    aligned: bool
    cells: int

    def counts(self, devices: Iterable[str]) -> Counter[int]:
        """Count `devices` by their NUMA nodes; those without any match no mask and are left out."""
        return Counter(mask for mask in map(self.masks.__getitem__, devices) if mask)


def table(devices: tuple[Device, ...], cells: tuple[int, ...], rules: Rules = NEWEST) -> DeviceTable:
    """Derive the table of one resource (DM/topology_hints.go:deviceHasTopologyAlignment, deviceNUMANodes)."""
    masks = {device.id: None if device.numa is None else bitmask.of(device.numa) for device in devices}
    known = bitmask.of(cells)
    hosts = 0
    for mask in masks.values() if rules.hints_from_device_nodes else ():
        hosts |= (mask or 0) & known
    healthy = tuple(device.id for device in devices if device.healthy)
    return DeviceTable(masks, healthy, aligned=any(masks.values()), cells=hosts or known)


class DeviceManager:
    """Which devices are taken on one node, and which the current pod may use again."""

    __slots__ = ("_owned", "_reusable", "_tables", "_taken")

    def __init__(self, tables: Mapping[str, DeviceTable]) -> None:
        """Start with every device free."""
        self._tables = tables
        self._taken: dict[str, set[str]] = {}
        self._owned: dict[str, dict[str, tuple[str, ...]]] = {}
        self._reusable: dict[str, set[str]] = {}

    @property
    def owned(self) -> dict[str, dict[str, tuple[str, ...]]]:
        """The current pod's devices by container and resource."""
        return self._owned

    def begin(self) -> None:
        """Forget the pod before: it is admitted, its devices are gone for good."""
        self._owned = {}
        self._reusable = {}

    def release(self) -> None:
        """Give the current pod's devices back (DM/manager.go:UpdateAllocatedDevices)."""
        for resources in self._owned.values():
            for resource, devices in resources.items():
                self._taken[resource].difference_update(devices)
        self.begin()

    def container_hints(self, _pod: PodFacts, container: Container) -> list[Hints | None]:
        """Mirror DM/topology_hints.go:GetTopologyHints."""
        return [
            self._hints(resource, quantity.value, self._reusable.get(resource, ()))
            for resource, quantity in container.limits.items()
            if resource in self._tables
        ]

    def pod_hints(self, pod: PodFacts) -> list[Hints | None]:
        """Mirror DM/topology_hints.go:GetPodTopologyHints, which knows nothing of reusable devices."""
        limits = aggregate((container.kind, container.limits) for container in pod.containers)
        return [
            self._hints(resource, quantity.value, ())
            for resource, quantity in limits.items()
            if resource in self._tables
        ]

    def allocate(self, _pod: PodFacts, container: Container, affinity: Affinity) -> None:
        """Mirror DM/manager.go:Allocate; the kubelet walks the resources in no particular order, we by name.

        Raises:
            RefusedError: there are too few healthy devices.
        """
        for resource in sorted(container.limits.keys() & self._tables.keys()):
            devices = self._choose(resource, container.limits[resource].value, affinity.mask)
            if devices:
                self._taken.setdefault(resource, set()).update(devices)
                self._owned.setdefault(container.name, {})[resource] = devices
        for resource, devices in self._owned.get(container.name, {}).items():
            if container.kind is ContainerKind.INIT:
                self._reusable.setdefault(resource, set()).update(devices)
            else:
                self._reusable.get(resource, set()).difference_update(devices)

    def _hints(self, resource: str, count: int, reusable: Collection[str]) -> Hints | None:
        """Mirror generateDeviceTopologyHints: size from all devices, unhealthy and taken ones too."""
        devices = self._tables[resource]
        if not devices.aligned:
            return None
        available = self._available(resource)
        if len(available) + len(reusable) < count:
            return IMPOSSIBLE
        bound = [mask for mask in map(devices.masks.__getitem__, reusable) if mask is not None]
        rooms = list(devices.counts(available).items())

        def serves(mask: int) -> bool:
            room = sum(number for place, number in rooms if place & mask)
            return room + len(bound) >= count and all(place & mask for place in bound)

        least = _least(list(devices.counts(devices.masks).items()), devices.cells, count)
        return Hints(devices.cells, least, serves)

    def _available(self, resource: str) -> list[str]:
        """Mirror DM/topology_hints.go:getAvailableDevices."""
        taken = self._taken.get(resource, ())
        return [device for device in self._tables[resource].healthy if device not in taken]

    def _choose(self, resource: str, count: int, mask: int | None) -> tuple[str, ...]:
        """Mirror devicesToAllocate, for a plug-in without preference: the kubelet then picks at random, we in order."""
        devices = self._tables[resource]
        if not devices.healthy:
            message = f"no healthy devices present; cannot allocate unhealthy devices {resource}"
            raise unexpected(message)
        if count == 0:
            return ()
        reusable = self._reusable.get(resource, ())
        chosen = list(islice((device for device in devices.masks if device in reusable), count))
        missing = count - len(chosen)
        if missing == 0:
            return tuple(chosen)
        available = self._available(resource)
        if len(available) < missing:
            message = (
                f"requested number of devices unavailable for {resource}. "
                f"Requested: {missing}, Available: {len(available)}"
            )
            raise unexpected(message)
        return (*chosen, *_by_affinity(devices, available, mask)[:missing])


def _by_affinity(devices: DeviceTable, available: list[str], mask: int | None) -> list[str]:
    """Order devices as filterByAffinity does: within the affinity, elsewhere, without topology."""
    if mask is None or not devices.aligned:
        return available

    def distance(device: str) -> int:
        cells = devices.masks[device]
        if not cells:
            return 2
        return 0 if cells & mask else 1

    return sorted(available, key=distance)


def _least(places: list[tuple[int, int]], cells: int, count: int) -> int:
    """Answer the fewest NUMA nodes that hold `count` devices, healthy or not; all where there are too few."""
    within = [(place, number) for place, number in places if place & cells]
    if count == 0:
        return 1
    if within and all(place.bit_count() == 1 for place, _ in within):
        return bitmask.least_size([number for _, number in within], count)
    for size in range(1, cells.bit_count()):
        for mask in bitmask.of_size(cells, size):
            if sum(number for place, number in within if place & mask) >= count:
                return size
    return cells.bit_count()
