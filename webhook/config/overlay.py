"""Lays one document's content over another's."""

from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object

_LABELS: Path = ("spec", "recognition", "labels")
_SHARE: Path = ("spec", "repair", "share")


def overlay(base: JsonObject, over: JsonObject) -> dict[str, object]:
    """Merge `over` into `base`: maps merge key by key, everything else replaces; null takes a key out.

    >>> overlay({"a": {"x": 1, "y": [1, 2]}, "b": 1}, {"a": {"y": [3]}, "b": None})
    {'a': {'x': 1, 'y': [3]}}
    """
    merged = dict(base)
    for key, value in over.items():
        if value is None:
            merged.pop(key, None)
        elif isinstance(value, dict):
            merged[key] = overlay(as_object(merged.get(key)), value)
        else:
            merged[key] = value
    return merged


def written(block: JsonObject, path: Path = ()) -> dict[str, object]:
    """Leave out what is null, and so not written; only where null means "none" does it stay.

    >>> written({"spec": {"modes": None, "repair": {"share": None}}})
    {'spec': {'repair': {'share': None}}}
    """
    return {
        key: _written_below(value, (*path, key))
        for key, value in block.items()
        if value is not None or path == _LABELS or (*path, key) == _SHARE
    }


def _written_below(value: object, path: Path) -> object:
    if isinstance(value, dict):
        return written(value, path)
    if isinstance(value, list):
        return [_written_below(member, (*path, index)) for index, member in enumerate(value)]
    return value
