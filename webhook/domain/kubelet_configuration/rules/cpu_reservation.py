"""A static CPU manager without CPUs for the system: such a kubelet does not start."""

from collections.abc import Iterator

from webhook.domain import cpuset
from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import fault
from webhook.domain.kubelet_configuration.remedies import entry
from webhook.domain.kubelet_configuration.remedies import whole_cores
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.kubelet_configuration.system_share import system_cpus
from webhook.domain.resources import CPU
from webhook.domain.resources import amount


def find(subject: Subject) -> Iterator[Finding]:
    """Mirror CPU/cpu_manager.go:NewManager: the reservation must be there, and more than zero."""
    settings = subject.settings
    if not subject.is_static or settings.reserved_system_cpus:
        return
    if not amount(settings.node_allocatable_reservation, CPU).is_zero:
        return
    remedy = 'add reservedSystemCPUs with whole cores, such as "0,64", or systemReserved: {cpu: "2"}'
    if subject.reserved_by_cgroup:
        remedy = whole_cores(subject) if subject.node else entry(subject, "systemReserved", CPU, '"2"')
    elif subject.node is not None:
        remedy = f'add reservedSystemCPUs: "{cpuset.format(system_cpus(subject.node.cells))}"'
    message = "cpuManagerPolicy static needs CPUs for the system, and none are reserved"
    yield fault(("reservedSystemCPUs",), message, remedy)


RULE = Rule(name="cpu-reservation", find=find)
