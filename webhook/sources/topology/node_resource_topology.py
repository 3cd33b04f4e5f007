"""NodeResourceTopology: what an exporter on the node read from sysfs and from the kubelet.

A kubelet reports allocatable CPUs by NUMA node only with the static CPU manager, and allocatable memory only with the
Static memory manager; so rows that are there, or missing, tell which managers run.
"""

from webhook.config.amounts import MAX_CPU
from webhook.domain import cpuset
from webhook.domain.quantity import Quantity
from webhook.domain.quantity import QuantityError
from webhook.sources.evidence import MOST_DEVICES
from webhook.sources.evidence import Evidence
from webhook.sources.evidence import NodeView
from webhook.sources.evidence import ReportFacts
from webhook.sources.evidence import TopologySource
from webhook.sources.evidence import ZoneFacts
from webhook.sources.threads import threads_per_core

NAME = "NodeResourceTopology"
_ENGINE = "TopologyPolicy"
_FARTHEST = 255
_MOST_ZONES = 8
"""With more NUMA nodes than this a kubelet with a topology manager needs an option to start."""


def _read(view: NodeView) -> Evidence | None:
    report = view.report
    if report is None:
        return None
    draft = _Draft(view, report)
    draft.read()
    return Evidence(
        source=NAME,
        fields=draft.fields,
        assumed=draft.assumed,
        bound=frozenset({"kubelet.reservedSystemCPUs", "kubelet.topologyManagerPolicyOptions"}),
        problems=(*report.problems, *draft.problems),
        doubts=report.doubts,
    )


