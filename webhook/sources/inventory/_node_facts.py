"""Reduces a Node: a few labels and numbers of an object of many kilobytes."""

import re

from webhook.config.amounts import MAX_CPU
from webhook.domain.quantity import Quantity
from webhook.domain.quantity import QuantityError
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.domain.resources import CPU
from webhook.domain.resources import MEMORY
from webhook.domain.resources import is_extended
from webhook.sources import node_tables
from webhook.sources.evidence import Counts
from webhook.sources.evidence import NodeFacts
from webhook.sources.inventory._instants import sortable

_VERSION = re.compile(r"v?(1\.(?:0|[1-9][0-9]{0,2}))(?:[.+-].*)?")


def reduce_node(obj: JsonObject) -> NodeFacts:
    """Reduce a Node: labels, lasting taints, kubelet version and capacity; `name` is the node's name."""
    name = get_text(get_object(obj, "metadata"), "name")
    taints = [
        (get_text(taint, "key"), get_text(taint, "value"), get_text(taint, "effect"))
        for taint in get_list(get_object(obj, "spec"), "taints")
    ]
    lasting = tuple(sorted(taint for taint in taints if taint[0] and taint[2] and node_tables.lasts(taint[0])))
    passing = any(not node_tables.lasts(key) and effect != "PreferNoSchedule" for key, _value, effect in taints)
    cordoned = get_object(obj, "spec").get("unschedulable") is True
    capacity = get_object(obj, "status", "capacity")
    found = _VERSION.fullmatch(get_text(get_object(obj, "status", "nodeInfo"), "kubeletVersion"))
    labels = node_tables.kept(get_object(obj, "metadata", "labels"), name)
    return NodeFacts(
        name=name,
        labels=labels,
        telling=tuple(pair for pair in labels if node_tables.tells(pair[0])),
        taints=lasting,
        version=found[1] if found else "",
        cpus=min(amount(capacity.get(CPU)), MAX_CPU),
        devices=_devices(capacity),
        memory=amount(capacity.get(MEMORY)),
        schedulable=not (cordoned or passing),
        created=sortable(get_text(get_object(obj, "metadata"), "creationTimestamp")),
    )


def amount(value: object) -> int:
    """Answer a quantity as a whole number, rounded up; 0 for what is absent, negative or no quantity."""
    if value is None:
        return 0
    try:
        return max(0, Quantity.from_json(value).value)
    except QuantityError:
        return 0


def is_amount(value: object) -> bool:
    """Tell a quantity that something may have: no text of another kind, and not negative."""
    try:
        return Quantity.from_json(value).value >= 0
    except QuantityError:
        return False


def _devices(capacity: JsonObject) -> Counts:
    counts = ((name, amount(value)) for name, value in sorted(as_object(capacity).items()) if is_extended(name))
    return tuple((name, count) for name, count in counts if count)
