"""The scheduler's sums, repeated by the kubelet over the whole node (pkg/kubelet/lifecycle/predicate.go)."""

from collections.abc import Mapping

from webhook.domain.demand import effective_requests
from webhook.domain.kubelet.memory_table import hugepage_bytes
from webhook.domain.kubelet.refusal import OUT_OF
from webhook.domain.kubelet.refusal import SCHEDULER_FIT
from webhook.domain.kubelet.refusal import RefusedError
from webhook.domain.pod import PodFacts
from webhook.domain.quantity import Quantity
from webhook.domain.resources import CPU
from webhook.domain.resources import HUGEPAGES_PREFIX
from webhook.domain.resources import MEMORY
from webhook.domain.resources import is_extended
from webhook.domain.topology import NodeClass

Amounts = Mapping[str, int]
"""Whole numbers by resource: milli-CPUs, bytes, counts."""


def allocatable(node_class: NodeClass) -> dict[str, int]:
    """Answer what a node of the class has for pods (pkg/kubelet/nodestatus/setters.go:MachineInfo).

    Numbers of pods and ephemeral storage are not part of a node class and are not limited here.
    """
    reservation = node_class.kubelet.node_allocatable_reservation
    cpus = sum(len(core.threads) for cell in node_class.cells for core in cell.cores)
    reserved_cpus = node_class.reserved_cpus.bit_count() * 1000 or _amount(CPU, reservation.get(CPU))
    pages: dict[str, int] = {}
    for cell in node_class.cells:
        for name, size in hugepage_bytes(cell).items():
            pages[name] = pages.get(name, 0) + size
    memory = sum(cell.memory for cell in node_class.cells) - _amount(MEMORY, reservation.get(MEMORY))
    return {
        CPU: max(0, cpus * 1000 - reserved_cpus),
        MEMORY: max(0, max(0, memory) - sum(pages.values())),
        **{name: max(0, size - _amount(name, reservation.get(name))) for name, size in pages.items()},
        **{
            resource: sum(1 for device in devices if device.healthy) for resource, devices in node_class.devices.items()
        },
    }


def demand(pod: PodFacts) -> dict[str, int]:
    """Answer the pod's effective request as the scheduler adds it up (RH:PodRequests)."""
    return {name: _amount(name, quantity) for name, quantity in effective_requests(pod).items()}


def check(wanted: Amounts, used: Amounts, node: Amounts) -> None:
    """Compare the pod's demand with what is left of the node (plugins/noderesources/fit.go:fitsRequest).

    An extended resource that the node does not have is ignored (removeMissingExtendedResources).

    Raises:
        RefusedError: OutOfcpu, OutOfmemory or OutOf<resource>.
    """
    others = sorted(name for name in wanted if name not in {CPU, MEMORY})
    for name in (CPU, MEMORY, *others):
        requested, before, capacity = wanted.get(name, 0), used.get(name, 0), node.get(name, 0)
        limited = name in node or name.startswith(HUGEPAGES_PREFIX)
        if limited and requested > 0 and requested > capacity - before:
            message = (
                f"Node didn't have enough resource: {name}, "
                f"requested: {requested}, used: {before}, capacity: {capacity}"
            )
            raise RefusedError(SCHEDULER_FIT, OUT_OF + name, message)


def as_quantities(amounts: Amounts) -> dict[str, Quantity]:
    """Write amounts as quantities."""
    return {name: _quantity(name, number) for name, number in amounts.items()}


def _amount(name: str, quantity: Quantity | None) -> int:
    if quantity is None:
        return 0
    return quantity.milli if name == CPU else quantity.value


def _quantity(name: str, number: int) -> Quantity:
    if name == CPU:
        return Quantity.of_milli(number)
    return Quantity.of_count(number) if is_extended(name) else Quantity.of_bytes(number)
