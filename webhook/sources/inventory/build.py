"""Makes node classes of records: group, merge, join what is alike, name, and say what may be trusted."""

from collections import defaultdict
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TypeAlias

from webhook import registry
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_text_map
from webhook.sources import node_tables
from webhook.sources import topology
from webhook.sources.evidence import ALIGNMENT
from webhook.sources.evidence import NodeView
from webhook.sources.evidence import Pairs
from webhook.sources.evidence import ProfileFacts
from webhook.sources.evidence import TopologySource
from webhook.sources.inventory import naming
from webhook.sources.inventory.alike import Group
from webhook.sources.inventory.alike import Record
from webhook.sources.inventory.alike import Sizes
from webhook.sources.inventory.alike import clusters
from webhook.sources.inventory.alike import group
from webhook.sources.inventory.alike import is_near
from webhook.sources.inventory.free import free_of
from webhook.sources.inventory.freshness import Freshness
from webhook.sources.inventory.merge import NUMA
from webhook.sources.inventory.merge import Merged
from webhook.sources.inventory.merge import accelerators
from webhook.sources.inventory.merge import merge
from webhook.sources.inventory.refusal import why_no_class
from webhook.sources.inventory.shape import shape_of
from webhook.sources.inventory.shape import topology_of
from webhook.sources.inventory.survey import Survey
from webhook.sources.inventory.survey import SurveyedClass
from webhook.sources.inventory.survey import Unknown
from webhook.sources.specs import cell_memory

_EXAMPLES = 3
MOST_REMEMBERED = 100
"""Classes without nodes that are kept: a node that changes its labels again and again leaves one behind each time."""
_OF_NODES = frozenset({"free", "verified"})
"""What a class without nodes does not have."""
_NO_SOURCE = "no report, no slices, no profile, and no label that names a machine of the library"

Blind: TypeAlias = Mapping[Pairs, AbstractSet[str]]
"""Nodes of which nothing is known, not even by an agent: their accelerators by what identifies them."""
Reader: TypeAlias = Callable[[NodeView], Merged]


@cache
def sources() -> tuple[TopologySource, ...]:
    """Load the sources of topology in the order of their precedence."""
    return tuple(sorted(registry.load(topology, "SOURCE", TopologySource), key=lambda one: (one.rank, one.name)))


def read(view: NodeView) -> Merged:
    """Ask every source about a node and merge what they say."""
    found = (source.read(view) for source in sources())
    return merge(one for one in found if one is not None)


def build(
    records: Sequence[Record],
    profiles: Sequence[ProfileFacts],
    minimum: int,
    *,
    before: Sequence[JsonObject] = (),
    reader: Reader = read,
    now: datetime | None = None,
) -> Survey:
    """Make the classes of all nodes; `reader` is `read`, or one that remembers. Ages are judged at `now`."""
    fresh = Freshness(now)
    groups = group(records, profiles)
    drafts, unknown, blind = _drafts(groups, reader, fresh)
    drafts += _unmatched(profiles, drafts)
    agreeing = _agreeing(drafts, fresh)
    remembered = sorted(_remembered(before, drafts, blind), key=lambda one: bool(one.distrust))[:MOST_REMEMBERED]
    reserved = [get_text(one.document, "name") for one in remembered]
    names = naming.name_all([draft.nameless for draft in drafts], before, reserved)
    most = _most_common(drafts, names)
    classes = [
        _surveyed(draft, name, number, minimum=minimum, most=most, fresh=fresh, blind=blind)
        for draft, name, number in zip(drafts, names, agreeing, strict=True)
    ]
    taken = set(names)
    classes += [one for one in remembered if get_text(one.document, "name") not in taken]
    return Survey(
        classes=tuple(sorted(classes, key=lambda one: get_text(one.document, "name"))),
        unknown=tuple(
            Unknown(reason, len(nodes), tuple(sorted(nodes)[:_EXAMPLES])) for reason, nodes in sorted(unknown.items())
        ),
        nodes=len(records),
        profiles=_matched(groups, profiles),
        holds_until=fresh.holds_until(records),
    )


@dataclass(frozen=True, slots=True)
class _Draft:
    """A class on its way: its nodes, and what they are taken for."""

    merged: Merged
    spec: Mapping[str, object]
    identity: Pairs
    members: list[Record]
    labels: Mapping[str, str]
    sizes: Sizes
    topology: str
    """What its nodes must agree in, beside nearly the same sizes."""

    @property
    def voice(self) -> tuple[Pairs, str, bool]:
        """What nodes must have in common to confirm each other; one that contradicts itself confirms nobody."""
        return (self.identity, self.topology, self.merged.contradicted)

    @property
    def nameless(self) -> naming.Nameless:
        """What its name is made of."""
        identity = node_tables.identity(tuple(sorted(self.labels.items())))
        title = self.merged.title if self.merged.declared else ""
        memory = sum(map(cell_memory, get_list(self.spec, "numa")))
        stem = naming.stem_of(self.identity, title)
        return naming.Nameless(
            stem, identity, shape_of(self.spec), memory, len(self.members), declared=self.merged.declared
        )


