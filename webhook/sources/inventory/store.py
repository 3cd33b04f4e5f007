"""Keeps what is known about every node, in little memory, and makes node classes of it on demand."""

from collections.abc import Hashable
from collections.abc import Iterator
from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

from webhook.domain import instant
from webhook.domain.raw import JsonObject
from webhook.sources.evidence import ALIGNMENT
from webhook.sources.evidence import NODE
from webhook.sources.evidence import REPORT
from webhook.sources.evidence import SLICE
from webhook.sources.evidence import AlignmentFacts
from webhook.sources.evidence import Facts
from webhook.sources.evidence import NodeFacts
from webhook.sources.evidence import ProfileFacts
from webhook.sources.evidence import ReportFacts
from webhook.sources.evidence import SliceFacts
from webhook.sources.inventory.alike import Record
from webhook.sources.inventory.alike import record
from webhook.sources.inventory.build import build
from webhook.sources.inventory.freshness import LATELY
from webhook.sources.inventory.survey import Survey

MINIMUM = 3
"""How many nodes of the same labels must report the same topology before it is trusted."""

MOST_POOLED = 1_000_000
"""Values in the parts that are held to be shared; beyond this the pool starts anew, and only memory is lost by it.

Values and not parts are counted: one report of a megabyte that changes all the time must not be held each time.
"""

_Part = TypeVar("_Part", bound=Hashable)


class Inventory:
    """The reduced objects of a cluster; equal parts are kept once.

    >>> inventory = Inventory()
    >>> inventory.remove("Node", "never-seen")
    False
    """

    def __init__(self, *, most_pooled: int = MOST_POOLED) -> None:
        """Start empty."""
        self._nodes: dict[str, NodeFacts] = {}
        self._alignments: dict[str, AlignmentFacts] = {}
        self._reports: dict[str, ReportFacts] = {}
        self._slices: dict[str, SliceFacts] = {}
        self._of_node: dict[str, set[str]] = {}
        self._pool: dict[Hashable, Hashable] = {}
        # Put together when they are asked for, until something about the node changes.
        self._records_by_name: dict[str, Record] = {}
        self._pooled = 0
        self._most_pooled = most_pooled

    def __len__(self) -> int:
        """Answer the number of Nodes; that of nodes that are reported where there are no Nodes at all."""
        return len(self._nodes) or len(self._reports.keys() | self._alignments.keys())

    def put(self, facts: Facts) -> bool:
        """Add or replace an object; answer whether anything changed that a class or its free capacity is made of."""
        match facts:
            case NodeFacts():
                changed = self._nodes.get(facts.name) != facts
                if changed:
                    self._nodes[facts.name] = self._with_shared_labels(facts)
                    self._forget(facts.name)
            case AlignmentFacts():
                changed = _says_more(facts, self._alignments.get(facts.name))
                self._alignments[facts.name] = self._with_shared_fields(facts)
                self._forget(facts.name)
            case ReportFacts():
                known = self._reports.get(facts.name)
                changed = known is None or known._replace(seen="") != facts._replace(seen="")
                self._reports[facts.name] = self._with_shared_zones(facts)
                self._forget(facts.name)
            case SliceFacts():
                changed = self._slices.get(facts.name) != facts
                if changed:
                    self.remove(SLICE, facts.name)
                    self._slices[facts.name] = facts._replace(devices=self._share(facts.devices))
                    self._of_node.setdefault(facts.node, set()).add(facts.name)
                    self._forget(facts.node)
        return changed

    def remove(self, kind: str, name: str) -> bool:
        """Forget the object of that kind and name; answer whether it was known."""
        if kind in {NODE, ALIGNMENT, REPORT}:
            self._forget(name)
        if kind == NODE:
            return self._nodes.pop(name, None) is not None
        if kind == ALIGNMENT:
            return self._alignments.pop(name, None) is not None
        if kind == REPORT:
            return self._reports.pop(name, None) is not None
        gone = self._slices.pop(name, None) if kind == SLICE else None
        if gone is not None:
            self._forget(gone.node)
            left = self._of_node[gone.node]
            left.discard(name)
            if not left:
                del self._of_node[gone.node]
        return gone is not None

    def survey(
        self,
        profiles: Sequence[ProfileFacts] = (),
        minimum: int = MINIMUM,
        *,
        before: Sequence[JsonObject] = (),
        now: datetime | None = None,
    ) -> Survey:
        """Make the classes. `before` are the documents of the last snapshot; `now` is what ages are judged at.

        A class of `before` keeps its name, and stays with 0 nodes where no node with its labels is left. Nodes count,
        not reports: a report whose Node is gone is left out, unless there are no Nodes at all.
        """
        return build(list(self._records()), profiles, minimum, before=before, now=now)

    def classes(
        self, profiles: Sequence[ProfileFacts] = (), minimum: int = MINIMUM, *, before: Sequence[JsonObject] = ()
    ) -> tuple[JsonObject, ...]:
        """Answer the documents of `survey` alone: the `classes` of the world snapshot."""
        return self.survey(profiles, minimum, before=before).documents

    def _records(self) -> Iterator[Record]:
        names = self._nodes or (self._reports.keys() | self._alignments.keys())
        for name in sorted(names):
            known = self._records_by_name.get(name)
            if known is None:
                slices = (self._slices[one] for one in sorted(self._of_node.get(name, ())))
                known = record(
                    name,
                    self._nodes.get(name),
                    self._reports.get(name),
                    tuple(slices),
                    self._alignments.get(name),
                )
                self._records_by_name[name] = known
            yield known

    def _forget(self, node: str) -> None:
        self._records_by_name.pop(node, None)

    def _share(self, part: _Part) -> _Part:
        """Answer the part that was kept first of all that equal this one."""
        known = self._pool.get(part)
        if known is not None:
            return known  # type: ignore[return-value] # what is kept under a part equals it
        weight = _weight(part)
        if self._pooled + weight > self._most_pooled:
            self._pool.clear()
            self._pooled = 0
        self._pooled += weight
        self._pool[part] = part
        return part

    def _with_shared_labels(self, facts: NodeFacts) -> NodeFacts:
        return facts._replace(
            labels=self._share(tuple(map(self._share, facts.labels))),
            telling=self._share(tuple(map(self._share, facts.telling))),
            taints=self._share(facts.taints),
            devices=self._share(facts.devices),
        )

    def _with_shared_fields(self, facts: AlignmentFacts) -> AlignmentFacts:
        return facts._replace(
            fields=self._share(tuple(map(self._share, facts.fields))), resources=self._share(facts.resources)
        )

    def _with_shared_zones(self, facts: ReportFacts) -> ReportFacts:
        return facts._replace(
            zones=self._share(facts.zones),
            settings=self._share(facts.settings),
            resources=self._share(facts.resources),
        )


def _says_more(facts: AlignmentFacts, known: AlignmentFacts | None) -> bool:
    """Tell whether an agent says something else than before, or says the same after a silence."""
    if known is None or known._replace(seen="") != facts._replace(seen=""):
        return True
    before, now = instant.parse(known.seen), instant.parse(facts.seen)
    return before is not None and now is not None and now - before > LATELY


def _weight(part: object) -> int:
    """Count the values of a part, those in its tuples too."""
    return 1 + sum(map(_weight, part)) if isinstance(part, tuple) else 1
