"""A number of CPUs that makes whole cores, where the kubelet hands out nothing else (full-pcpus-only)."""

from collections.abc import Iterator

from webhook.domain.quantity import Quantity
from webhook.domain.resources import CPU
from webhook.domain.topology import NodeClass
from webhook.engine.shapes import _cells
from webhook.engine.shapes import _words
from webhook.engine.suggestion import Kind
from webhook.engine.suggestion import Misfit
from webhook.engine.suggestion import Suggestion
from webhook.engine.suggestion import change


def propose(misfit: Misfit, node_class: NodeClass) -> Iterator[Suggestion]:
    """Propose the next higher number of whole cores for each container that pins part of one, then the next lower."""
    step = misfit.cpu_step
    parts = [one for one in misfit.facts.containers if _cells.pinned(one) % step]
    if misfit.facts.resources_set or not parts:
        return
    for up in (1, 0):
        edits = tuple(
            change(one, CPU, Quantity.of_count((_cells.pinned(one) // step + up) * step))
            for one in parts
            if _cells.pinned(one) // step + up
        )
        if len(edits) == len(parts):
            yield Suggestion(
                kind=KIND.name,
                text=f"give {_words.given(edits)}, which makes whole cores",
                node_class=node_class,
                edits=edits,
                numa_nodes=misfit.numa_nodes,
            )


KIND = Kind("whole-cores", rank=3, propose=propose)