def _drafts(
    groups: Iterable[Group], reader: Reader, fresh: Freshness
) -> tuple[list[_Draft], dict[str, list[str]], Blind]:
    """Join groups that come to the same, and part them by memory; answer the nodes of no class by reason as well.

    The last are the nodes without a class and without an agent, on which pods may land unverified.
    Nodes that contradict themselves are a class of their own, whatever they say: they must not spoil that of others.
    """
    joined: defaultdict[tuple[str, object, bool], list[Group]] = defaultdict(list)
    unknown: defaultdict[str, list[str]] = defaultdict(list)
    blind: defaultdict[Pairs, set[str]] = defaultdict(set)
    for one in groups:
        merged = reader(one.view(min(member.sizes for member in one.members)))
        reason = _why_unknown(merged)
        if reason:
            unknown[reason].extend(member.name for member in one.members)
            for member in filter(fresh.is_silent, one.members):
                blind[one.traits.identity].update(_accelerators_of(member))
        else:
            kind = merged.title if merged.declared else one.traits.identity
            joined[shape_of(merged.spec), kind, merged.contradicted].append(one)
    return [draft for alike in joined.values() for draft in _parted(alike, reader)], unknown, blind


def _parted(alike: Sequence[Group], reader: Reader) -> Iterator[_Draft]:
    """Part groups of one shape by memory; where a profile says how much there is, that of the nodes does not matter."""
    first = reader(alike[0].view())
    if first.declared:
        nodes = [member for one in alike for member in one.members]
        yield _draft(first, (("profile", first.title),), nodes, _shared_labels(nodes))
        return
    homes = {member.name: one for one in alike for member in one.members}
    for sizes, nodes in clusters(member for one in alike for member in one.members):
        home = homes[nodes[0].name]
        yield _draft(reader(home.view(sizes)), home.traits.identity, nodes, _shared_labels(nodes), sizes=sizes)


def _draft(merged: Merged, kind: Pairs, nodes: list[Record], labels: Mapping[str, str], *, sizes: Sizes = ()) -> _Draft:
    spec = {**merged.spec, **({"selector": {"matchLabels": labels}} if labels else {})}
    return _Draft(merged, spec, kind, nodes, labels, sizes, topology_of(spec))


def _agreeing(drafts: Sequence[_Draft], fresh: Freshness) -> list[int]:
    """Count, for each draft, the nodes that agree with it: in the topology, and in the memory as nodes of a class do.

    Memory counts as the rest does: who reports far too little of it would make every fair share small. A node of which
    agents tell has a voice as long as its agent is heard.
    """
    voices = [_voices(one, fresh) for one in drafts]
    alike: defaultdict[tuple[Pairs, str, bool], list[tuple[_Draft, int]]] = defaultdict(list)
    for draft, number in zip(drafts, voices, strict=True):
        alike[draft.voice].append((draft, number))
    return [sum(number for other, number in alike[one.voice] if is_near(one.sizes, other.sizes)) for one in drafts]


def _voices(draft: _Draft, fresh: Freshness) -> int:
    return sum(map(fresh.counts, draft.members)) if draft.merged.by_agents else len(draft.members)


def _why_unknown(merged: Merged) -> str:
    if NUMA not in merged.values:
        return "; ".join(merged.problems) or _NO_SOURCE
    return why_no_class(merged.spec)


def _shared_labels(nodes: Iterable[Record]) -> dict[str, str]:
    shared: set[tuple[str, str]] | None = None
    for labels in {id(one.node.labels): one.node.labels for one in nodes if one.node}.values():
        shared = set(labels) if shared is None else shared.intersection(labels)
    return node_tables.declared(shared or ())


def _unmatched(profiles: Sequence[ProfileFacts], drafts: Iterable[_Draft]) -> list[_Draft]:
    """Draft the classes of full profiles that no node matches (yet)."""
    used = {draft.merged.title for draft in drafts if draft.merged.declared}
    found: list[_Draft] = []
    for profile in sorted(profiles, key=lambda one: one.name):
        merged = read(NodeView(labels=dict(profile.labels), profiles=(profile,)))
        if merged.declared and profile.name not in used and not why_no_class(merged.spec):
            found.append(_draft(merged, (("profile", profile.name),), [], dict(profile.labels)))
    return found


def _matched(groups: Iterable[Group], profiles: Iterable[ProfileFacts]) -> dict[str, int]:
    counts = dict.fromkeys(sorted(profile.name for profile in profiles), 0)
    for one in groups:
        for profile in one.traits.profiles:
            counts[profile.name] += len(one.members)
    return counts


