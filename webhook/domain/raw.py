"""Reads raw JSON objects without trusting their shape.

Objects stay raw mappings, so that pointers hit the real JSON and unknown fields survive.
These helpers answer the empty value for what is absent, null or of another type; `pod` reports what it could not read.
"""

from collections.abc import Mapping
from typing import TypeAlias

JsonObject: TypeAlias = Mapping[str, object]
"""A JSON object as it was read; never mutated."""

_EMPTY: JsonObject = {}
_OBJECTS = (dict, Mapping)
"""A dict is told at once, another Mapping by a slow search through its bases."""


def as_object(value: object) -> JsonObject:
    """Answer `value` if it is a JSON object, else an empty one."""
    return value if isinstance(value, _OBJECTS) else _EMPTY


def get_object(parent: object, *keys: str) -> JsonObject:
    """Follow `keys` down from `parent` and answer the object there, or an empty one."""
    value = parent
    for key in keys:
        value = as_object(value).get(key)
    return as_object(value)


def get_list(parent: object, key: str) -> list[object]:
    """Answer the list under `key`, or an empty one."""
    value = as_object(parent).get(key)
    return value if isinstance(value, list) else []


def get_text(parent: object, key: str) -> str:
    """Answer the string under `key`, or ""."""
    value = as_object(parent).get(key)
    return value if isinstance(value, str) else ""


def get_texts(parent: object, key: str) -> tuple[str, ...]:
    """Answer the strings of the list under `key`; members of another type are left out."""
    return tuple(item for item in get_list(parent, key) if isinstance(item, str))


def get_text_map(parent: object, key: str) -> dict[str, str]:
    """Answer the object under `key` as a map of strings; values of another type are left out."""
    return {k: v for k, v in as_object(as_object(parent).get(key)).items() if isinstance(v, str)}
