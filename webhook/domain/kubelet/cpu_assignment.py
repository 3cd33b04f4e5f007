"""Which CPUs a request gets: packed onto few parts, or spread evenly over NUMA nodes (CPU/cpu_assignment.go)."""

from webhook.domain.kubelet.cpu_accumulator import Accumulator
from webhook.domain.kubelet.cpu_distribution import choose
from webhook.domain.kubelet.cpu_distribution import rounds
from webhook.domain.kubelet.cpu_topology import CpuTopology
from webhook.domain.kubelet.options import CpuOptions


class NotEnoughCpusError(Exception):
    """The request cannot be met; the text is the kubelet's."""


def take(topology: CpuTopology, available: int, count: int, options: CpuOptions) -> int:
    """Take `count` of the `available` CPUs (CPU/policy_static.go:takeByTopology).

    Raises:
        NotEnoughCpusError: there are too few.
    """
    if not options.across_numa:
        return _packed(topology, available, count, spread=options.across_cores, uncore=options.uncore_cache)
    group = topology.cpus_per_core if options.full_pcpus_only else 1
    return _distributed(topology, available, count, group, options)


def _packed(topology: CpuTopology, available: int, count: int, *, spread: bool, uncore: bool = False) -> int:
    """Mirror takeByTopologyNUMAPacked."""
    accumulator = _start(topology, available, count, spread=spread)
    accumulator.take_full_levels()
    if uncore and not accumulator.satisfied:
        accumulator.take_uncore_caches()
    if not spread and not accumulator.satisfied:
        accumulator.take_full_cores()
    if not accumulator.satisfied:
        accumulator.take_remaining_cpus()
    return accumulator.result


def _distributed(topology: CpuTopology, available: int, count: int, group: int, options: CpuOptions) -> int:
    """Mirror takeByTopologyNUMADistributed: equal shares on as few NUMA nodes as allow them."""
    spread = options.across_cores
    if count % group:
        return _packed(topology, available, count, spread=spread)
    accumulator = _start(topology, available, count, spread=spread)
    if accumulator.satisfied:
        return accumulator.result
    heedful = options.spread_within_sockets
    choice = choose(accumulator, group, align_by_socket=heedful and options.align_by_socket, within_free=heedful)
    if choice is None:
        return _packed(topology, available, count, spread=spread)
    rest = count - choice.share * len(choice.cells)
    for cell in choice.cells:
        _take_from(accumulator, cell, choice.share)
    for cell in rounds(choice.remainder, rest, group, accumulator.free_in):
        _take_from(accumulator, cell, group)
    if not accumulator.satisfied:
        message = f"accounting error, not enough CPUs allocated, remaining: {accumulator.needed}"
        raise NotEnoughCpusError(message)
    return accumulator.result


def _start(topology: CpuTopology, available: int, count: int, *, spread: bool) -> Accumulator:
    accumulator = Accumulator(topology, available, count, spread=spread)
    if accumulator.needed > accumulator.free.bit_count():
        found = available.bit_count()
        message = f"not enough cpus available to satisfy request: requested={count}, available={found}"
        raise NotEnoughCpusError(message)
    return accumulator


def _take_from(accumulator: Accumulator, cell: int, count: int) -> None:
    """Take from one NUMA node; nothing where it has too few, which the kubelet overlooks as well."""
    free = accumulator.topology.cells[cell] & accumulator.free
    if free.bit_count() < count:
        return
    accumulator.take(_packed(accumulator.topology, free, count, spread=accumulator.spread))