def _most_common(drafts: Sequence[_Draft], names: Sequence[str]) -> dict[Pairs, tuple[int, str, str]]:
    """Answer, by identity, the topology that most nodes have: their number, the topology and a class of it."""
    totals: defaultdict[tuple[Pairs, str], list[tuple[int, str]]] = defaultdict(list)
    for draft, name in zip(drafts, names, strict=True):
        totals[draft.identity, draft.topology].append((-len(draft.members), name))
    most: dict[Pairs, tuple[int, str, str]] = {}
    for (identity, kind), members in totals.items():
        count = -sum(number for number, _name in members)
        candidate = (count, kind, min(members)[1])
        most[identity] = max(most.get(identity, candidate), candidate)
    return most


def _surveyed(
    draft: _Draft,
    name: str,
    agreeing: int,
    *,
    minimum: int,
    most: Mapping[Pairs, tuple[int, str, str]],
    fresh: Freshness,
    blind: Blind,
) -> SurveyedClass:
    merged = draft.merged
    distrust = "; ".join(dict.fromkeys(merged.doubts))
    few = merged.reported and agreeing < minimum
    if few:
        nodes = f"reported by {agreeing} node{'' if agreeing == 1 else 's'}, {minimum} are wanted"
        silent = len(draft.members) - _voices(draft, fresh)
        gone = f"{silent} more had no word from numagate's agent for an hour" if silent else ""
        distrust = "; ".join(filter(None, (distrust, nodes, gone)))
    number, kind, main = most[draft.identity]
    outlier = few and number > agreeing and kind != draft.topology
    document: dict[str, object] = {
        "name": name,
        "spec": draft.spec,
        "nodes": len(draft.members),
        "trusted": not distrust,
        "sources": dict(sorted(merged.sources.items())),
    }
    ready = (one for one in draft.members if one.node is None or one.node.schedulable)
    free = free_of(said for one in ready if (said := one.alignment or one.report) is not None)
    if free is not None and free["seen"]:
        document["free"] = free
    if fresh.verifies(draft.members) and not _has_blind_neighbours(draft, blind):
        document["verified"] = True
    return SurveyedClass(
        document=document,
        assumed=dict(sorted(merged.assumed.items())),
        conflicts=tuple(merged.conflicts),
        problems=tuple(dict.fromkeys(merged.problems)),
        distrust=distrust,
        outlier_of=main if outlier else "",
        examples=tuple(sorted(member.name for member in draft.members)[:_EXAMPLES]),
        drivers=merged.drivers,
        free=free,
    )


def _accelerators_of(member: Record) -> Iterator[str]:
    resources = member.node.devices if member.node else ()
    return (name for name, _count in resources if accelerators().includes(name))


def _has_blind_neighbours(draft: _Draft, blind: Blind) -> bool:
    """Tell whether a pod for this class may land where nothing is known: on a node of its labels or accelerators."""
    resources = get_object(draft.spec, "devices").keys()
    return any(identity == draft.identity or found & resources for identity, found in blind.items())


def _remembered(before: Iterable[JsonObject], drafts: Iterable[_Draft], blind: Blind) -> Iterator[SurveyedClass]:
    """Keep classes of which there was a node once, so that a pool that is scaled to zero can be scaled up again.

    One whose nodes are there, and only without their agents, is kept as agents that are silent are: it relaxes.
    A class of fewer labels than another was that of nodes that had just started, and is forgotten.
    """
    current = [set(node_tables.identity(tuple(sorted(draft.labels.items())))) for draft in drafts]
    found = [(document, set(_identity(document))) for document in before if _may_come_back(document)]
    others = [*current, *(identity for _document, identity in found)]
    for document, identity in found:
        gone = identity not in current and not any(identity < other for other in others)
        if identity and gone:
            kept = {key: value for key, value in document.items() if key not in _OF_NODES} | {"nodes": 0}
            distrust = "" if kept.get("trusted") is True else "no node is left"
            by_agents = get_object(document, "sources").get(NUMA) == ALIGNMENT
            if by_agents and any(identity == set(one) for one in blind):
                distrust, kept["trusted"] = "its nodes have no agent any more", False
            yield SurveyedClass(kept, {}, (), (), distrust, "", ())


def _identity(document: JsonObject) -> Pairs:
    labels = get_text_map(get_object(document, "spec", "selector"), "matchLabels")
    return node_tables.identity(tuple(sorted(labels.items())))


def _may_come_back(document: JsonObject) -> bool:
    """Tell classes with devices that nodes made; a profile makes its class itself."""
    declared = get_object(document, "sources").get(NUMA) == "NodeProfile"
    return bool(get_object(document, "spec", "devices")) and not declared
