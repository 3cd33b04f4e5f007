"""Fields that a newer controller wrote and this version does not know: what may be left out, and what must not.

A field that is left out could make the policy weaker without a word. So an unknown one is refused, and the last good
snapshot stays in force, unless the writer, who knows what the field means, lists it as ignorable.
"""

import re
from collections.abc import Collection

from webhook.config.document import from_object
from webhook.domain.pointer import Path
from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_text

IGNORABLE: tuple[str, ...] = ()
"""What this version lists, such as `AlignmentPolicy.spec.namespaces[].note`: fields younger than the oldest version
that may still read, without which every decision is as strict. A field that makes one stricter does not belong here."""

_POSITION = re.compile(r"\.\d+(?=\.|$)")


def understood(document: JsonObject, ignorable: Collection[str]) -> tuple[JsonObject, tuple[str, ...]]:
    """Answer `document` without the unknown fields that are `ignorable`, and their names."""
    left_out: list[str] = []
    while unread := [path for path in _unknown(document) if _name(document, path) in ignorable]:
        for path in unread:
            left_out.append(_name(document, path))
            document = as_object(_without(document, path))
    return document, tuple(left_out)


def _unknown(document: JsonObject) -> tuple[Path, ...]:
    from webhook.config import grammar  # noqa: PLC0415 - pydantic loads slowly, and only newer snapshots need it here

    return grammar.unknown_fields(from_object(document, ""))


def _name(document: JsonObject, path: Path) -> str:
    return _POSITION.sub("[]", ".".join([get_text(document, "kind"), *map(str, path)]))


def _without(value: object, path: Path) -> object:
    step, *rest = path
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if rest or key != step}
        return {key: _without(one, tuple(rest)) if key == step else one for key, one in kept.items()}
    if isinstance(value, list):
        return [_without(one, tuple(rest)) if index == step else one for index, one in enumerate(value)]
    return value
