"""Writes a survey for people: a table of classes, and below it what else there is to know."""

from collections.abc import Iterable
from collections.abc import Iterator
from datetime import datetime

from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.raw import get_text_map
from webhook.sources.inventory.survey import Survey
from webhook.sources.inventory.survey import SurveyedClass
from webhook.sources.specs import describe

COLUMNS = ("CLASS", "NODES", "NUMA NODES", "DEVICES", "MANAGERS", "TOPOLOGY", "TRUSTED")
NARROW = ("CLASS", "NODES", "TRUSTED")
_MINUTE = 60
_HOUR = 3600
_DAY = 86_400


def row(one: SurveyedClass) -> tuple[str, ...]:
    """Answer the cells of the table."""
    document = one.document
    spec = get_object(document, "spec")
    kubelet = get_object(spec, "kubelet")
    scope = get_text(kubelet, "topologyManagerScope") or "container"
    managers = (get_text(kubelet, "cpuManagerPolicy") or "none", get_text(kubelet, "memoryManagerPolicy") or "None")
    return (
        get_text(document, "name"),
        str(document.get("nodes", 0)),
        describe("numa", get_list(spec, "numa")),
        "; ".join(_devices(spec)) or "-",
        ", ".join(managers),
        f"{get_text(kubelet, 'topologyManagerPolicy') or 'none'}, {scope} scope",
        "no" if one.distrust else "yes",
    )


def footer(survey: Survey, *, verbose: bool, instant: datetime) -> Iterator[str]:
    """Yield the lines below the table."""
    if verbose:
        for one in survey.classes:
            yield ""
            yield from _details(one, instant)
    if survey.unknown:
        yield ""
    for group in survey.unknown:
        yield f"unknown: {_nodes(group.nodes, group.examples)}: {group.reason}"
    hints = [one for one in survey.classes if one.outlier_of]
    for one in hints if not verbose else ():
        yield f"outlier: {get_text(one.document, 'name')} has the labels of {one.outlier_of}, but another topology"


def _details(one: SurveyedClass, instant: datetime) -> Iterator[str]:
    document = one.document
    spec = get_object(document, "spec")
    count = document.get("nodes")
    yield f"{get_text(document, 'name')}: {_nodes(count if isinstance(count, int) else 0, one.examples)}"
    yield "  trusted: " + (f"no, {one.distrust}; it warns and relaxes only" if one.distrust else "yes")
    if document.get("verified") is True:
        yield "  verified: yes, numagate's agents were heard lately on all its nodes"
    if one.outlier_of:
        yield f"  outlier: most nodes of these labels are {one.outlier_of}"
    sources = get_text_map(document, "sources")
    width = max((len(name) for name in sources), default=0)
    for name in sources:
        why = f"  ({one.assumed[name]})" if name in one.assumed else ""
        yield f"  {name:<{width}}  {sources[name]:<20}  {_value(name, spec)}{why}"
    for name, why in one.assumed.items():
        if name not in sources:
            yield f"  assumed: {name}: {why}"
    for conflict in one.conflicts:
        kept = f"{conflict.kept} by {conflict.kept_source}"
        yield f"  conflict: {conflict.field}: {kept}, not {conflict.other} by {conflict.other_source}"
    yield from (f"  problem: {problem}" for problem in one.problems)
    for driver, counts in one.drivers.items():
        yield f"  claims: {driver} hands out {describe('devices.', counts)}"
    yield from _free(one.free or get_object(document, "free"), instant)
    labels = get_text_map(get_object(spec, "selector"), "matchLabels")
    yield "  labels: " + (", ".join(f"{key}={value}" for key, value in labels.items()) or "none")


def _free(free: JsonObject, instant: datetime) -> Iterator[str]:
    if free:
        yield f"  free on one NUMA node, {_age(get_text(free, 'seen'), instant)}:"
        for cell in get_list(free, "cells"):
            yield "    " + ", ".join(f"{amount} {name}" for name, amount in as_object(cell).items())


def _age(seen: str, instant: datetime) -> str:
    """Say how old the data is; a report that does not change keeps the age of its last change."""
    try:
        seconds = int((instant - datetime.fromisoformat(seen)).total_seconds())
    except (ValueError, TypeError):
        return "of unknown age"
    for unit, name in ((_DAY, "days"), (_HOUR, "hours"), (_MINUTE, "minutes")):
        if seconds >= 2 * unit:
            return f"as of {seconds // unit} {name} ago"
    return f"as of {max(0, seconds)} seconds ago"


def _value(name: str, spec: JsonObject) -> str:
    block, dot, key = name.partition(".")
    value = as_object(spec.get(block)).get(key) if dot else spec.get(name)
    return "none" if value is None else describe(name, value)


def _devices(spec: JsonObject) -> Iterator[str]:
    for resource, value in get_object(spec, "devices").items():
        yield f"{describe('devices.', value)} {resource}"


def _nodes(count: int, examples: Iterable[str]) -> str:
    names = list(examples)
    shown = ", ".join(names) + (", …" if count > len(names) else "")
    return f"{count} node{'' if count == 1 else 's'}" + (f" ({shown})" if names else "")
