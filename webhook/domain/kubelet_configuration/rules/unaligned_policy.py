"""A kubelet that starts, and does not align: policies that leave out one resource, or refuse nothing."""

from collections.abc import Iterator

from webhook.domain.kubelet.hint_merger import BEST_EFFORT
from webhook.domain.kubelet.hint_merger import NONE
from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import remark
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject
from webhook.domain.topology import KubeletSettings


def find(subject: Subject) -> Iterator[Finding]:
    """Look at the three managers together; the memory of a machine with very many NUMA nodes is left alone."""
    settings = subject.settings
    yield from _topology(settings)
    if settings.cpu_manager_policy == "none":
        message = "no container gets CPUs of its own"
        yield remark(("cpuManagerPolicy",), message, "write cpuManagerPolicy: static", "none")
    many = subject.node is not None and len(subject.node.cells) > 8  # noqa: PLR2004 - see numa_nodes_over_max
    if settings.memory_manager_policy == "None" and not many:
        message = "memory is not bound to a NUMA node, and does not count where a pod fits"
        yield remark(("memoryManagerPolicy",), message, "write memoryManagerPolicy: Static with reservedMemory", "None")


def _topology(settings: KubeletSettings) -> Iterator[Finding]:
    remedy = "write topologyManagerPolicy: single-numa-node, or restricted for pods that need several NUMA nodes"
    if settings.topology_manager_policy == NONE:
        message = "CPUs, memory and devices are given out without regard to each other"
        yield remark(("topologyManagerPolicy",), message, remedy, NONE)
    elif settings.topology_manager_policy == BEST_EFFORT:
        message = "pods that cannot be aligned are admitted all the same"
        yield remark(("topologyManagerPolicy",), message, remedy, BEST_EFFORT)


RULE = Rule(name="unaligned-policy", find=find)
