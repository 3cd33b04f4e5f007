"""More NUMA nodes than the topology manager is made for: eight, unless an option allows more."""

from collections.abc import Iterator

from webhook.domain.kubelet import options
from webhook.domain.kubelet.hint_merger import NONE
from webhook.domain.kubelet_configuration.finding import Finding
from webhook.domain.kubelet_configuration.finding import fault
from webhook.domain.kubelet_configuration.finding import remark
from webhook.domain.kubelet_configuration.remedies import entry
from webhook.domain.kubelet_configuration.rule import Rule
from webhook.domain.kubelet_configuration.subject import Subject

_FIELD = "topologyManagerPolicyOptions"
_PATH = (_FIELD, options.MAX_NUMA_NODES)


def find(subject: Subject) -> Iterator[Finding]:
    """Mirror TM/topology_manager.go:NewManager: all NUMA nodes count, those without CPUs too."""
    settings = subject.settings
    if subject.node is None or settings.topology_manager_policy == NONE:
        return
    try:
        limit = options.topology_options(settings).max_numa_nodes
    except options.StartupError:
        return
    number = len(subject.node.cells)
    written = settings.topology_manager_policy_options.get(options.MAX_NUMA_NODES)
    if number > limit:
        message = f"the machine has {number} NUMA nodes, those without CPUs counted, and at most {limit} are allowed"
        yield fault(_PATH, message, entry(subject, _FIELD, options.MAX_NUMA_NODES, f'"{number}"'), written)
    elif number > options.DEFAULT_MAX_NUMA_NODES and subject.pins_memory:
        message = f"with {number} NUMA nodes the memory manager tries every set of them for each container"
        yield remark(("memoryManagerPolicy",), message, "write memoryManagerPolicy: None", "Static")


RULE = Rule(name="numa-nodes-over-max", find=find)
