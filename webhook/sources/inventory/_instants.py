"""Instants in objects, as texts that sort by time."""

from datetime import UTC
from datetime import datetime

from webhook.domain import instant
from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text


def last_written(obj: JsonObject) -> str:
    """Answer when an object was last written, by the API server's clock; "" where it does not say."""
    times = (get_text(entry, "time") for entry in get_list(get_object(obj, "metadata"), "managedFields"))
    return max(times, default="")


def sortable(text: str) -> str:
    """Answer an instant in UTC and whole seconds; "" for what is none.

    >>> sortable("2026-11-29T02:00:00.5+02:00")
    '2026-11-29T00:00:00Z'
    """
    found = instant.parse(text)
    return written(found) if found is not None else ""


def written(moment: datetime) -> str:
    """Write an instant so that it sorts with the others."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
