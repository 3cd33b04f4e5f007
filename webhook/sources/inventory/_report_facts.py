"""Reduces a NodeResourceTopology, as its writers really write it: RTE, NFD, nri-plugins, and people.

Zones of type Node are NUMA nodes, named node-N. Zones of any other type (socket, die, pools of nri-plugins) are not.
"""

import re
from collections import Counter
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping

from webhook.config.amounts import MAX_CPU
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.resources import CPU
from webhook.domain.resources import HUGEPAGES_PREFIX
from webhook.domain.resources import MEMORY
from webhook.sources.evidence import Pairs
from webhook.sources.evidence import ReportFacts
from webhook.sources.evidence import ZoneFacts
from webhook.sources.few import cut
from webhook.sources.few import few
from webhook.sources.inventory._instants import last_written
from webhook.sources.inventory._node_facts import amount
from webhook.sources.inventory._node_facts import is_amount

_ZONE = re.compile(r"node-(0|[1-9][0-9]{0,3})")
_MAX_ID = 1023
_MOST_ZONES = 64
"""A machine of ours has 34. To simulate a kubelet on a thousand takes seconds, and one report must not cost them."""
_POLICY = "topologyManagerPolicy"
_SCOPE = "topologyManagerScope"
_ENGINE = "TopologyPolicy"
"""The attribute of nri-plugins: a resource policy in place of the kubelet's managers."""
_POLICIES = frozenset({"none", "best-effort", "restricted", "single-numa-node"})
_SCOPES = frozenset({"container", "pod"})
_DEPRECATED: Mapping[str, tuple[str, str]] = {
    "SingleNUMANodeContainerLevel": ("single-numa-node", "container"),
    "SingleNUMANodePodLevel": ("single-numa-node", "pod"),
    "SingleNUMANode": ("single-numa-node", ""),
    "Restricted": ("restricted", ""),
    "RestrictedContainerLevel": ("restricted", "container"),
    "RestrictedPodLevel": ("restricted", "pod"),
    "BestEffort": ("best-effort", ""),
    "BestEffortContainerLevel": ("best-effort", "container"),
    "BestEffortPodLevel": ("best-effort", "pod"),
    "None": ("none", ""),
}
_GIB = 1 << 30
_DEVICE = re.compile(r"[a-z0-9.-]{1,253}/[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?")
_PAGES = re.compile(re.escape(HUGEPAGES_PREFIX) + r"[1-9][0-9]{0,3}[KMG]i")

_Rows = Mapping[str, JsonObject]


def reduce_nrt(obj: JsonObject, *, seen: str = "") -> ReportFacts:
    """Reduce a NodeResourceTopology (v1alpha1 or v1alpha2); `name` is the node's name.

    `seen` is the instant (RFC 3339) at which the data was received; without it, that of the object's last writer.
    """
    blocks = get_list(obj, "zones")
    zones, strange, missing = _numbered(blocks)
    settings, unknown = _settings(obj)
    rows, wrong = _possible({number: _rows(block) for number, block in zones.items()})
    doubts = (*strange, *wrong, *_contradictions(zones, rows))
    resources = tuple(sorted({name for found in rows.values() for name in found if _is_device(name)}))
    return ReportFacts(
        name=get_text(get_object(obj, "metadata"), "name"),
        zones=tuple(_zone(number, rows[number], zones[number]) for number in sorted(rows)),
        settings=settings,
        resources=resources,
        problems=few((*strange, *wrong, *missing, *unknown)),
        memory=tuple(_both(rows[number].get(MEMORY)) for number in sorted(rows)),
        free=_free([rows[number] for number in sorted(rows)], resources),
        seen=seen or last_written(obj),
        doubts=few(doubts),
    )


def _numbered(blocks: list[object]) -> tuple[dict[int, JsonObject], list[str], list[str]]:
    """Answer the zones that are NUMA nodes by their number, what is wrong with the others, and that there are none."""
    zones: dict[int, JsonObject] = {}
    problems: list[str] = []
    for block in map(as_object, blocks):
        if get_text(block, "type") != "Node":
            continue
        name = get_text(block, "name")
        found = _ZONE.fullmatch(name)
        if found is None or int(found[1]) > _MAX_ID:
            problems.append(f'zone "{cut(name)}" of type Node names no NUMA node: node-0 is wanted')
        elif int(found[1]) in zones:
            problems.append(f"zone {name} is written twice")
        else:
            zones[int(found[1])] = block
    if len(zones) > _MOST_ZONES:
        return {}, [f"{len(zones)} zones are more NUMA nodes than any machine has"], []
    return zones, problems, [] if zones else [_no_zone(blocks)]


def _no_zone(blocks: list[object]) -> str:
    types = sorted({cut(get_text(block, "type")) or "?" for block in map(as_object, blocks)})
    return "no zone of type Node" + (f" (only {', '.join(few(types))})" if types else "")


def _rows(block: JsonObject) -> dict[str, JsonObject]:
    return {get_text(row, "name"): as_object(row) for row in get_list(block, "resources") if get_text(row, "name")}


