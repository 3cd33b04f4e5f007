"""How many pods of one shape an empty node takes, one after the other, each aligned."""

from collections.abc import Mapping

from webhook.domain.fit import is_aligned
from webhook.domain.kubelet.admit import Node
from webhook.domain.kubelet.admit import StartupError
from webhook.domain.pod import PodFacts
from webhook.domain.topology import NodeClass


def replicas_on_empty(
    facts: PodFacts, node_class: NodeClass, accelerators: Mapping[str, Mapping[str, int]], numa_nodes: int = 1
) -> int:
    """Admit the pod again and again to one node, and count up to the first that is refused or not aligned.

    `accelerators` is as in `fit.fit`. Every replica keeps at least one accelerator, so that the devices bound the
    count; without accelerators it is 0, as it is on a node whose kubelet does not start.
    """
    try:
        node = Node(node_class)
    except StartupError:
        return 0
    resources = {resource for counts in accelerators.values() for resource in counts}
    most = sum(len(node_class.devices.get(resource, ())) for resource in resources)
    count = 0
    while count < most and is_aligned(node.admit(facts), accelerators, numa_nodes):
        count += 1
    return count
