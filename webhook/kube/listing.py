"""Lists objects in pages, so that only one page of them is in memory at a time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import orjson

from webhook.domain.raw import JsonObject
from webhook.domain.raw import as_object
from webhook.domain.raw import get_list
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.kube.client import READ_SECONDS
from webhook.kube.client import Ask
from webhook.kube.client import Client
from webhook.kube.error import KubeError

PAGE: Final = 500
"""The page of client-go's pager and of kubectl."""


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list: `more` continues it, "" at its end; `remaining` objects come then, if the API server says."""

    items: list[JsonObject]
    version: str
    more: str
    remaining: int


def page(
    client: Client,
    path: str,
    *,
    limit: int = PAGE,
    more: str = "",
    fields: str = "",
    cached: bool = False,
    seconds: float = READ_SECONDS,
    most: int | None = None,
) -> Page:
    """Answer one page of the objects that the field selector `fields` selects.

    A silence of `seconds` ends it, and so do more than `most` bytes.

    Without a resource version in the request the list is consistent: never older than what any client has seen. One
    that is `cached` (version "0") comes from the memory of an API server, at once and whole, and may be a little older.
    Thousands who each want a few objects ask so, as kubelets do: else API servers before 1.31 read all of them from
    etcd for each.

    Raises:
        KubeError: also where the list took so long that its next page has expired.
    """
    version = "0" if cached and not more else ""
    asked = {"limit": str(limit), "continue": more, "fieldSelector": fields, "resourceVersion": version}
    query = {name: value for name, value in asked.items() if value}
    found = read_object(client.send(Ask(path=path, query=query, seconds=seconds, most=most)), path)
    meta = get_object(found, "metadata")
    remaining = meta.get("remainingItemCount")
    return Page(
        items=[as_object(item) for item in get_list(found, "items")],
        version=get_text(meta, "resourceVersion"),
        more=get_text(meta, "continue"),
        remaining=remaining if isinstance(remaining, int) else 0,
    )


def pages(
    client: Client, path: str, *, limit: int = PAGE, fields: str = "", cached: bool = False
) -> Iterator[tuple[list[JsonObject], str]]:
    """Yield the objects of each page (see `page`), and the resource version that all pages have in common.

    Raises:
        KubeError: also where the list took so long that its next page has expired; then one begins anew.
    """
    more = ""
    while True:
        found = page(client, path, limit=limit, more=more, fields=fields, cached=cached)
        more = found.more
        yield found.items, found.version
        if not more:
            return


def read_object(body: bytes, what: str) -> JsonObject:
    """Read a JSON object.

    Raises:
        KubeError: it is none; something in between answered, not the API server.
    """
    try:
        found = orjson.loads(body)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        msg = f"{what}: the reply is no JSON object"
        raise KubeError(msg)
    return found


def key_of(found: JsonObject) -> str:
    """Answer the name that an object has among all of its kind.

    >>> key_of({"metadata": {"name": "a", "namespace": "ours"}}), key_of({"metadata": {"name": "a"}})
    ('ours/a', 'a')
    """
    meta = get_object(found, "metadata")
    namespace = get_text(meta, "namespace")
    return f"{namespace}/{get_text(meta, 'name')}" if namespace else get_text(meta, "name")
