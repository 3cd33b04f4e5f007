"""Finds the nodes that are alike: by the same facts first, then by nearly the same memory."""

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from typing import TypeAlias

from webhook.sources import node_tables
from webhook.sources.evidence import NodeFacts
from webhook.sources.evidence import NodeView
from webhook.sources.evidence import Pairs
from webhook.sources.evidence import ProfileFacts
from webhook.sources.evidence import ReportFacts
from webhook.sources.evidence import SliceFacts

Sizes: TypeAlias = tuple[int, ...]

_NONE: Pairs = ()
_TOLERANCE = 64
"""Nodes whose sizes differ by at most one part in so many are of one class; it gets the least of them."""


class Record(NamedTuple):
    """The facts about one node."""

    name: str
    node: NodeFacts | None
    report: ReportFacts | None
    slices: tuple[SliceFacts, ...]

    @property
    def sizes(self) -> Sizes:
        """The numbers in which nodes of one class may differ a little."""
        if self.report is not None and any(self.report.memory):
            return tuple(number for pair in self.report.memory for number in pair or (0, 0))
        return (self.node.memory,) if self.node else ()


@dataclass(frozen=True, slots=True)
class Traits:
    """What the labels of a node decide: its kind, and which profiles are about it, closest match first."""

    identity: Pairs
    profiles: tuple[ProfileFacts, ...]
    view: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes whose facts are the same but for labels that do not matter, sizes and what is free."""

    traits: Traits
    members: list[Record]

    def view(self, sizes: Sizes = ()) -> NodeView:
        """Answer what is known about its nodes, with these sizes in place of those of each."""
        first = self.members[0]
        report, node = first.report, first.node
        if report is not None and any(report.memory) and sizes:
            pairs = zip(sizes[::2], sizes[1::2], strict=True)
            memory = tuple(pair if own is not None else None for pair, own in zip(pairs, report.memory, strict=True))
            report = report._replace(memory=memory)
        elif node is not None and sizes:
            node = node._replace(memory=sizes[0])
        return NodeView(self.traits.view, node, report, first.slices, self.traits.profiles)


def group(records: Iterable[Record], profiles: Sequence[ProfileFacts]) -> list[Group]:
    """Group records by their facts. Parts that are one object are told to be equal at once; equal ones need not be."""
    ordered = sorted((one for one in profiles if one.labels), key=lambda one: (-len(one.labels), one.name))
    matching: dict[int, tuple[ProfileFacts, ...]] = {}
    traits: dict[tuple[object, ...], Traits] = {}
    groups: dict[tuple[object, ...], Group] = {}
    for record in records:
        labels = record.node.labels if record.node else _NONE
        if id(labels) not in matching:
            matching[id(labels)] = _matching(labels, ordered)
        telling = record.node.telling if record.node else _NONE
        kind = (id(telling), *map(id, matching[id(labels)]))
        if kind not in traits:
            traits[kind] = Traits(node_tables.identity(telling), matching[id(labels)], dict(telling))
        key = (*kind, *_facts(record))
        known = groups.get(key)
        if known is None:
            groups[key] = Group(traits[kind], [record])
        else:
            known.members.append(record)
    return list(groups.values())


def clusters(members: Iterable[Record]) -> list[tuple[Sizes, list[Record]]]:
    """Put members of nearly the same sizes together, and answer the least of each size beside them."""
    by_sizes: dict[Sizes, list[Record]] = {}
    for member in members:
        by_sizes.setdefault(member.sizes, []).append(member)
    found: list[tuple[list[int], Sizes, list[Record]]] = []
    for sizes in sorted(by_sizes):
        near = next((one for one in found if is_near(one[1], sizes)), None)
        if near is None:
            found.append((list(sizes), sizes, list(by_sizes[sizes])))
        else:
            near[0][:] = map(min, near[0], sizes)
            near[2].extend(by_sizes[sizes])
    return [(tuple(least), nodes) for least, _first, nodes in found]


def is_near(first: Sizes, other: Sizes) -> bool:
    """Tell whether nodes of these sizes may be of one class."""
    return len(first) == len(other) and all(
        abs(a - b) * _TOLERANCE <= max(a, b) for a, b in zip(first, other, strict=True)
    )


def _matching(labels: Pairs, profiles: Sequence[ProfileFacts]) -> tuple[ProfileFacts, ...]:
    own = set(labels) if profiles else set()
    return tuple(profile for profile in profiles if own.issuperset(profile.labels))


def _facts(record: Record) -> tuple[object, ...]:
    node, report = record.node, record.report
    of_node = (id(node.taints), node.version, node.cpus, id(node.devices)) if node else ()
    of_slices = _slices(record.slices) if record.slices else ()
    if report is None:
        return (*of_node, *of_slices)
    rows = tuple(pair is None for pair in report.memory)
    of_report = (id(report.zones), id(report.settings), report.problems, rows)
    return (*of_node, *of_report, *of_slices)


def _slices(slices: tuple[SliceFacts, ...]) -> tuple[object, ...]:
    """Answer drivers and devices, and which generation of a pool they are, counted from its oldest slice here."""
    oldest: dict[tuple[str, str], int] = {}
    for one in slices:
        pool = (one.driver, one.pool)
        oldest[pool] = min(oldest.get(pool, one.generation), one.generation)
    return tuple((one.driver, id(one.devices), one.generation - oldest[one.driver, one.pool]) for one in slices)
