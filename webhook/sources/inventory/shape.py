"""Tells whether two specs describe the same kind of node, a little memory more or less."""

import json
from collections.abc import Mapping

from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object

_NOT_TOPOLOGY = frozenset({"selector", "taints"})


def shape_of(spec: JsonObject) -> str:
    """Write a spec without its labels and its amounts of memory."""
    return _text({key: value for key, value in spec.items() if key != "selector"})


def topology_of(spec: JsonObject) -> str:
    """Write what nodes of one kind must agree in to be believed: not taints, nor the kubelet's version."""
    kubelet = {key: value for key, value in get_object(spec, "kubelet").items() if key != "version"}
    return _text({**{key: value for key, value in spec.items() if key not in _NOT_TOPOLOGY}, "kubelet": kubelet})


def _text(spec: Mapping[str, object]) -> str:
    plain = dict(spec)
    plain["numa"] = [_without(cell, "memory") for cell in get_list(spec, "numa")]
    kubelet = dict(get_object(spec, "kubelet"))
    if "nodeAllocatableReservation" in kubelet:
        kubelet["nodeAllocatableReservation"] = _without(kubelet["nodeAllocatableReservation"], "memory")
    if "reservedMemory" in kubelet:
        kubelet["reservedMemory"] = [
            {**as_object(entry), "limits": sorted(get_object(entry, "limits"))}
            for entry in get_list(kubelet, "reservedMemory")
        ]
    plain["kubelet"] = kubelet
    return json.dumps(plain, sort_keys=True, default=str)


def _without(value: object, key: str) -> dict[str, object]:
    return {name: member for name, member in as_object(value).items() if name != key}
