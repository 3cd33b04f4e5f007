"""How many pods of one shape an empty node takes, one after the other, each aligned."""

from collections.abc import Iterator
from collections.abc import Mapping

from webhook.domain.fit import is_aligned
from webhook.domain.kubelet.admit import Admission
from webhook.domain.kubelet.admit import Node
from webhook.domain.kubelet.admit import StartupError
from webhook.domain.pod import PodFacts
from webhook.domain.topology import NodeClass


def replicas_on_empty(
    facts: PodFacts, node_class: NodeClass, accelerators: Mapping[str, Mapping[str, int]], numa_nodes: int = 1
) -> int:
    """Count the replicas that `fill` admits."""
    return sum(1 for _ in fill(facts, node_class, accelerators, numa_nodes))


def fill(
    facts: PodFacts, node_class: NodeClass, accelerators: Mapping[str, Mapping[str, int]], numa_nodes: int = 1
) -> Iterator[Admission]:
    """Admit the pod again and again to one node, up to the first replica that is refused or not aligned.

    `accelerators` is as in `fit.fit`. Every replica keeps at least one accelerator, so that the devices bound their
    number; without accelerators there are none, as there are on a node whose kubelet does not start.
    """
    try:
        node = Node(node_class)
    except StartupError:
        return
    resources = {resource for counts in accelerators.values() for resource in counts}
    for _ in range(sum(len(node_class.devices.get(resource, ())) for resource in resources)):
        admission = node.run(facts)
        if not is_aligned(admission, accelerators, numa_nodes):
            return
        yield admission