class _Draft:
    """The evidence while it is put together."""

    def __init__(self, view: NodeView, report: ReportFacts) -> None:
        self.view = view
        self.report = report
        self.zones = report.zones
        self.fields: dict[str, object] = {}
        self.assumed: dict[str, str] = {}
        self.problems: list[str] = []
        self.reservation: dict[str, str] = {}

    def read(self) -> None:
        """Fill the fields."""
        settings = dict(self.report.settings)
        for name in ("topologyManagerPolicy", "topologyManagerScope"):
            if name in settings:
                self.fields[f"kubelet.{name}"] = settings[name]
        if _ENGINE in settings:
            self._of_engine(settings[_ENGINE])
            return
        self._devices()
        missing = self._missing_rows()
        if missing:
            self.problems.append(missing)
        else:
            self._numa()
        self._cpu_manager()
        self._memory_manager()
        if self.reservation:
            self.fields["kubelet.nodeAllocatableReservation"] = self.reservation

    def _of_engine(self, name: str) -> None:
        """Note a resource policy of nri-plugins: it stands in for the kubelet's managers, which must be off."""
        why = f"the resource policy {name} of nri-plugins stands in for the kubelet's managers"
        for field, value in (("cpuManagerPolicy", "none"), ("memoryManagerPolicy", "None")):
            self._assume(f"kubelet.{field}", value, why)
        if "kubelet.topologyManagerPolicy" not in self.fields:
            self._assume("kubelet.topologyManagerPolicy", "none", why)

    def _missing_rows(self) -> str:
        """Say which rows are missing without which there are no NUMA nodes to speak of."""
        if not self.zones:
            return ""  # said among the problems of the report
        total = sum(zone.cpus[0] for zone in self.zones if zone.cpus)
        if total > MAX_CPU:
            return f"{total} CPUs are more than any machine has"
        names = [] if total else ["cpu"]
        if not any(self.report.memory) and not (self.view.node and self.view.node.memory):
            names.append("memory")
        zones = ", ".join(f"node-{zone.id}" for zone in self.zones)
        return f"no {' and no '.join(names)} row in {zones}" if names else ""

    def _numa(self) -> None:
        if not self.zones:
            return
        counts = [zone.cpus[0] if zone.cpus else 0 for zone in self.zones]
        threads, why = threads_per_core(self.view, counts)
        memory = self._memory(counts)
        cells: list[object] = []
        for zone, cpus, size in zip(self.zones, counts, memory, strict=True):
            cell: dict[str, object] = {"id": zone.id, "memory": _bytes(size)}
            if cpus:
                cell |= {"coreCount": cpus // threads, "threadsPerCore": threads}
            if zone.pages:
                cell["hugepages"] = {page: total // _page(page) for page, total, _left in zone.pages}
            if self._has_distances():
                cell["distances"] = [distance for _id, distance in zone.costs]
            cells.append(cell)
        self.fields["numa"] = cells
        if why:
            self.assumed["numa.threadsPerCore"] = why
        self._reserve_cpus(counts, threads)

    def _memory(self, counts: list[int]) -> list[int]:
        if any(self.report.memory):
            return [sizes[0] if sizes else 0 for sizes in self.report.memory]
        whole = self.view.node.memory if self.view.node else 0
        self.assumed["numa.memory"] = "no memory rows: the node's memory is divided evenly over NUMA nodes with CPUs"
        share = whole // max(1, sum(1 for count in counts if count))
        return [share if count else 0 for count in counts]

    def _has_distances(self) -> bool:
        ids = [zone.id for zone in self.zones]
        complete = all([other for other, _distance in zone.costs] == ids for zone in self.zones)
        return complete and all(0 <= cost[1] <= _FARTHEST for zone in self.zones for cost in zone.costs)

    def _reserve_cpus(self, counts: list[int], threads: int) -> None:
        """Name as many CPUs of each zone as it keeps back; which they are is not said, how many is what counts."""
        if not self._is_static():
            return
        kept = [zone.cpus[0] - zone.cpus[1] if zone.cpus else 0 for zone in self.zones]
        if not any(kept):
            kept[next(index for index, count in enumerate(counts) if count)] = threads
            self.assumed["kubelet.reservedSystemCPUs"] = (
                "no zone keeps CPUs back, but a static CPU manager needs some: one core of the first is assumed"
            )
        total = sum(counts) // threads
        first, bits = 0, 0
        for count, number in zip(counts, kept, strict=True):
            ids = (
                core + thread * total for core in range(first, first + count // threads) for thread in range(threads)
            )
            bits |= sum(1 << cpu for cpu, _ in zip(ids, range(number), strict=False))
            first += count // threads
        self.fields["kubelet.reservedSystemCPUs"] = cpuset.format(bits)
        self.reservation["cpu"] = str(sum(kept))

    def _is_static(self) -> bool:
        return any(zone.cpus and zone.cpus[1] for zone in self.zones)

    def _cpu_manager(self) -> None:
        if self._is_static():
            self._assume(
                "kubelet.cpuManagerPolicy", "static", "only the static CPU manager has allocatable CPUs by zone"
            )
        elif any(zone.cpus for zone in self.zones):
            self._assume("kubelet.cpuManagerPolicy", "none", "no zone has allocatable CPUs")
        if len(self.zones) > _MOST_ZONES:
            options = {"max-allowable-numa-nodes": str(len(self.zones))}
            why = f"a kubelet with a topology manager does not start on {len(self.zones)} NUMA nodes without it"
            self._assume("kubelet.topologyManagerPolicyOptions", options, why)

    def _memory_manager(self) -> None:
        limits = [
            (zone.id, _kept_back(zone, sizes)) for zone, sizes in zip(self.zones, self.report.memory, strict=True)
        ]
        total = sum(sizes.get("memory", 0) for _id, sizes in limits)
        if not any(sizes and sizes[1] for sizes in self.report.memory) or not total:
            missing = "has allocatable" if not any(self.report.memory) else "keeps back any"
            why = f"no zone {missing} memory, and with the Static memory manager it would"
            self._assume("kubelet.memoryManagerPolicy", "None", why)
            return
        why = "only the Static memory manager has allocatable memory by zone"
        self._assume("kubelet.memoryManagerPolicy", "Static", why)
        self.fields["kubelet.reservedMemory"] = [
            {"numaNode": cell, "limits": {name: _bytes(size) for name, size in sizes.items()}}
            for cell, sizes in limits
            if sizes
        ]
        for name in sorted({name for _id, sizes in limits for name in sizes}):
            self.reservation[name] = _bytes(sum(sizes.get(name, 0) for _id, sizes in limits))

    def _devices(self) -> None:
        known = [(str(zone.id), dict(zone.devices)) for zone in self.zones]
        for resource in self.report.resources:
            counts = {cell: devices[resource] for cell, devices in known if resource in devices}
            there = self.view.capacity.get(resource, 0)
            placed = sum(counts.values())
            if placed > MOST_DEVICES:
                self.problems.append(f"{placed} {resource} are no devices, but MiB or percent: left out")
                continue
            if there and len(counts) > 1 and all(count == there for count in counts.values()):
                self.problems.append(f"each of {there} {resource} is near every NUMA node: it has no home")
                self.fields[f"devices.{resource}"] = {"-1": there}
                continue
            placed_counts = {cell: count for cell, count in counts.items() if count}
            beyond = {"-1": there - placed} if placed and there > placed else {}
            self.fields[f"devices.{resource}"] = placed_counts | beyond

    def _assume(self, field: str, value: object, why: str) -> None:
        self.fields[field] = value
        self.assumed[field] = why


def _kept_back(zone: ZoneFacts, sizes: tuple[int, int] | None) -> dict[str, int]:
    """Answer the bytes of memory and huge pages that are capacity but not allocatable; huge pages are in the memory."""
    capacity, allocatable = sizes or (0, 0)
    pages = sum(total for _size, total, _left in zone.pages)
    kept = {"memory": capacity - pages - allocatable}
    kept |= {f"hugepages-{page}": total - left for page, total, left in zone.pages}
    return {name: size for name, size in kept.items() if size > 0}


def _page(text: str) -> int:
    try:
        return max(1, Quantity.parse(text).value)
    except QuantityError:
        return 1


def _bytes(size: int) -> str:
    return str(Quantity.of_bytes(size))


SOURCE = TopologySource(name="node-resource-topology", rank=20, read=_read)
