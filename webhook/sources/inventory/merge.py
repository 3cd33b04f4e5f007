"""Merges what several sources say about one node: the source of the lowest rank wins, field by field."""

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field
from functools import cache
from operator import itemgetter
from typing import Final

from webhook.domain.policy import Accelerators
from webhook.domain.raw import as_object
from webhook.sources.evidence import ALIGNMENT
from webhook.sources.evidence import NOWHERE
from webhook.sources.evidence import Evidence
from webhook.sources.few import few
from webhook.sources.inventory.survey import Conflict
from webhook.sources.policy_file import load_policy
from webhook.sources.specs import cell_cpus
from webhook.sources.specs import cell_ids
from webhook.sources.specs import describe
from webhook.sources.specs import device_counts
from webhook.sources.specs import is_same

ASSUMED: Final = "assumed"
NUMA: Final = "numa"
_TOPOLOGY_POLICY: Final = "kubelet.topologyManagerPolicy"
_DEFAULTS: Final = (
    (_TOPOLOGY_POLICY, "none"),
    ("kubelet.topologyManagerScope", "container"),
    ("kubelet.memoryManagerPolicy", "None"),
)
_EMPTY: Final[tuple[object, ...]] = ({}, [], "")
_ENFORCING: Final = frozenset({"restricted", "single-numa-node"})


@dataclass(slots=True)
class Merged:
    """What a node is taken for: values by field, where each is from, and what speaks against it.

    `sources` say `assumed` of a guess, and `assumed` says why it is guessed, also of parts of a field. `title` names
    the profile or machine that `numa` is from. `doubts` say what keeps the class from being trusted however many nodes
    agree; `reported` tells that nodes themselves are the source, so that it takes several; `contradicted` that a source
    which counts here contradicts itself, or its Node; `by_agents` that a NodeAlignment counts here, whose age matters.
    """

    values: dict[str, object] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    assumed: dict[str, str] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    drivers: dict[str, Mapping[str, int]] = field(default_factory=dict)
    reported: bool = False
    contradicted: bool = False
    by_agents: bool = False
    declared: bool = False
    title: str = ""

    @property
    def spec(self) -> dict[str, object]:
        """The values as the spec of a NodeProfile; a setting that is known to be empty is not written."""
        spec: dict[str, object] = {}
        for name, value in sorted(self.values.items(), key=itemgetter(0)):
            block, dot, key = name.partition(".")
            if block == "kubelet" and value in _EMPTY:
                continue
            if dot:
                inner = spec.setdefault(block, {})
                if isinstance(inner, dict):
                    inner[key] = value
            else:
                spec[name] = value
        return spec


def merge(evidence: Iterable[Evidence]) -> Merged:
    """Merge evidence in the order of its precedence."""
    witnesses = tuple(evidence)
    merged = Merged()
    machine = next((one for one in witnesses if NUMA in one.fields), None)
    for one in witnesses:
        merged.problems += (f"{one.source}: {problem}" for problem in few(one.problems))
        merged.drivers |= one.drivers
        for name in one.fields:
            if name not in merged.values and (name not in one.bound or one is machine):
                _take(merged, one, name)
    merged.title = machine.title if machine else ""
    merged.declared = machine is not None and machine.declared
    for name in merged.values:
        merged.conflicts += _conflicts(merged, witnesses, name)
    _keep_devices_on_the_machine(merged)
    if not merged.declared:
        _fill(merged)
    _drop_options_of_a_manager_that_is_off(merged)
    merged.doubts = list(dict.fromkeys(_doubts(merged, witnesses)))
    return merged


def _take(merged: Merged, one: Evidence, name: str) -> None:
    merged.values[name] = one.fields[name]
    merged.sources[name] = ASSUMED if name in one.assumed else one.source
    merged.assumed |= {key: why for key, why in one.assumed.items() if key == name or key.startswith(f"{name}.")}


def _conflicts(merged: Merged, witnesses: tuple[Evidence, ...], name: str) -> Iterator[Conflict]:
    """Yield the sources that know better than to agree; guesses do not count."""
    if merged.sources[name] == ASSUMED:
        return
    value = merged.values[name]
    for one in witnesses:
        if one.source == merged.sources[name] or name not in one.fields or name in one.assumed:
            continue
        if not is_same(name, value, one.fields[name]):
            other = describe(name, one.fields[name])
            yield Conflict(name, merged.sources[name], describe(name, value), one.source, other)


