"""Keeps what is known about every node, in little memory, and makes node classes of it on demand."""

from collections.abc import Sequence

from webhook.domain.raw import JsonObject
from webhook.sources.evidence import Facts
from webhook.sources.evidence import ProfileFacts
from webhook.sources.inventory.survey import Survey

MINIMUM = 3
"""How many nodes of the same labels must report the same topology before it is trusted."""


class Inventory:
    """The reduced objects of a cluster; equal parts are kept once.

    >>> inventory = Inventory()
    >>> inventory.remove("Node", "never-seen")
    False
    """

    def put(self, facts: Facts) -> bool:
        """Add or replace an object; answer whether anything changed that a class or its free capacity is made of."""
        raise NotImplementedError

    def remove(self, kind: str, name: str) -> bool:
        """Forget the Node, NodeResourceTopology or ResourceSlice of that name; answer whether it was known."""
        raise NotImplementedError

    def survey(
        self, profiles: Sequence[ProfileFacts] = (), minimum: int = MINIMUM, *, before: Sequence[JsonObject] = ()
    ) -> Survey:
        """Make the classes. `before` are the documents of the last snapshot.

        A class of `before` keeps its name, and stays with 0 nodes where no node with its labels is left. Nodes count,
        not reports: a report whose Node is gone is left out, unless there are no Nodes at all.
        """
        raise NotImplementedError

    def classes(
        self, profiles: Sequence[ProfileFacts] = (), minimum: int = MINIMUM, *, before: Sequence[JsonObject] = ()
    ) -> tuple[JsonObject, ...]:
        """Answer the documents of `survey` alone: the `classes` of the world snapshot."""
        return self.survey(profiles, minimum, before=before).documents
