"""The opt-in to several NUMA nodes, for a pod that an eligible class spreads evenly as it is."""

from collections.abc import Iterator

from webhook.domain.kubelet.hint_merger import SINGLE_NUMA_NODE
from webhook.domain.topology import NodeClass
from webhook.engine.shapes import _width
from webhook.engine.suggestion import Kind
from webhook.engine.suggestion import Misfit
from webhook.engine.suggestion import Suggestion


def propose(misfit: Misfit, node_class: NodeClass) -> Iterator[Suggestion]:
    """Propose the annotation where the kubelet allows more than one NUMA node."""
    if node_class.kubelet.topology_manager_policy == SINGLE_NUMA_NODE:
        return
    for number in _width.numbers(misfit, node_class):
        if not _width.is_declared(misfit, number) and _width.is_wide(misfit, node_class, number):
            text = f"annotate {_width.annotation(number)}, which {node_class.name} takes"
            yield Suggestion(KIND.name, text, node_class, numa_nodes=number)


KIND = Kind("more-numa-nodes", rank=5, propose=propose, moves=True)
