"""A helper CPU that is not whole: the kubelet then gives the helper no exclusive CPUs."""

from collections.abc import Iterator

from webhook.domain.pod import Container
from webhook.domain.resources import CPU
from webhook.domain.resources import amount
from webhook.domain.resources import below_whole
from webhook.domain.topology import NodeClass
from webhook.engine.shapes import _cells
from webhook.engine.shapes import _words
from webhook.engine.suggestion import Kind
from webhook.engine.suggestion import Misfit
from webhook.engine.suggestion import Suggestion
from webhook.engine.suggestion import change

_MOST_ALONE = 3
"""How many helpers are tried one by one, the greediest first, before all of them."""


def propose(misfit: Misfit, node_class: NodeClass) -> Iterator[Suggestion]:
    """Propose 10m less for one helper with whole CPUs, or for all of them."""
    if misfit.facts.resources_set:
        return
    helpers = [one for one in misfit.facts.containers if one.name not in misfit.accelerators and _cells.pinned(one)]
    if len(helpers) > 1:
        for helper in sorted(helpers, key=_cells.pinned, reverse=True)[:_MOST_ALONE]:
            yield _free([helper], misfit, node_class)
    if helpers:
        yield _free(helpers, misfit, node_class)


def _free(helpers: list[Container], misfit: Misfit, node_class: NodeClass) -> Suggestion:
    edits = tuple(change(one, CPU, below_whole(amount(one.requests, CPU))) for one in helpers)
    return Suggestion(
        kind=KIND.name,
        text=f"give {_words.given(edits)}, which pins no CPUs",
        node_class=node_class,
        edits=edits,
        numa_nodes=misfit.numa_nodes,
    )


KIND = Kind("unpinned-helper", rank=1, propose=propose)
