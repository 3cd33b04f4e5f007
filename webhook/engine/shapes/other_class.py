"""Another node class that takes the pod as it is, with the node selector and tolerations that lead there."""

from collections.abc import Iterator

from webhook.domain.fit import Fits
from webhook.domain.pod import PodFacts
from webhook.domain.scheduling import tells_apart
from webhook.domain.scheduling import untolerated
from webhook.domain.topology import NodeClass
from webhook.domain.topology import Taint
from webhook.engine.suggestion import Kind
from webhook.engine.suggestion import Misfit
from webhook.engine.suggestion import Suggestion

_MOST = 4
"""How many other classes are tried."""


def propose(misfit: Misfit, node_class: NodeClass) -> Iterator[Suggestion]:
    """Propose each other declared class that labels tell from `node_class` and from all others that refuse the pod."""
    refusing = [node_class, *(one.node_class for one in misfit.fits if one.fits is Fits.NO)]
    candidates = [one for one in misfit.others if not one.assumed]
    candidates += [one.node_class for one in misfit.fits if one.fits is Fits.YES and one.node_class is not node_class]
    candidates.sort(key=lambda one: one.nodes == 0)  # a pool that is scaled to zero comes last
    for other in candidates[:_MOST]:
        selector = _selector(misfit.facts, other, refusing)
        if selector:
            taints = untolerated(misfit.facts, other)
            yield Suggestion(
                kind=KIND.name,
                text=f"use nodes of {other.name}, which take it as it is: {_way(selector, taints)}",
                node_class=other,
                numa_nodes=misfit.numa_nodes,
                node_selector=selector,
                tolerations=taints,
            )


def _selector(facts: PodFacts, wanted: NodeClass, refusing: list[NodeClass]) -> dict[str, str] | None:
    """Answer the labels to select: where the pod selects others, and one for each class that it must not go to."""
    selector = {
        key: wanted.labels[key] for key, value in facts.node_selector.items() if wanted.labels.get(key, value) != value
    }
    for other in refusing:
        if all(other.labels.get(key, value) == value for key, value in selector.items()):
            apart = tells_apart(wanted, other)
            if apart is None:
                return None
            selector.update([apart])
    return selector


def _way(selector: dict[str, str], taints: tuple[Taint, ...]) -> str:
    labels = [f"nodeSelector {key}: {value}" for key, value in sorted(selector.items())]
    return " and ".join((*labels, *(f"toleration {one.key}={one.value}:{one.effect}" for one in taints)))


KIND = Kind("other-class", rank=7, propose=propose, moves=True)
