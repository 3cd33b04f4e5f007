"""How many of the node classes, and of their nodes, take a pod."""

from collections.abc import Iterable
from dataclasses import dataclass

from webhook.domain.fit import ClassFit
from webhook.domain.fit import Fits


@dataclass(frozen=True, slots=True)
class Fraction:
    """`classes` of `all_classes` eligible node classes take the pod, and `nodes` of their `all_nodes` nodes.

    Nodes are 0 of 0 where nobody counted them.
    """

    classes: int
    all_classes: int
    nodes: int
    all_nodes: int

    def __str__(self) -> str:
        """Write it for people, without the nodes where nobody counted them."""
        nodes = f", {self.nodes} of {self.all_nodes} nodes" if self.all_nodes else ""
        return f"{self.classes} of {self.all_classes} node classes{nodes}"


def fraction_of(fits: Iterable[ClassFit]) -> Fraction | None:
    """Count what takes the pod aligned; None where no class is eligible."""
    known = tuple(fits)
    if not known:
        return None
    taking = [one for one in known if one.fits is Fits.YES]
    return Fraction(len(taking), len(known), _nodes(taking), _nodes(known))


def _nodes(fits: Iterable[ClassFit]) -> int:
    return sum(one.node_class.nodes or 0 for one in fits)
