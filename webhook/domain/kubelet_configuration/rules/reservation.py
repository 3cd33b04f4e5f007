"""Reservations of resources that cannot be reserved, or of more than the machine has."""

from collections.abc import Iterator
from typing import Final

from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import fault
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.quantity import Quantity
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY

_RESERVABLE: Final = (CPU, MEMORY, "ephemeral-storage", "pid")


def find(subject: Subject) -> Iterator[Finding]:
    """Mirror cmd/kubelet/app/server.go:parseResourceList, then cm:validateNodeAllocatable."""
    parts = {"kubeReserved": subject.kube_reserved, "systemReserved": subject.system_reserved}
    for field, amounts in parts.items():
        for name, quantity in amounts.items():
            if name not in _RESERVABLE:
                message = f"{name} cannot be reserved: only {', '.join(_RESERVABLE)}"
                yield fault((field, name), message, f"remove {name} from {field}", quantity)
    if subject.node is None:
        return
    cells = subject.node.cells
    capacity = {
        CPU: Quantity.of_count(sum(cell.cpus.bit_count() for cell in cells)),
        MEMORY: Quantity.of_bytes(sum(cell.memory for cell in cells)),
    }
    for name, there in capacity.items():
        total = subject.settings.node_allocatable_reservation.get(name)
        if total is not None and total > there and not (name == CPU and subject.is_static):
            path = subject.largest_part(name)
            what = "CPUs" if name == CPU else f"of {name}"
            message = f"{total} {what} are reserved, and the machine has {there}"
            yield fault(path, message, "reserve less", subject.written(path))


RULE = Rule(name="reservation", find=find)
