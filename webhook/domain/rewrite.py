"""Answers changed copies of raw JSON objects."""

from webhook.domain.pointer import Path
from webhook.domain.raw import as_object


def set_value(document: object, path: Path, value: object) -> object:
    """Answer a copy of `document` with `value` at `path`, creating what is absent or null on the way."""
    if not path:
        return value
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        members = list(document) if isinstance(document, list) else []
        members[step] = set_value(members[step], rest, value)
        return members
    fields = dict(as_object(document))
    fields[step] = set_value(fields.get(step), rest, value)
    return fields
