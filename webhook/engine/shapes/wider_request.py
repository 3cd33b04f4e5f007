"""CPU and memory that need as many NUMA nodes as the accelerators do, since a restricted kubelet wants equal widths."""

from collections.abc import Iterator

from webhook.domain.kubelet.hint_merger import SINGLE_NUMA_NODE
from webhook.domain.topology import NodeClass
from webhook.engine.shapes import _width
from webhook.engine.shapes import _words
from webhook.engine.suggestion import Kind
from webhook.engine.suggestion import Misfit
from webhook.engine.suggestion import Suggestion


def propose(misfit: Misfit, node_class: NodeClass) -> Iterator[Suggestion]:
    """Propose values that divide evenly over the NUMA nodes, with the annotation where the pod lacks it."""
    if node_class.kubelet.topology_manager_policy == SINGLE_NUMA_NODE:
        return
    for number in _width.numbers(misfit, node_class):
        annotated = "" if _width.is_declared(misfit, number) else f"annotate {_width.annotation(number)} and "
        for edits in _width.widened(misfit, node_class, number):
            values = _words.listed(map(_words.as_written, edits))
            name = "" if len(misfit.facts.containers) == 1 else f" in container {edits[0].container}"
            yield Suggestion(KIND.name, f"{annotated}ask for {values}{name}", node_class, edits, numa_nodes=number)


KIND = Kind("wider-request", rank=8, propose=propose, moves=True)