def _keep_devices_on_the_machine(merged: Merged) -> None:
    """Let no device be on a NUMA node that the machine, told by another source, does not have."""
    known = {str(cell) for cell in cell_ids(merged.values.get(NUMA))}
    if not known or merged.sources[NUMA] == "NodeProfile":
        return
    for name in [name for name in merged.values if name.startswith("devices.")]:
        counts = device_counts(merged.values[name])
        strange = sorted(counts.keys() - known - {NOWHERE})
        if strange:
            cells = ", ".join(strange)
            told = f"{merged.sources[name]}: {name} names NUMA node {cells}, which {merged.sources[NUMA]} lacks"
            merged.problems.append(told)
            merged.values[name] = {NOWHERE: sum(counts.values())}


def _fill(merged: Merged) -> None:
    """Give the kubelet's settings that no source tells the value that it has by default, marked as a guess."""
    for name, value in _DEFAULTS:
        _guess(merged, name, value, "no source says it: the kubelet's default is assumed")
    keeps_cpus = "cpu" in as_object(merged.values.get("kubelet.nodeAllocatableReservation"))
    if merged.values[_TOPOLOGY_POLICY] in _ENFORCING and keeps_cpus:
        _guess(merged, "kubelet.cpuManagerPolicy", "static", f"{_TOPOLOGY_POLICY} is of no use without it")
    _guess(merged, "kubelet.cpuManagerPolicy", "none", "no source says it: the kubelet's default is assumed")


def _drop_options_of_a_manager_that_is_off(merged: Merged) -> None:
    """Let no guessed options go with a CPU manager that another source says is off: no such kubelet starts."""
    options = "kubelet.cpuManagerPolicyOptions"
    if merged.values.get("kubelet.cpuManagerPolicy") == "none" and merged.sources.get(options) == ASSUMED:
        for kept in (merged.values, merged.sources, merged.assumed):
            kept.pop(options, None)


def _guess(merged: Merged, name: str, value: object, why: str) -> None:
    if name not in merged.values:
        merged.values[name] = value
        merged.sources[name] = ASSUMED
        merged.assumed[name] = why


def _doubts(merged: Merged, witnesses: tuple[Evidence, ...]) -> Iterator[str]:
    by_source = {one.source: one for one in witnesses}
    has_one_home = _has_one_home(merged.values.get(NUMA))
    decisive = [NUMA, _TOPOLOGY_POLICY, *(name for name in merged.values if name.startswith("devices."))]
    for name in decisive:
        one = by_source.get(merged.sources.get(name, ""))
        merged.by_agents |= merged.sources.get(name) == ALIGNMENT
        if one is not None and one.doubts:
            merged.contradicted = True
            yield from (f"{one.source}: {doubt}" for doubt in one.doubts)
        if one is not None and name in one.weak:
            yield f"{name} is known by the product's name alone"
        elif one is not None and not one.declared and not has_one_home and _is_unplaced(name, merged.values[name]):
            yield f"the NUMA node of {name.removeprefix('devices.')} is not known"
        elif one is not None and not one.declared and one.source != "Node" and not _is_of_library(one):
            merged.reported = True
    if merged.sources.get(_TOPOLOGY_POLICY) == ASSUMED:
        yield f"{_TOPOLOGY_POLICY} is assumed"


def _is_unplaced(name: str, value: object) -> bool:
    """Tell accelerators of which no one is on a known NUMA node; where NICs and the like are does not matter."""
    if not name.startswith("devices.") or not accelerators().includes(name.removeprefix("devices.")):
        return False
    return device_counts(value).keys() == {NOWHERE}


def _has_one_home(numa: object) -> bool:
    """Tell a machine with CPUs on one NUMA node: where its devices are is no question, though many say of none."""
    return sum(cell_cpus(block) > 0 for block in (numa if isinstance(numa, list) else ())) == 1


@cache
def accelerators() -> Accelerators:
    """Answer which resources count as accelerators where no policy says it."""
    return load_policy().policies[0].accelerators


def _is_of_library(one: Evidence) -> bool:
    return one.source == "node labels" and NUMA in one.fields
