"""CPU, memory or huge pages down to what one NUMA node has beside the pod's accelerators."""

from collections.abc import Iterator
from dataclasses import replace

from webhook.domain.topology import NodeClass
from webhook.engine.shapes import _cells
from webhook.engine.shapes import _share
from webhook.engine.shapes import _words
from webhook.engine.suggestion import Change
from webhook.engine.suggestion import Kind
from webhook.engine.suggestion import Misfit
from webhook.engine.suggestion import Suggestion


def propose(misfit: Misfit, node_class: NodeClass) -> Iterator[Suggestion]:
    """Propose the values of the roomiest NUMA node, each container alone where the kubelet looks at it so.

    Where that takes more than the accelerators' share of it, the share is named beside it.
    """
    if misfit.facts.resources_set or misfit.numa_nodes > 1:
        return
    seen: set[tuple[Change, ...]] = set()
    for cell in _cells.roomy_cells(misfit.facts, node_class):
        for together in (True,) if _cells.in_pod_scope(node_class) else (False, True):
            edits = _cells.bring_down(misfit, misfit.facts, node_class, cell, together=together)
            if edits and edits not in seen:
                seen.add(edits)
                found = Suggestion(KIND.name, _text(misfit, edits), node_class, edits)
                share = _share.of_edits(misfit, node_class, cell, edits)
                if share is not None:
                    less = replace(found, text=f"{found.text} ({share.text})", edits=share.edits)
                    found = replace(found, share=less)
                yield found


def _text(misfit: Misfit, edits: tuple[Change, ...]) -> str:
    """Name the containers only where the pod has several."""
    if len(misfit.facts.containers) == 1:
        return f"ask for {_words.listed(map(_words.as_written, edits))}"
    return f"give {_words.given(edits)}"


KIND = Kind("smaller-request", rank=4, propose=propose)
