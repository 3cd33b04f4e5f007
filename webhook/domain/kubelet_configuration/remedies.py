"""Remedies that several rules give: what is pasted as it stands takes nothing away and contradicts nothing else."""

from webhook.domain import cpuset
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.kubelet_configuration.system_share import system_cpus
from webhook.domain.quantity import Quantity
from webhook.domain.raw import get_object
from webhook.domain.resources import CPU
from webhook.domain.resources import amount


def entry(subject: Subject, field: str, name: str, value: str) -> str:
    """Say how to write one entry of a map: one that has others is not written out, since it would replace them."""
    others = get_object(subject.raw, field).keys() - {name}
    return f"write {name}: {value} in {field}" if others else f"write {field}: {{{name}: {value}}}"


def whole_cores(subject: Subject) -> str:
    """Say how to reserve whole cores, at least two and as many CPUs as are reserved now.

    They are named where that can be: reservedSystemCPUs cannot stand beside a cgroup of reserved resources.
    """
    if subject.node is None:
        return "write reservedSystemCPUs with whole cores"
    wanted = system_cpus(subject.node.cells, subject.reserved_cpus().bit_count() or None)
    if not subject.reserved_by_cgroup:
        return f'write reservedSystemCPUs: "{cpuset.format(wanted)}"'
    field, _ = subject.largest_part(CPU)
    others = subject.kube_reserved if field == "systemReserved" else subject.system_reserved
    return entry(subject, field, CPU, f'"{Quantity.of_count(wanted.bit_count()) - amount(others, CPU)}"')
