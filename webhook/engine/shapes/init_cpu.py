"""An init container with as many CPUs as the main one: the kubelet binds the main one to the NUMA nodes of its CPUs."""

from collections.abc import Iterator

from webhook.domain.pod import ContainerKind
from webhook.domain.resources import CPU
from webhook.domain.resources import amount
from webhook.domain.topology import NodeClass
from webhook.engine.shapes import _cells
from webhook.engine.shapes import _words
from webhook.engine.suggestion import Kind
from webhook.engine.suggestion import Misfit
from webhook.engine.suggestion import Suggestion
from webhook.engine.suggestion import change


def propose(misfit: Misfit, node_class: NodeClass) -> Iterator[Suggestion]:
    """Propose the CPUs of the greediest main container for every init container that pins other ones."""
    mains = [one for one in misfit.mains if one.kind is not ContainerKind.INIT and _cells.pinned(one)]
    if misfit.facts.resources_set or not mains:
        return
    main = max(mains, key=_cells.pinned)
    cpu = amount(main.requests, CPU)
    inits = [
        one
        for one in misfit.facts.of_kind(ContainerKind.INIT)
        if _cells.pinned(one) not in {0, _cells.pinned(main)} and misfit.is_chosen(one, CPU)
    ]
    if inits:
        names = _words.listed(f"container {one.name}" for one in inits)
        yield Suggestion(
            kind=KIND.name,
            text=f"give {names} cpu {cpu}, as container {main.name} has",
            node_class=node_class,
            edits=tuple(change(one, CPU, cpu) for one in inits),
            numa_nodes=misfit.numa_nodes,
        )


KIND = Kind("init-cpu", rank=2, propose=propose)
