"""What of a new pod a decision is made from: everything else is left out before anything is judged.

Pods of one workload differ in what no decision reads (names, environment, the volume of the service account's token),
so that their essence is the same, and one decision serves them all. A patch made for the essence fits the pod: what
is left out leaves no gap in a list, and no object that a patch writes into is left out.
"""

import marshal
from collections.abc import Mapping
from typing import Final

from webhook.domain import keys
from webhook.domain.raw import JsonObject

_SPEC: Final = frozenset(
    {
        "affinity",
        "containers",
        "initContainers",
        "nodeSelector",
        "overhead",
        "readinessGates",
        "resourceClaims",
        "resources",
        "runtimeClassName",
        "tolerations",
        "volumes",
    }
)
_LISTS: Final[Mapping[str, frozenset[str]]] = {
    "containers": frozenset({"args", "command", "image", "name", "resources", "restartPolicy"}),
    "initContainers": frozenset({"args", "command", "image", "name", "resources", "restartPolicy"}),
    "volumes": frozenset({"emptyDir"}),
}
_PLAIN: Final = 2
"""The marshal format without references between values, so that equal content gives equal bytes."""


def essence(pod: JsonObject) -> JsonObject:
    """Answer the pod without what no decision reads; a part of an unexpected type stays as it is, to be reported."""
    return {name: _PARTS[name](pod[name]) for name in _PARTS if name in pod}


def packed(pod: JsonObject) -> bytes:
    """Answer the essence as bytes that are equal for pods that no decision tells apart."""
    return marshal.dumps(essence(pod), _PLAIN)  # type: ignore[arg-type]  # JSON is what marshal takes


def unpacked(content: bytes) -> JsonObject:
    """Answer the essence that `packed` made these bytes of."""
    found: JsonObject = marshal.loads(content)  # noqa: S302  # bytes of our own, never left the process
    return found


def _metadata(value: object) -> object:
    if not isinstance(value, dict):
        return value
    kept = _only(value, frozenset({"annotations", "labels"}))
    annotations = value.get("annotations")
    if isinstance(annotations, dict):
        kept["annotations"] = {key: text for key, text in annotations.items() if _is_read(key, text)}
    return kept


def _is_read(key: str, text: object) -> bool:
    """Keep our own and LimitRanger's annotations, and what is no text, for that is an error."""
    return key.startswith(keys.DOMAIN) or key == keys.LIMIT_RANGER or not isinstance(text, str)


def _spec(value: object) -> object:
    if not isinstance(value, dict):
        return value
    kept = _only(value, _SPEC)
    for name in _LISTS.keys() & kept.keys():
        items = kept[name]
        if isinstance(items, list):
            wanted = _LISTS[name]
            kept[name] = [_only(item, wanted) if isinstance(item, dict) else item for item in items]
    return kept


def _status(value: object) -> object:
    return _only(value, frozenset({"qosClass"})) if isinstance(value, dict) else value


def _only(value: Mapping[str, object], wanted: frozenset[str]) -> dict[str, object]:
    return {key: part for key, part in value.items() if key in wanted}


_PARTS: Final = {"metadata": _metadata, "spec": _spec, "status": _status}