def _possible(zones: dict[int, dict[str, JsonObject]]) -> tuple[dict[int, dict[str, JsonObject]], list[str]]:
    """Leave out what no node can have. Without its CPUs or memory no NUMA node is known: it is not one without any."""
    wrong = [
        (number, name)
        for number in sorted(zones)
        for name, row in sorted(zones[number].items())
        if not _is_possible(row)
    ]
    problems = [f"zone node-{number}: what is said of {cut(name)} is no amount: left out" for number, name in wrong]
    if any(name in {CPU, MEMORY} for _number, name in wrong):
        return {}, problems
    for number, name in wrong:
        del zones[number][name]
    return zones, problems


def _contradictions(zones: Mapping[int, JsonObject], rows: Mapping[int, _Rows]) -> Iterator[str]:
    """Yield where a report says two things at once. The exporters never do: they raise a capacity that is too small."""
    for number, found in sorted(rows.items()):
        names = Counter(get_text(row, "name") for row in get_list(zones[number], "resources"))
        for name, row in sorted(found.items()):
            if names[name] > 1:
                yield f"zone node-{number}: {cut(name)} is written twice"
            elif {"capacity", "allocatable"} <= row.keys() and amount(row["allocatable"]) > amount(row["capacity"]):
                yield f"zone node-{number}: more {cut(name)} is allocatable than there is"
            elif name == CPU and amount(row.get("capacity")) > MAX_CPU:
                yield f"zone node-{number}: more CPUs than any machine has"


def _is_possible(row: JsonObject) -> bool:
    return all(is_amount(row[field]) for field in ("capacity", "allocatable") if row.get(field) is not None)


def _zone(number: int, rows: _Rows, block: JsonObject) -> ZoneFacts:
    cpus = _both(rows.get(CPU))
    pages = ((name.removeprefix(HUGEPAGES_PREFIX), _both(rows[name])) for name in sorted(rows) if _is_pages(name))
    devices = ((name, _both(rows[name])) for name in sorted(rows) if _is_device(name))
    return ZoneFacts(
        id=number,
        cpus=cpus if cpus and cpus[0] <= MAX_CPU else None,
        pages=tuple((size, *sizes) for size, sizes in pages if sizes and sizes[0]),
        devices=tuple((name, counts[1]) for name, counts in devices if counts),
        costs=_costs(block),
    )


def _both(row: JsonObject | None) -> tuple[int, int] | None:
    """Answer capacity and allocatable, the one for the other where only one is written."""
    if row is None or ("capacity" not in row and "allocatable" not in row):
        return None
    capacity = amount(row.get("capacity", row.get("allocatable")))
    allocatable = amount(row.get("allocatable", row.get("capacity")))
    return max(capacity, allocatable), allocatable


def _costs(block: JsonObject) -> tuple[tuple[int, int], ...]:
    found: dict[int, int] = {}
    for cost in get_list(block, "costs"):
        zone = _ZONE.fullmatch(get_text(cost, "name"))
        value = as_object(cost).get("value")
        if zone is not None and isinstance(value, int):
            found[int(zone[1])] = value
    return tuple(sorted(found.items()))


def _free(zones: list[dict[str, JsonObject]], resources: tuple[str, ...]) -> tuple[tuple[int, ...], ...]:
    """Answer what is left in each zone that has CPUs, memory in whole GiB; () where it is not said."""
    with_cpus = [rows for rows in zones if (_both(rows.get(CPU)) or (0, 0))[0]]
    with_memory = any(MEMORY in rows for rows in with_cpus)
    wanted = (CPU, MEMORY) if with_memory else (CPU,)
    if not all("available" in rows.get(name, {}) for rows in with_cpus for name in wanted):
        return ()
    return tuple(
        (
            amount(rows[CPU]["available"]),
            amount(rows[MEMORY]["available"]) // _GIB * _GIB if with_memory else -1,
            *(amount(rows.get(name, {}).get("available")) for name in resources),
        )
        for rows in with_cpus
    )


def _settings(obj: JsonObject) -> tuple[Pairs, list[str]]:
    """Read the kubelet's settings: attributes first, then the deprecated list."""
    attributes = {get_text(item, "name"): get_text(item, "value") for item in get_list(obj, "attributes")}
    found = dict(_deprecated(get_list(obj, "topologyPolicies")))
    problems: list[str] = []
    for name, legal in ((_POLICY, _POLICIES), (_SCOPE, _SCOPES)):
        value = attributes.get(name, "")
        if value in legal:
            found[name] = value
        elif value:
            problems.append(f'attribute {name} is "{cut(value)}", which no kubelet has')
    if _ENGINE in attributes:
        found[_ENGINE] = cut(attributes[_ENGINE])
    return tuple(sorted(found.items())), problems


def _deprecated(policies: Iterable[object]) -> Iterator[tuple[str, str]]:
    for policy in policies:
        if isinstance(policy, str) and policy in _DEPRECATED:
            names = zip((_POLICY, _SCOPE), _DEPRECATED[policy], strict=True)
            yield from ((name, value) for name, value in names if value)
            return


def _is_pages(name: str) -> bool:
    return _PAGES.fullmatch(name) is not None


def _is_device(name: str) -> bool:
    return _DEVICE.fullmatch(name) is not None
