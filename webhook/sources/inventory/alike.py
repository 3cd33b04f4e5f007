"""Finds the nodes that are alike: by the same facts first, then by nearly the same memory."""

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple
from typing import TypeAlias

from webhook.sources import node_tables
from webhook.sources.evidence import AlignmentFacts
from webhook.sources.evidence import NodeFacts
from webhook.sources.evidence import NodeView
from webhook.sources.evidence import Pairs
from webhook.sources.evidence import ProfileFacts
from webhook.sources.evidence import ReportFacts
from webhook.sources.evidence import SliceFacts
from webhook.sources.inventory.contradiction import with_agents_doubts
from webhook.sources.inventory.contradiction import with_doubts

Sizes: TypeAlias = tuple[int, ...]

_NONE: Pairs = ()
_NO_ROW = (0, 0)
_TOLERANCE = 64
"""Nodes whose sizes differ by at most one part in so many are of one class; it gets the least of them."""


class Record(NamedTuple):
    """The facts about one node.

    `sizes` are the numbers in which nodes of one class may differ a little, and `kind` is what must be the same, but
    for labels: by identity, as equal parts are one object. Both are made once, and serve until a fact changes.
    """

    name: str
    node: NodeFacts | None
    alignment: AlignmentFacts | None
    report: ReportFacts | None
    slices: tuple[SliceFacts, ...]
    sizes: Sizes
    kind: tuple[object, ...]


def record(
    name: str,
    node: NodeFacts | None,
    report: ReportFacts | None,
    slices: tuple[SliceFacts, ...] = (),
    alignment: AlignmentFacts | None = None,
) -> Record:
    """Put the facts about a node together."""
    judged = with_doubts(node, report)
    found = with_agents_doubts(node, alignment)
    kind = (*_kind(node, judged, slices), *_kind_of_agent(found))
    return Record(name, node, found, judged, slices, _sizes(node, found, judged), kind)


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
        report, node, alignment = first.report, first.node, first.alignment
        if alignment is not None and alignment.memory and sizes:
            cells = len(alignment.memory)
            alignment, sizes = alignment._replace(memory=sizes[:cells]), sizes[cells:]
        if report is not None and any(report.memory) and sizes:
            pairs = zip(sizes[::2], sizes[1::2], strict=True)
            memory = tuple(pair if own is not None else None for pair, own in zip(pairs, report.memory, strict=True))
            report = report._replace(memory=memory)
        elif node is not None and sizes:
            node = node._replace(memory=sizes[0])
        return NodeView(self.traits.view, node, alignment, report, first.slices, self.traits.profiles)


def group(records: Iterable[Record], profiles: Sequence[ProfileFacts]) -> list[Group]:
    """Group records by their facts. Parts that are one object are told to be equal at once; equal ones need not be."""
    ordered = sorted((one for one in profiles if one.labels), key=lambda one: (-len(one.labels), one.name))
    by_labels: dict[int, Traits] = {}
    by_traits: dict[tuple[object, ...], Traits] = {}
    groups: dict[tuple[object, ...], Group] = {}
    for one in records:
        labels = one.node.labels if one.node else _NONE
        traits = by_labels.get(id(labels))
        if traits is None:
            found = _traits(one.node.telling if one.node else _NONE, _matching(labels, ordered))
            traits = by_labels[id(labels)] = by_traits.setdefault(
                (found.identity, *map(id, found.profiles), *found.view.items()), found
            )
        key = (id(traits), one.kind)
        known = groups.get(key)
        if known is None:
            groups[key] = Group(traits, [one])
        else:
            known.members.append(one)
    return list(groups.values())


def _traits(telling: Pairs, profiles: tuple[ProfileFacts, ...]) -> Traits:
    return Traits(node_tables.identity(telling), profiles, dict(telling))


def clusters(members: Iterable[Record]) -> list[tuple[Sizes, list[Record]]]:
    """Put members of nearly the same sizes together, and answer the least of each size beside them."""
    everybody = list(members)
    if len({len(one.sizes) for one in everybody}) == 1:
        columns = list(zip(*(one.sizes for one in everybody), strict=True))
        least, most = tuple(map(min, columns)), tuple(map(max, columns))
        if is_near(least, most):
            # As it nearly always is: then any two are near, and nobody need be compared.
            return [(least, everybody)]
    by_sizes: dict[Sizes, list[Record]] = {}
    for member in everybody:
        by_sizes.setdefault(member.sizes, []).append(member)
    found: list[list[Sizes]] = []
    for sizes in sorted(by_sizes):
        near = next((one for one in found if is_near(one[0], sizes)), None)
        if near is None:
            found.append([sizes])
        else:
            near.append(sizes)
    return [
        (tuple(map(min, zip(*alike, strict=True))), [member for sizes in alike for member in by_sizes[sizes]])
        for alike in found
    ]


def is_near(first: Sizes, other: Sizes) -> bool:
    """Tell whether nodes of these sizes may be of one class."""
    return len(first) == len(other) and all(
        abs(a - b) * _TOLERANCE <= max(a, b) for a, b in zip(first, other, strict=True)
    )


def _matching(labels: Pairs, profiles: Sequence[ProfileFacts]) -> tuple[ProfileFacts, ...]:
    own = set(labels) if profiles else set()
    return tuple(profile for profile in profiles if own.issuperset(profile.labels))


def _sizes(node: NodeFacts | None, alignment: AlignmentFacts | None, report: ReportFacts | None) -> Sizes:
    of_agent = alignment.memory if alignment is not None else ()
    if report is not None and any(report.memory):
        return (*of_agent, *chain.from_iterable(pair or _NO_ROW for pair in report.memory))
    return of_agent or ((node.memory,) if node else ())


def _kind(node: NodeFacts | None, report: ReportFacts | None, slices: tuple[SliceFacts, ...]) -> tuple[object, ...]:
    of_node = (id(node.taints), node.version, node.cpus, id(node.devices)) if node else ()
    of_slices = _slices(slices) if slices else ()
    if report is None:
        return (*of_node, *of_slices)
    rows = tuple(pair is None for pair in report.memory)
    of_report = (id(report.zones), id(report.settings), report.problems, report.doubts, rows)
    return (*of_node, *of_report, *of_slices)


def _kind_of_agent(found: AlignmentFacts | None) -> tuple[object, ...]:
    if found is None:
        return ()
    return (id(found.fields), len(found.memory), found.version, found.problems, found.doubts)


def _slices(slices: tuple[SliceFacts, ...]) -> tuple[object, ...]:
    """Answer drivers and devices, and which generation of a pool they are, counted from its oldest slice here."""
    oldest: dict[tuple[str, str], int] = {}
    for one in slices:
        pool = (one.driver, one.pool)
        oldest[pool] = min(oldest.get(pool, one.generation), one.generation)
    return tuple((one.driver, id(one.devices), one.generation - oldest[one.driver, one.pool]) for one in slices)
