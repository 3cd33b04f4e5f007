"""One watch: the changes of a kind, or of one object, from a resource version on."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from webhook.domain.raw import JsonObject
from webhook.domain.raw import get_object
from webhook.domain.raw import get_text
from webhook.kube.client import Ask
from webhook.kube.client import Client
from webhook.kube.error import KubeError
from webhook.kube.listing import read_object

MIN_SECONDS: Final = 300
MAX_SECONDS: Final = 600
"""A watch asks to be ended after a random time between both, as client-go's do: not all at the same moment."""

SILENCE_SECONDS: Final = 30.0
"""How long after its end a watch that nobody ends is given up; TCP's own probes find a dead peer before."""

ADDED: Final = "ADDED"
MODIFIED: Final = "MODIFIED"
DELETED: Final = "DELETED"
BOOKMARK: Final = "BOOKMARK"


@dataclass(frozen=True, slots=True)
class Event:
    """A change; a bookmark has an object with nothing but its resource version."""

    kind: str
    object: JsonObject

    @property
    def version(self) -> str:
        """The resource version to go on from."""
        return get_text(get_object(self.object, "metadata"), "resourceVersion")


def watch(client: Client, path: str, *, version: str = "", fields: str = "") -> Iterator[Event]:
    """Yield events until the API server ends the watch, as it should in the end.

    Without a `version` the first events are about the state as it is. `fields` selects objects (see `named`).

    Raises:
        KubeError: the watch was refused or broke; `expired` where one has to list again.
    """
    seconds = random.randint(MIN_SECONDS, MAX_SECONDS)  # noqa: S311  # spreads load, keeps no secret
    query = {"watch": "true", "allowWatchBookmarks": "true", "timeoutSeconds": str(seconds)}
    if version:
        query["resourceVersion"] = version
    if fields:
        query["fieldSelector"] = fields
    for line in client.lines(Ask(path=path, query=query, seconds=seconds + SILENCE_SECONDS)):
        event = read_object(line, path)
        kind, found = get_text(event, "type"), get_object(event, "object")
        if kind == "ERROR":
            raise _error(path, found)
        yield Event(kind, found)


def named(name: str) -> str:
    """Select one object: the API server asks for the verb "watch" on that name, so that a role may grant just that."""
    return f"metadata.name={name}"


def _error(path: str, status: JsonObject) -> KubeError:
    code = status.get("code")
    message = f"watch of {path} ended: {get_text(status, 'message')}"
    return KubeError(message, status=code if isinstance(code, int) else 0, reason=get_text(status, "reason"))
