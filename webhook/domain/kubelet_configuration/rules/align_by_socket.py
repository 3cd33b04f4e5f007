"""The option align-by-socket where it cannot be met."""

from collections.abc import Iterator

from webhook.domain.kubelet.hint_merger import SINGLE_NUMA_NODE
from webhook.domain.kubelet.options import ALIGN_BY_SOCKET
from webhook.domain.kubelet.options import StartupError
from webhook.domain.kubelet.options import cpu_options
from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import fault
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject

_PATH = ("cpuManagerPolicyOptions", ALIGN_BY_SOCKET)


def find(subject: Subject) -> Iterator[Finding]:
    """Mirror CPU/policy_options.go:ValidateStaticPolicyOptions."""
    try:
        wanted = subject.is_static and cpu_options(subject.settings).align_by_socket
    except StartupError:
        return
    if not wanted:
        return
    if subject.settings.topology_manager_policy == SINGLE_NUMA_NODE:
        message = f"{ALIGN_BY_SOCKET} contradicts topologyManagerPolicy {SINGLE_NUMA_NODE}"
        yield fault(_PATH, message, f"remove {ALIGN_BY_SOCKET}, or write restricted or best-effort", "true")
    topology = subject.topology
    if topology and len(topology.sockets) > len(topology.cells):
        message = f"{len(topology.sockets)} sockets share {len(topology.cells)} NUMA nodes: none lies within a socket"
        yield fault(_PATH, message, f"remove {ALIGN_BY_SOCKET}", "true")


RULE = Rule(name="align-by-socket", find=find)
