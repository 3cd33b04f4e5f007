"""Errors to be planted in the simulated kubelet: each in words, and as one change of a text that is there once."""

from dataclasses import dataclass
from pathlib import Path

import webhook

PACKAGE = Path(webhook.__file__).parent
KUBELET = Path("domain", "kubelet")


@dataclass(frozen=True)
class Mutation:
    """An error: what the simulation gets wrong, in which of its files, and how."""

    error: str
    file: str
    old: str
    new: str

    def applied(self) -> str:
        """Answer the text of the file with the error in it.

        Raises:
            ValueError: the place is not there, or not there alone: the code has changed, and so must the mutation.
        """
        text = (PACKAGE / KUBELET / self.file).read_text("utf-8")
        if text.count(self.old) != 1:
            msg = f"{self.file} has {text.count(self.old)} times, and not once: {self.old!r} ({self.error})"
            raise ValueError(msg)
        return text.replace(self.old, self.new)


MUTATIONS = (
    Mutation(
        "NUMA nodes with gaps in their numbers are taken for the first ones",
        "bitmask.py",
        "dense = within & (within + 1) == 0",
        "dense = True",
    ),
    Mutation(
        "the fewest NUMA nodes that suffice are counted from the smallest",
        "bitmask.py",
        "sorted(counts, reverse=True)",
        "sorted(counts)",
    ),
    Mutation(
        "a stored affinity is written without its leading zero",
        "bitmask.py",
        'f"{mask:0{width or _GROUPING}b}"',
        'f"{mask:b}"',
    ),
    Mutation(
        "a combination of hints is the union of their NUMA nodes",
        "conjunction.py",
        "{mask & other for",
        "{mask | other for",
    ),
    Mutation(
        "combinations of very many hints are counted without taking the wider ones off",
        "conjunction.py",
        "_fold(counts, sign=-1)",
        "_fold(counts, sign=1)",
    ),
    Mutation(
        "NUMA nodes are always taken before sockets",
        "cpu_accumulator.py",
        "for level in levels if self.topology.numa_first else reversed(levels):",
        "for level in levels:",
    ),
    Mutation(
        "cores, caches and NUMA nodes with the most free CPUs come first",
        "cpu_accumulator.py",
        "found.sort()",
        "found.sort(reverse=True)",
    ),
    Mutation(
        "a part of an L3 cache is taken though it cannot hold the whole rest",
        "cpu_accumulator.py",
        "if len(cpus) == self.needed:",
        "if len(cpus) <= self.needed:",
    ),
    Mutation(
        "with CPUs spread across cores, threads are still taken core by core",
        "cpu_accumulator.py",
        "if self.spread:",
        "if not self.spread:",
    ),
    Mutation(
        "CPUs distributed across NUMA nodes are single threads where whole cores are wanted",
        "cpu_assignment.py",
        "group = topology.cpus_per_core if options.full_pcpus_only else 1",
        "group = 1",
    ),
    Mutation(
        "a request that does not divide into whole cores is distributed all the same",
        "cpu_assignment.py",
        "if count % group:",
        "if count < group:",
    ),
    Mutation(
        "the rest of a distribution goes to as few NUMA nodes as possible",
        "cpu_distribution.py",
        "for size in range(len(candidates), 0, -1):",
        "for size in range(1, len(candidates) + 1):",
    ),
    Mutation(
        "the search for an even distribution begins with one NUMA node",
        "cpu_distribution.py",
        "return range((needed - 1) // per_cell + 1,",
        "return range(1,",
    ),
    Mutation(
        "the best combination is kept as it was found, and not in the memory that Go writes over",
        "cpu_distribution.py",
        "target = array if length < len(array) else array + [0] * max(1, len(array))",
        "target = array[:length] + [0] * (length + 1)",
    ),
    Mutation(
        "how even a distribution is, is not rounded to thousandths",
        "cpu_distribution.py",
        "return int(number * 1000 + 0.5) / 1000",
        "return number",
    ),
    Mutation(
        "containers that share the CPUs of their pod are admitted though none are left to share",
        "cpu_bubble.py",
        "if shared and exclusive >= total:",
        "if shared and exclusive > total:",
    ),
    Mutation(
        "init containers keep their part of the pod's CPUs",
        "cpu_bubble.py",
        "if container.kind is not ContainerKind.INIT:\n                left &= ~taken",
        "if container.kind is not None:\n                left &= ~taken",
    ),
    Mutation(
        "a container with a fraction of a CPU gets exclusive CPUs too",
        "cpu_manager.py",
        "return whole if (whole * 1000 - quantity.milli) % _INT64 == 0 else 0",
        "return whole",
    ),
    Mutation(
        "CPUs that an init container leaves do not bind the next container",
        "cpu_manager.py",
        "return mask & bound == bound and sum(",
        "return sum(",
    ),
    Mutation(
        "the fewest NUMA nodes are counted with the free CPUs, not with all",
        "cpu_manager.py",
        "[bits.bit_count() for bits in self._topology.cells.values()], count)",
        "[room for _, room in rooms], count)",
    ),
    Mutation(
        "a core of which one CPU is reserved counts as half free for whole cores",
        "cpu_manager.py",
        "self._shared & ~self._reserved_cores",
        "self._shared & ~self._reserved",
    ),
    Mutation(
        "the CPUs of sidecars are used again by later containers",
        "cpu_manager.py",
        "if container.kind is ContainerKind.INIT:\n            self._reusable |= cpus",
        "if container.kind is not ContainerKind.APP:\n            self._reusable |= cpus",
    ),
    Mutation(
        "in scope pod, init containers run without the sidecars before them",
        "cpu_manager.py",
        "peak = max(peak, sidecars + count)",
        "peak = max(peak, count)",
    ),
    Mutation(
        "Burstable pods get exclusive CPUs and pinned memory",
        "cpu_manager.py",
        "return pod.qos is QOSClass.GUARANTEED and",
        "return pod.qos is not QOSClass.BEST_EFFORT and",
    ),
    Mutation(
        "every socket has one L3 cache, whatever the machine says",
        "cpu_topology.py",
        "core.socket if core.uncore is None else core.uncore",
        "core.socket",
    ),
    Mutation(
        "sockets hold NUMA nodes where there are as many of both",
        "cpu_topology.py",
        "return len(self.sockets) >= len(self.cells)",
        "return len(self.sockets) > len(self.cells)",
    ),
    Mutation(
        "the fewest NUMA nodes are counted with the healthy devices only",
        "device_manager.py",
        "devices.counts(devices.masks)",
        "devices.counts(devices.healthy)",
    ),
    Mutation(
        "hints for devices range over NUMA nodes without any",
        "device_manager.py",
        "cells=hosts or known)",
        "cells=known)",
    ),
    Mutation(
        "devices without a place are taken before the others",
        "device_manager.py",
        "            return 2\n",
        "            return -1\n",
    ),
    Mutation(
        "no devices of a resource whose devices are all sick is nothing to refuse",
        "device_manager.py",
        "if not devices.healthy:",
        "if not devices.healthy and count:",
    ),
    Mutation(
        "devices of an init container are not used again",
        "device_manager.py",
        "if container.kind is ContainerKind.INIT:",
        "if container.kind is None:",
    ),
    Mutation(
        "restricted admits what is not preferred",
        "hint_merger.py",
        "return affinity.preferred or self.policy == BEST_EFFORT",
        "return affinity.preferred or self.policy in {BEST_EFFORT, RESTRICTED}",
    ),
    Mutation(
        "single-numa-node takes hints that are not preferred",
        "hint_merger.py",
        "if all(hints.prefers(mask) for hints in lists)), None)\n        return Affinity(None",
        "if all(hints.serves(mask) for hints in lists)), None)\n        return Affinity(None",
    ),
    Mutation(
        "under single-numa-node the only NUMA node of a machine is an affinity",
        "hint_merger.py",
        "Affinity(None if best == self.cells else best,",
        "Affinity(best,",
    ),
    Mutation(
        "best-effort prefers the narrowest mask to the size that the most demanding resource needs",
        "hint_merger.py",
        "aim = max(mask.bit_count() for mask in narrowest)",
        "aim = min(mask.bit_count() for mask in narrowest if mask)",
    ),
    Mutation(
        "of the preferred masks the narrowest is taken, however far its NUMA nodes are from each other",
        "hint_merger.py",
        "closest_first(self.distances, within, size) if self.distances else bitmask.of_size(within, size)",
        "bitmask.of_size(within, size)",
    ),
    Mutation(
        "best-effort without its size takes the narrowest mask, not the next wide one",
        "hint_merger.py",
        "return (1, -size, average, mask) if size < aim",
        "return (1, size, average, mask) if size < aim",
    ),
    Mutation(
        "prefer-closest-numa-nodes looks at the number of the NUMA nodes only",
        "distances.py",
        "return sum(row[other] for row in rows for other in cells) / len(cells) ** 2",
        "return 0",
    ),
    Mutation(
        "align-by-socket prefers no more masks than others do",
        "hints.py",
        "if mask.bit_count() != self.least and not (self.wide and self.wide(mask)):",
        "if mask.bit_count() != self.least:",
    ),
    Mutation(
        "CPUs reserved by size are rounded down",
        "machine.py",
        "count = -(-quantity.milli // 1000) if",
        "count = quantity.milli // 1000 if",
    ),
    Mutation(
        "containers that share the memory of their pod are admitted though none is left to share",
        "memory_bubble.py",
        "if used.get(name, 0) >= total[name]), None)",
        "if used.get(name, 0) > total[name]), None)",
    ),
    Mutation(
        "the place of a pod with spec.resources is sought for its containers, not for the whole",
        "pod_bubble.py",
        "return cpus.pod_hints(views.whole)",
        "return cpus.pod_hints(views.parts)",
    ),
    Mutation(
        "in a pod with spec.resources, containers with less requested than their limits have a part of their own",
        "pod_level.py",
        "one if _is_guaranteed(one) else replace(one, requests={}) for one in",
        "one for one in",
    ),
    Mutation(
        "memory may be pinned over NUMA nodes that are in use one by one",
        "memory_manager.py",
        "if mask.bit_count() == 1:\n            return False\n        return any(",
        "if mask.bit_count() >= 1:\n            return False\n        return any(",
    ),
    Mutation(
        "a NUMA node that is in use together with another one may be used alone",
        "memory_manager.py",
        "if len(bits) == 1 and self._groups[bits[0]] != mask:",
        "if len(bits) == 0 and self._groups[bits[0]] != mask:",
    ),
    Mutation(
        "memory that an init container leaves is taken anew",
        "memory_manager.py",
        "max(0, block.size - self._reusable.get((mask, block.resource), 0))",
        "block.size",
    ),
    Mutation(
        "two init containers leave the memory of both",
        "memory_manager.py",
        "self._reusable[key] = max(before, block.size)",
        "self._reusable[key] = before + block.size",
    ),
    Mutation(
        "the fewest NUMA nodes are counted with the free memory, not with the allocatable",
        "memory_manager.py",
        "rows = [(self._table.allocatable[resource], size)",
        "rows = [(self._free[resource], size)",
    ),
    Mutation(
        "an affinity that is too small is replaced, not extended",
        "memory_manager.py",
        "found = self._best(request, within=mask)",
        "found = self._best(request, within=0)",
    ),
    Mutation(
        "memory used again counts for each of its users",
        "memory_manager.py",
        "old.size -= part",
        "old.size -= 0",
    ),
    Mutation(
        "in scope pod the memory of sidecars is left out",
        "memory_request.py",
        "max(size + sidecars.get(resource, 0), peak.get(resource, 0))",
        "max(size, peak.get(resource, 0))",
    ),
    Mutation(
        "fractions of a byte are rounded up",
        "memory_request.py",
        "size = quantity.as_int64()",
        "size = quantity.value",
    ),
    Mutation(
        "huge pages are memory too",
        "memory_table.py",
        "cell.memory - held.get(MEMORY, 0) - sum(pages.values())",
        "cell.memory - held.get(MEMORY, 0)",
    ),
    Mutation(
        "the CPU manager speaks before the device manager",
        "node.py",
        "in (self.devices, self.cpus, self.memory) if",
        "in (self.cpus, self.devices, self.memory) if",
    ),
    Mutation(
        "a refused pod keeps what it was given",
        "node.py",
        "manager.release()",
        "manager.begin()",
    ),
    Mutation(
        "the sums over the node count the last pod only",
        "node.py",
        "self._used.get(name, 0) + number",
        "number",
    ),
    Mutation(
        "alpha options of the CPU manager need no feature gate",
        "options.py",
        'gates.get("CPUManagerPolicyAlphaOptions", False)',
        'gates.get("CPUManagerPolicyAlphaOptions", True)',
    ),
    Mutation(
        "aligning by L3 cache and distributing across NUMA nodes go together",
        "options.py",
        "    (UNCORE_CACHE, ACROSS_NUMA),\n",
        "",
    ),
    Mutation(
        "max-allowable-numa-nodes has to be above eight",
        "options.py",
        "if limit < DEFAULT_MAX_NUMA_NODES:",
        "if limit <= DEFAULT_MAX_NUMA_NODES:",
    ),
    Mutation(
        "the sums look at memory before CPUs",
        "predicates.py",
        "for name in (CPU, MEMORY, *others):",
        "for name in (MEMORY, CPU, *others):",
    ),
    Mutation(
        "CPUs that are reserved as a set still count for pods",
        "predicates.py",
        "node_class.reserved_cpus.bit_count() * 1000 or _amount",
        "_amount",
    ),
    Mutation(
        "huge pages that no NUMA node has are not limited",
        "predicates.py",
        "limited = name in node or name.startswith(HUGEPAGES_PREFIX)",
        "limited = name in node",
    ),
    Mutation(
        "a machine with as many NUMA nodes as are allowed has too many",
        "startup.py",
        "if len(node_class.cells) > options.max_numa_nodes:",
        "if len(node_class.cells) >= options.max_numa_nodes:",
    ),
    Mutation(
        "reserved memory may be less than what is reserved of the node",
        "startup.py",
        "if total != determined:",
        "if total > determined:",
    ),
    Mutation(
        "whole sockets go with a single NUMA node",
        "startup.py",
        "if options.align_by_socket and node_class.kubelet.topology_manager_policy == SINGLE_NUMA_NODE:",
        "if options.align_by_socket and node_class.kubelet.topology_manager_policy == NONE:",
    ),
    Mutation(
        "in scope container all containers share one affinity, in scope pod each has its own",
        "topology_manager.py",
        "if scope == POD_SCOPE:",
        "if scope == CONTAINER_SCOPE:",
    ),
    Mutation(
        "without a topology manager the managers still allocate by NUMA node 0",
        "topology_manager.py",
        "_NO_AFFINITY: Final = Affinity(None, preferred=False)",
        "_NO_AFFINITY: Final = Affinity(1, preferred=False)",
    ),
)
